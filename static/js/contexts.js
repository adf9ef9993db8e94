// Chooses contexts by keys: that of a text, Enter, X, S, E and Z. The page works without this, too.
const form = document.querySelector(".choosing");
const undo = document.querySelector(".undo");
const cards = form ? [...form.querySelectorAll(".candidate")] : [];
let latest = null; // the card chosen last

const radio = (card, name) => card.querySelector(`input[name="${name}"]`);
const chosen = (name) => cards.find((card) => radio(card, name).checked) || null;

function set(name, card) {
  for (const other of cards) radio(other, name).checked = other === card;
}

// The key of a text fills context 1, then context 2, and takes back what it has chosen.
function choose(card) {
  const taken = ["first", "second"].find((name) => chosen(name) === card);
  if (taken) set(taken, null);
  else set(chosen("first") ? "second" : "first", card);
  latest = taken ? null : card;
  tell();
}

function swap() {
  const [first, second] = [chosen("first"), chosen("second")];
  set("first", second);
  set("second", first);
  tell();
}

function tell() {
  const [first, second] = [chosen("first"), chosen("second")];
  const name = (card) => (card ? card.dataset.key.toUpperCase() : "–");
  form.querySelector("#picked").value =
    first || second ? `Context 1: ${name(first)}, context 2: ${name(second)}` : "Choose two texts.";
  form.querySelector("#swap").hidden = !(first && second);
}

function skip() {
  const skipping = form.querySelector(".skipping");
  skipping.open = !skipping.open;
  if (skipping.open) skipping.querySelector("button").focus();
  else document.activeElement.blur(); // at once, or Enter would press a button that is hidden
}

function edit() {
  const card = latest || chosen("second") || chosen("first");
  if (!card) return;
  card.querySelector("details").open = true;
  card.querySelector("textarea").focus();
}

// The action of a key, if it has one now.
function find(key) {
  const skipping = form.querySelector(".skipping");
  if (skipping.open) {
    const reason = skipping.querySelectorAll("button")[Number(key) - 1];
    return reason ? () => reason.click() : { escape: skip, s: skip }[key];
  }
  const card = cards.find((one) => one.dataset.key === key);
  if (card) return () => choose(card);
  return { x: swap, s: skip, e: edit, enter: () => form.requestSubmit() }[key];
}

if (form) {
  form.addEventListener("change", (event) => {
    if (event.target.type !== "radio") return;
    const card = event.target.closest(".candidate");
    const other = radio(card, event.target.name === "first" ? "second" : "first");
    other.checked = false; // a text is one of the two
    latest = card;
    tell();
  });
  form.addEventListener("click", (event) => {
    if (event.target.closest("#swap")) return swap();
    const text = event.target.closest(".candidate > blockquote");
    if (text && getSelection().isCollapsed) choose(text.closest(".candidate"));
  });
  tell();
}

const OWN_KEYS = "textarea, summary, a, button"; // that Enter activates, or where one types

document.addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase();
  if (event.target.matches("textarea")) {
    if (key === "escape") event.target.blur();
    if (key === "enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (key === "enter" && event.target.matches(OWN_KEYS)) return;
  if (key === "z") return undo?.requestSubmit();
  const act = form && find(key);
  if (!act) return;
  event.preventDefault(); // a letter is not typed into the text that it opens
  act();
});
