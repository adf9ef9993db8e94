// The queue of answers by keyboard, without a wait: the next answer is on the page already, and a
// verdict is sent while it is being read. Nothing depends on this.
"use strict";

const FEWEST = 6; // answers ahead; with fewer, more are asked for
const MOST_BEHIND = 50; // judged answers that "undo" can show again at once
const queue = document.querySelector(".queue");
const told = document.querySelector(".told");
const undoForm = document.querySelector("form.undo");
const behind = []; // judged here, the latest last
const sending = new Map(); // what is on its way, by the id of the review
let sent = Promise.resolve(); // one after the other, so that an undo follows its verdict
let asking = null;
let isEnd = false;

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

// What is refused is told. What could not be sent comes back, to be judged again.
function send(article, address, body, bringBack) {
  const id = article.dataset.review;
  sending.set(id, (sending.get(id) || 0) + 1);
  sent = sent.then(async () => {
    try {
      const headers = { "X-Requested-With": "fetch" };
      const answer = await fetch(address, {
        method: "POST", body, headers, redirect: "manual", keepalive: true,
      });
      const isOut = answer.type === "opaqueredirect" || answer.status === 403;
      if (isOut) throw new Error("You are signed out. Sign in again, then judge this once more.");
      if (answer.status >= 500) throw new Error("The site has a fault. Judge this once more.");
      if (!answer.ok) await refused(article, answer);
    } catch (error) {
      const isNetwork = error instanceof TypeError;
      complain(isNetwork ? "The verdict could not be sent. Judge this once more." : error.message);
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
  const besides = [...ahead().map((article) => article.dataset.review), ...sending.keys()];
  asking = fetch(`${queue.dataset.more}?besides=${besides}`, { redirect: "manual" });
  let isAnswered = false;
  try {
    const answer = await asking;
    isAnswered = answer.ok;
    if (isAnswered) append(await answer.text());
  } catch {
    // the network
  }
  asking = null;
  if (!current()) show(ahead()[0]);
  if (isAnswered) askForMore();
  else if (!ahead().length) setTimeout(askForMore, 3000); // else the next verdict asks again
}

function append(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const found = [...page.querySelectorAll("article")].filter(
    (article) => !queue.querySelector(`article[data-review="${article.dataset.review}"]:not([data-judged])`),
  );
  isEnd = !found.length;
  for (const article of found) {
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
