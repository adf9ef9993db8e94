// What the console does beyond what forms do by themselves. Nothing depends on it.
"use strict";

// Figures that take long are asked for in the background, a few at a time, until all are there.
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
refresh().catch(() => {}); // the button is still there

// A button beside each field that is there to be copied.
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
