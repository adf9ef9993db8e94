// The queue of answers by keyboard, without a wait: the next answer is on the page already, and a
// verdict is sent while it is being read. Nothing depends on this.
"use strict";

const FEWEST = 6; // answers ahead; with fewer, more are asked for
const MOST_BEHIND = 50; // judged answers that "undo" can show again at once
const PATIENCE = 30_000; // ms until something asked for counts as lost
const PAUSE = 3_000; // ms until it is asked for again
const queue = document.querySelector(".queue");
const told = document.querySelector(".told");
const undoForm = document.querySelector("form.undo");
const behind = []; // judged here, the latest last
const sending = new Map(); // what is on its way, by the id of the review
let known = new Set(); // ids not asked for, and those judged or taken back since: not news
let sent = Promise.resolve(); // one after the other, so that an undo follows its verdict
let asking = false;
let isEnd = false;
let lack = null; // the line that tells of answers that could not be fetched

const ahead = () => [...queue.querySelectorAll("article:not([data-judged])")];
const current = () => queue.querySelector("article:not([hidden])");
const wordsOf = (article) =>
  [...article.querySelectorAll(".inspired b")].map((word) => `“${word.textContent}”`).join(" and ");

function show(article) {
  const before = current();
  if (before) before.hidden = true;
  if (article) article.hidden = false;
  focusOn(article);
}

function focusOn(article) {
  if (article && matchMedia("(hover: hover)").matches)
    article.querySelector(".verdict").focus({ preventScroll: true });
}

function count(change) {
  for (const [name, step] of Object.entries({ open: -change, judged: change })) {
    const place = document.querySelector(`[data-count="${name}"]`);
    if (place) place.textContent = Math.max(0, Number(place.textContent) + step);
  }
}

function complain(text) {
  const line = document.createElement("p");
  line.textContent = text;
  told.hidden = false;
  told.replaceChildren(line);
  return line;
}

// Undo is for what was judged last; before anything was judged here, for what the server says.
function tellLast() {
  const last = behind.at(-1);
  if (!last) return;
  undoForm.hidden = false;
  undoForm.action = last.querySelector(".take-back").action;
  undoForm.querySelector(".last").textContent = `your last verdict: ${last.dataset.judged}, ${wordsOf(last)}`;
}

function judge(article, form, submitter) {
  const verdict = new FormData(form, submitter);
  article.dataset.judged = (submitter.firstChild || submitter).textContent.trim().toLowerCase();
  behind.push(article);
  if (behind.length > MOST_BEHIND) behind.shift().remove();
  told.hidden = true;
  show(ahead()[0]);
  count(1);
  tellLast();
  send(article, form.action, verdict, () => takeBack(article));
  askForMore();
}

function takeBack(article) {
  const place = behind.indexOf(article);
  if (place >= 0) behind.splice(place, 1);
  delete article.dataset.judged;
  count(-1);
  queue.prepend(article);
  show(article);
  tellLast();
}

function undo() {
  const article = behind.at(-1);
  if (!article) return undoForm.hidden ? undefined : undoForm.requestSubmit();
  const form = article.querySelector(".take-back");
  takeBack(article);
  send(article, form.action, new FormData(form), () => {});
}

const ask = (address, options) =>
  fetch(address, { ...options, redirect: "manual", signal: AbortSignal.timeout(PATIENCE) });

// What is refused is told. What could not be sent comes back, to be judged again.
function send(article, address, body, bringBack) {
  const id = article.dataset.review;
  known.add(id);
  sending.set(id, (sending.get(id) || 0) + 1);
  sent = sent.then(async () => {
    try {
      const headers = { "X-Requested-With": "fetch" };
      const answer = await ask(address, { method: "POST", body, headers, keepalive: true });
      const isOut = answer.type === "opaqueredirect" || answer.status === 403;
      if (isOut) throw new Error("You are signed out. Sign in again, then judge this once more.");
      if (answer.status >= 500) throw new Error("The site has a fault. Judge this once more.");
      if (!answer.ok) await refused(article, answer);
    } catch (error) {
      const isOurs = error.constructor === Error; // else it is the network's
      complain(isOurs ? error.message : "The verdict could not be sent. Judge this once more.");
      if (article.isConnected && article.dataset.judged) bringBack();
    }
    if (sending.get(id) > 1) sending.set(id, sending.get(id) - 1);
    else sending.delete(id);
  });
}

async function refused(article, answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const why = page.querySelector(".refused, main .lead");
  complain(`${wordsOf(article)}: ${why ? why.textContent.trim() : "This verdict was not taken."}`);
  count(-1);
}

async function askForMore() {
  if (isEnd && !ahead().length) return finish();
  if (asking || isEnd || ahead().length >= FEWEST) return;
  asking = true;
  known = new Set([...ahead().map((article) => article.dataset.review), ...sending.keys()]);
  const text = await ask(`${queue.dataset.more}?besides=${[...known]}`)
    .then((answer) => (answer.ok ? answer.text() : null))
    .catch(() => null);
  asking = false;
  if (text !== null) append(text);
  lack?.remove();
  told.hidden ||= !told.hasChildNodes();
  if (!current()) show(ahead()[0]);
  if (text !== null) askForMore();
  else if (!ahead().length) askAgain(); // else the next verdict asks
}

function askAgain() {
  lack = complain("The next answers could not be fetched. They are asked for again every few seconds.");
  setTimeout(askForMore, PAUSE);
}

function append(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const found = [...page.querySelectorAll("article")];
  isEnd = !found.length;
  for (const article of found.filter((article) => !known.has(article.dataset.review))) {
    queue.querySelector(`article[data-review="${article.dataset.review}"]`)?.remove();
    article.hidden = true;
    queue.append(article);
  }
}

// When everything has arrived, the server says what is left.
function finish() {
  sent.then(() => {
    if (!ahead().length && !sending.size) location.reload();
  });
}

if (queue) {
  queue.addEventListener("submit", (event) => {
    event.preventDefault();
    const article = event.target.closest("article");
    if (!article.hidden) judge(article, event.target, event.submitter);
  });

  // Keys work while the focus is on the verdict, as it is from the start where one does not work by
  // touch, and never where one writes. One that is still held down does nothing.
  queue.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const article = current();
    const group = event.target.closest(".verdict");
    if (!article || !group) return;
    if (event.target.matches("input")) {
      if (event.key === "Escape") group.focus();
      return;
    }
    const keys = {
      g: () => group.querySelector("[value=good]").click(),
      u: () => group.querySelector("[value=unused]").click(),
      r: () => group.querySelector("[name=reason]").focus(),
      z: undo,
    };
    const key = keys[event.key.toLowerCase()];
    if (!key) return;
    event.preventDefault();
    key();
  });

  undoForm.addEventListener("submit", (event) => {
    if (!behind.length) return;
    event.preventDefault();
    undo();
  });

  window.addEventListener("beforeunload", (event) => {
    if (sending.size) event.preventDefault();
  });

  focusOn(current());
  askForMore();
}
