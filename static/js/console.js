// Enhancements of the console; every page works without them.
"use strict";

const read = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");

// Whether a field shows something else than when the page was loaded.
function isChanged(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (!field.options) return field.value !== field.defaultValue;
  const first = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(first, 0);
}

// Whether a field is being edited or was changed, or text is selected, in the live part of the page.
function isInUse(shown) {
  const selection = getSelection();
  const isSelected = !selection.isCollapsed && shown.contains(selection.anchorNode);
  const fields = [...shown.querySelectorAll("input, select, textarea")];
  return isSelected || fields.includes(document.activeElement) || fields.some(isChanged);
}

const pick = (selector, page) => [document, page].map((one) => one.querySelector(selector));

// Replace the steps of the study, unless they are in use.
function swapSteps(page) {
  const [shown, fresh] = pick(".rail", page);
  if (fresh && !shown.contains(document.activeElement)) shown.replaceWith(fresh);
}

// Replace the live part of the page; focus, scroll positions and open tables stay as they are.
// The message that a job has begun disappears when the job ends.
function swap(page) {
  const [shown, fresh] = pick("[data-live]", page);
  if (!fresh || !shown || isInUse(shown)) return false;
  const focused = shown.contains(document.activeElement) ? document.activeElement : null;
  const list = (part, selector) => [...part.querySelectorAll(selector)];
  const place = focused && list(shown, focused.localName).indexOf(focused);
  const href = focused?.getAttribute("href");
  const before = list(shown, ".scroll");
  const open = new Set(list(shown, "details[id][open]").map((one) => one.id));
  for (const one of list(fresh, "details[id]")) one.open = open.has(one.id);
  const [x, y] = [scrollX, scrollY];
  const positions = before.map((one) => [one.scrollLeft, one.scrollTop]);
  shown.replaceWith(fresh);
  swapSteps(page);
  if ("busy" in shown.dataset && !("busy" in fresh.dataset)) document.querySelector(".messages")?.remove();
  list(fresh, ".scroll").forEach((one, n) => {
    if (positions[n]) [one.scrollLeft, one.scrollTop] = positions[n];
  });
  if (focused) {
    const alike = list(fresh, focused.localName);
    const same = href === null ? alike[place] : alike.find((one) => one.getAttribute("href") === href);
    same?.focus({ preventScroll: true });
  }
  scrollTo(x, y);
  return true;
}

// Fetch slow figures in the background, a few at a time, until all are shown.
async function refresh() {
  const form = document.querySelector("form[data-refresh]");
  if (!form || document.hidden) return;
  const before = form.textContent;
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form) });
  if (!answer.ok) return;
  const page = await read(answer);
  if (!swap(page)) return;
  if (document.querySelector("form[data-refresh]")?.textContent !== before) await refresh();
}
refresh().catch(() => {}); // the button still works

// Refresh the part of the page that shows progress, often while a job is running, and now and then
// while answers are collected; not in a hidden tab. Continues after a network failure.
const INTERVALS_MS = { "[data-busy]": 3000, "[data-watch]": 30000 };
async function follow(state, interval) {
  if (!document.querySelector(`[data-live]${state}`)) return;
  const answer = document.hidden ? null : await fetch(location.href).catch(() => null);
  if (answer?.ok && !answer.redirected && swap(await read(answer))) await refresh().catch(() => {});
  setTimeout(follow, interval, state, interval);
}
for (const [state, interval] of Object.entries(INTERVALS_MS)) setTimeout(follow, interval, state, interval);

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
