// Updates the workload of a design or the cost of a batch, calculated by the server, on input.
"use strict";

const PAUSE = 300;
const form = document.querySelector("form[data-calculated]");
const INPUTS = "[type=number], [data-counts]";
const plan = document.querySelector("#plan");
let waiting;
let asked = 0;

const update = async () => {
  const fields = [...form.querySelectorAll(INPUTS)];
  const numbers = new URLSearchParams(fields.map((field) => [field.name, field.value]));
  const mine = ++asked;
  try {
    const answer = await fetch(`${plan.dataset.address}?${numbers}`);
    const text = answer.ok && !answer.redirected ? await answer.text() : "";
    if (text && mine === asked) plan.innerHTML = text;
  } catch {
    // No network: the button still calculates.
  }
};

form?.addEventListener("input", (event) => {
  if (!event.target.matches(INPUTS)) return;
  clearTimeout(waiting);
  waiting = setTimeout(update, PAUSE);
});
