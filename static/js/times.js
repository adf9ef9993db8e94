// Show times of shared tasks in the reader's own zone as well.
"use strict";

for (const shown of document.querySelectorAll("time[data-own]")) {
  const own = document.createElement("span");
  own.className = "hint reader";
  const at = new Date(shown.dateTime);
  own.textContent = `${at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}, your time`;
  shown.parentElement.append(own);
}
