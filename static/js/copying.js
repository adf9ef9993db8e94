// The button that copies the annotator's personal link, where the browser lets a page copy.
"use strict";

for (const button of document.querySelectorAll(".copy")) {
  const link = button.previousElementSibling;
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(link.href);
      button.textContent = button.dataset.copied;
    } catch { // a frame that may not copy: the link stays to be marked by hand
      button.hidden = true;
    }
  });
}
