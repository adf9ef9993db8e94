// What a design or a batch asks for, reckoned by the server while one types.
"use strict";

const PAUSE = 300;
const form = document.querySelector("form[data-reckoned]");
const COUNTING = "[type=number], [data-counts]";
const plan = document.querySelector("#plan");
let waiting;
let asked = 0;

const reckon = async () => {
  const fields = [...form.querySelectorAll(COUNTING)];
  const numbers = new URLSearchParams(fields.map((field) => [field.name, field.value]));
  const mine = ++asked;
  try {
    const answer = await fetch(`${plan.dataset.address}?${numbers}`);
    const text = answer.ok && !answer.redirected ? await answer.text() : "";
    if (text && mine === asked) plan.innerHTML = text;
  } catch {
    // The network is away; the button still reckons.
  }
};

form.addEventListener("input", (event) => {
  if (!event.target.matches(COUNTING)) return;
  clearTimeout(waiting);
  waiting = setTimeout(reckon, PAUSE);
});
