// What a design asks for, reckoned by the server while one types.
"use strict";

const PAUSE = 300;
const form = document.querySelector("#design");
const plan = document.querySelector("#plan");
let waiting;
let asked = 0;

const reckon = async () => {
  const fields = [...form.querySelectorAll("[type=number]")];
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
  if (event.target.type !== "number") return;
  clearTimeout(waiting);
  waiting = setTimeout(reckon, PAUSE);
});
