// Warns before a page is left that holds edits which are not saved. Nothing depends on it.
// Not counted are forms and fields of which nothing is stored: [data-fleeting].
const forms = document.querySelectorAll('main form[method="post"]:not([data-fleeting])');
let sent = null; // the form that is on its way to the server

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

// The server marks what it gives back without having stored it.
const isUnsaved = (form) =>
  form.querySelector("[data-unsaved]") !== null || [...form.elements].some(isEdited);

function mark(form) {
  for (const note of form.querySelectorAll(".edited")) note.hidden = !isUnsaved(form);
}

for (const form of forms) {
  form.addEventListener("input", () => {
    if (sent === form) sent = null; // the answer was a file, or never came
    mark(form);
  });
  form.addEventListener("submit", () => { sent = form; });
}

addEventListener("beforeunload", (event) => {
  if (![...forms].some((form) => form !== sent && isUnsaved(form))) return;
  event.preventDefault();
  sent = null; // the form is not sent if the user stays
});

// Going back, the browser fills in what was typed before.
addEventListener("pageshow", () => {
  sent = null;
  forms.forEach(mark);
});
