// Warns before the user leaves a page with unsaved changes; every page works without it.
// Forms and fields that are not stored, [data-fleeting], are ignored.
const forms = document.querySelectorAll('main form[method="post"]:not([data-fleeting])');
let sent = null; // the form being submitted

function isEdited(field) {
  if (field.matches("[type=hidden], [data-fleeting], button, fieldset, output")) return false;
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  if (field.type === "file") return field.files.length > 0;
  if (field.matches("select")) {
    const options = [...field.options];
    const first = options.find((option) => option.defaultSelected) || options[0];
    return options.some((option) => option.selected !== (option === first));
  }
  return field.value !== field.defaultValue;
}

// The server marks a form that it returns with errors, unsaved.
const isUnsaved = (form) =>
  form.querySelector("[data-unsaved]") !== null || [...form.elements].some(isEdited);

function mark(form) {
  for (const note of form.querySelectorAll(".edited")) note.hidden = !isUnsaved(form);
}

for (const form of forms) {
  form.addEventListener("input", () => {
    if (sent === form) sent = null; // the response was a download, or failed
    mark(form);
  });
  form.addEventListener("submit", () => { sent = form; });
}

addEventListener("beforeunload", (event) => {
  if (![...forms].some((form) => form !== sent && isUnsaved(form))) return;
  event.preventDefault();
  sent = null; // the form is not submitted if the user stays
});

// After going back, the browser restores typed values.
addEventListener("pageshow", () => {
  sent = null;
  forms.forEach(mark);
});
