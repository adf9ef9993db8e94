// Enhancements of the item pages and the comprehension check: keyboard shortcuts, paradata, and a
// guard against double submission. Every page works without them.
"use strict";

const form = document.querySelector("form");
const visible = form.elements.namedItem("visible");
const scale = form.querySelector(".scale");

// Seconds for which the page was visible until submission, including those before the form was
// returned with errors.
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

// Names of the fields into which text was pasted.
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

// While the scale has the focus (initially, except on touch devices), Enter submits the choice and a
// digit chooses its point, if the server marks every point as a single digit (`data-digits`): on
// other scales the 1 of "10" would choose a point, too. A key held down since the previous page is
// ignored.
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

// Restore typed text after a failed submission and going back; another page clears it.
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
  // Some frames have no storage; the text is not restored there.
}

// Ignore a second click during submission. Going back enables the form again, and so does a delay,
// since the network may have failed. The server counts a repeated answer once.
const PATIENCE = 5000;
const open = () => delete form.dataset.sent;
form.addEventListener("submit", (event) => {
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  setTimeout(open, PATIENCE);
});
window.addEventListener("pageshow", open);
