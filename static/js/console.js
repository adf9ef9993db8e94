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

// While something is being made, the part of the page that tells how far it is is renewed, and
// never a form that is being filled in. It goes on when the network comes back.
const AGAIN = 3000;
async function follow() {
  const shown = document.querySelector("[data-live][data-busy]");
  if (!shown) return;
  const answer = document.hidden ? null : await fetch(location.href).catch(() => null);
  if (answer?.ok && !answer.redirected) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    if (fresh && !shown.contains(document.activeElement)) shown.replaceWith(fresh);
  }
  setTimeout(follow, AGAIN);
}
setTimeout(follow, AGAIN);

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
