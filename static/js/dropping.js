// Accepts files dropped anywhere on a file field; without it, the field's own button does.
const isFile = (event) => event.dataTransfer?.types.includes("Files");

for (const input of document.querySelectorAll("input[type=file]")) {
  const field = input.closest(".field");
  if (!field) continue;
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "Or drop the file here.";
  input.after(hint);
  field.classList.add("drop-area");
  const show = (isOver) => field.classList.toggle("over", isOver);
  field.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault(); // allows the drop
    show(true);
  });
  field.addEventListener("dragleave", (event) => {
    if (!field.contains(event.relatedTarget)) show(false);
  });
  field.addEventListener("drop", (event) => {
    show(false);
    if (!isFile(event)) return;
    event.preventDefault(); // keeps the browser from opening the file
    const chosen = new DataTransfer();
    chosen.items.add(event.dataTransfer.files[0]);
    input.files = chosen.files;
    const details = input.closest("details");
    if (details) details.open = true; // shows the name of the file
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
