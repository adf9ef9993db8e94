// What the pages of items and of the check do beyond what forms do by themselves: keys, how pages
// are looked at, and that a double click sends once.
// Nothing depends on it.
"use strict";

const form = document.querySelector("form");
const visible = form.elements.namedItem("visible");
const radios = [...form.querySelectorAll('input[name="rating"]')];

// Seconds for which the page was to be seen, until the answer is sent; of a form that was given
// back, too, those before.
if (visible) {
  let seconds = Number(visible.value);
  let since = document.visibilityState === "visible" ? performance.now() : null;
  document.addEventListener("visibilitychange", () => {
    if (since !== null) seconds += (performance.now() - since) / 1000;
    since = document.visibilityState === "visible" ? performance.now() : null;
  });
  form.addEventListener("submit", () => {
    const now = since === null ? 0 : (performance.now() - since) / 1000;
    visible.value = (seconds + now).toFixed(1);
  });
}

// Into which fields something was pasted.
form.addEventListener("paste", (event) => {
  if (!event.target.matches("input.word")) return;
  let note = form.elements.namedItem("pasted");
  if (!note) {
    note = document.createElement("input");
    note.type = "hidden";
    note.name = "pasted";
    form.append(note);
  }
  note.value += ` ${event.target.name}`;
});

// A digit chooses its point of the scale; Enter then sends it.
if (radios.length) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("textarea, summary, a, button")) return;
    const chosen = radios.find((radio) => radio.value === event.key);
    if (chosen) {
      chosen.checked = true;
      chosen.focus();
    } else if (event.key === "Enter" && !event.target.matches("input")) {
      form.requestSubmit();
    }
  });
}

// A second click on the way sends nothing more. Coming back by "back" opens the form again, and so
// does time: the network may have failed. What comes twice all the same counts once.
const PATIENCE = 5000;
const open = () => delete form.dataset.sent;
form.addEventListener("submit", (event) => {
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  setTimeout(open, PATIENCE);
});
window.addEventListener("pageshow", open);
