// Updates the workload of a design or the cost of a batch, calculated by the server, on input.
"use strict";

const PAUSE = 300, PAUSE_AFTER_FAILURE = 2000;
const form = document.querySelector("form[data-calculated]");
const INPUTS = "[type=number], [data-counts]";
const plan = document.querySelector("#plan");
let waiting;
let asked = 0;

// Asks again a few times if the server does not answer or fails; after that the button still calculates.
const update = async (tries = 3) => {
  const fields = [...form.querySelectorAll(INPUTS)];
  const numbers = new URLSearchParams(fields.map((field) => [field.name, field.value]));
  const mine = ++asked;
  const answer = await fetch(`${plan.dataset.address}?${numbers}`).catch(() => null);
  if (mine !== asked) return;
  if (!answer || answer.status >= 500) {
    if (tries > 1) waiting = setTimeout(update, PAUSE_AFTER_FAILURE, tries - 1);
    return;
  }
  const text = answer.ok && !answer.redirected ? await answer.text() : "";
  if (text && mine === asked) plan.innerHTML = text;
};

form?.addEventListener("input", (event) => {
  if (!event.target.matches(INPUTS)) return;
  clearTimeout(waiting);
  waiting = setTimeout(update, PAUSE);
});
