// What the pages of items and of the check do beyond what forms do by themselves: keys, how pages
// are looked at, and that a double click sends once.
// Nothing depends on it.
"use strict";

const form = document.querySelector("form");
const visible = form.elements.namedItem("visible");
const scale = form.querySelector(".scale");

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

// While the focus is in the scale, as it is from the start where one does not work by touch, Enter
// sends what is chosen. A digit chooses its point, but only where the server says that every point
// is one digit (`data-digits`): on other scales the 1 of "10" would choose a point, too. A key that
// is still held down from the page before does nothing.
const DIGITS = "0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹";
if (scale) {
  scale.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea")) return;
    const isEnter = event.key === "Enter";
    if (isEnter) event.preventDefault();
    if (event.repeat) return;
    if (isEnter && scale.querySelector(":checked")) form.requestSubmit();
    const place = DIGITS.indexOf(event.key);
    const digit = String(place % 10);
    if (place < 0 || !scale.dataset.digits?.includes(digit)) return;
    const point = scale.querySelector(`[value="${digit}"]`);
    point.checked = true;
    point.focus();
  });
  const isFree = !scale.querySelector("[autofocus]");
  if (isFree && matchMedia("(hover: hover)").matches) scale.focus({ preventScroll: true });
}

// What was typed comes back where sending it failed and one goes back; another page forgets it.
const KEPT = "typed";
const fields = () => [...form.querySelectorAll(".word, .scale input, .scale textarea")];
try {
  const [path, typed] = JSON.parse(sessionStorage.getItem(KEPT)) || [];
  if (path !== location.pathname) sessionStorage.removeItem(KEPT);
  else if (fields().every((field) => !field.checked && (field.type === "radio" || !field.value)))
    fields().forEach((field, n) => {
      if (field.matches("[type=radio], [type=checkbox]")) field.checked = typed[n];
      else field.value = typed[n];
    });
  form.addEventListener("submit", () => {
    const values = fields().map((field) =>
      field.matches("[type=radio], [type=checkbox]") ? field.checked : field.value,
    );
    sessionStorage.setItem(KEPT, JSON.stringify([location.pathname, values]));
  });
} catch {
  // There is no storage in some frames; then it does not come back.
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
