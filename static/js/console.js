// Enhancements of the console; every page works without them.
"use strict";

// Fetch slow figures in the background, a few at a time, until all are shown.
async function refresh() {
  const form = document.querySelector("form[data-refresh]");
  if (!form || document.hidden) return;
  const before = form.textContent;
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form) });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  const shown = document.querySelector("[data-live]");
  if (!fresh || !shown || shown.contains(document.activeElement)) return;
  shown.replaceWith(fresh);
  if (fresh.querySelector("form[data-refresh]")?.textContent !== before) await refresh();
}
refresh().catch(() => {}); // the button still works

// While a job is running, refresh the part of the page that shows its progress, but no form.
// Continues after a network failure.
const INTERVAL_MS = 3000;
async function follow() {
  const shown = document.querySelector("[data-live][data-busy]");
  if (!shown) return;
  const answer = document.hidden ? null : await fetch(location.href).catch(() => null);
  if (answer?.ok && !answer.redirected) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    if (fresh && !shown.contains(document.activeElement)) shown.replaceWith(fresh);
  }
  setTimeout(follow, INTERVAL_MS);
}
setTimeout(follow, INTERVAL_MS);

// Add a copy button to each field that is meant to be copied.
for (const field of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  field.after(button);
}
