// Review by keyboard without waiting: the next answers are on the page already, and a verdict is
// sent while the next answer is being read. The page works without this script, too.
"use strict";

const MIN_AHEAD = 6; // answers on the page; with fewer, more are claimed
const MAX_UNDO = 50; // judged answers that are kept for "undo"
const TIMEOUT = 30_000; // ms
const RETRY_AFTER = 3_000; // ms
const queue = document.querySelector(".queue");
const notice = document.querySelector("#notice");
const undoForm = document.querySelector("form.undo");
const judged = []; // articles judged here, the latest last
const pending = new Map(); // number of requests under way, by the id of the review
let known = new Set(); // ids not to be claimed again, and those judged or undone since
let lastSent = Promise.resolve(); // requests are sent in order, so that an undo follows its verdict
let isFetching = false;
let isEnd = false;
let fetchError = null; // the line that reports that answers could not be fetched

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
    const counter = document.querySelector(`[data-count="${name}"]`);
    if (!counter) continue;
    const before = Number(counter.textContent.replaceAll(",", ""));
    counter.textContent = Math.max(0, before + step).toLocaleString("en");
  }
}

function report(text) {
  const line = document.createElement("p");
  line.textContent = text;
  notice.hidden = false;
  notice.replaceChildren(line);
  return line;
}

// Undo concerns the last verdict given on this page; before there is one, the server's choice.
function updateUndo() {
  const last = judged.at(-1);
  if (!last) return;
  undoForm.hidden = false;
  undoForm.action = last.querySelector(".take-back").action;
  undoForm.querySelector(".last").textContent = `your last verdict: ${last.dataset.judged}, ${wordsOf(last)}`;
}

function judge(article, form, submitter) {
  const verdict = new FormData(form, submitter);
  article.dataset.judged = (submitter.firstChild || submitter).textContent.trim().toLowerCase();
  judged.push(article);
  if (judged.length > MAX_UNDO) judged.shift().remove();
  notice.hidden = true;
  show(ahead()[0]);
  count(1);
  updateUndo();
  send(article, form.action, verdict, () => putBack(article));
  fetchMore();
}

function putBack(article) {
  const index = judged.indexOf(article);
  if (index >= 0) judged.splice(index, 1);
  delete article.dataset.judged;
  count(-1);
  queue.prepend(article);
  show(article);
  updateUndo();
}

function undo() {
  const article = judged.at(-1);
  if (!article) return undoForm.hidden ? undefined : undoForm.requestSubmit();
  const form = article.querySelector(".take-back");
  putBack(article);
  send(article, form.action, new FormData(form), () => {});
}

const post = (address, options) =>
  fetch(address, { ...options, method: "POST", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT) });

// A refusal is reported. An answer whose verdict could not be sent comes back to be judged again.
function send(article, address, body, bringBack) {
  const id = article.dataset.review;
  known.add(id);
  pending.set(id, (pending.get(id) || 0) + 1);
  lastSent = lastSent.then(async () => {
    try {
      const headers = { "X-Requested-With": "fetch" };
      const answer = await post(address, { body, headers, keepalive: true });
      const isSignedOut = answer.type === "opaqueredirect" || answer.status === 403;
      if (isSignedOut) throw new Error("You are signed out. Sign in again, then judge this once more.");
      if (answer.status >= 500) throw new Error("The site has a fault. Judge this once more.");
      if (!answer.ok) await reportRefusal(article, answer);
    } catch (error) {
      const isOurs = error.constructor === Error; // else it is the network's
      report(isOurs ? error.message : "The verdict could not be sent. Judge this once more.");
      if (article.isConnected && article.dataset.judged) bringBack();
    }
    if (pending.get(id) > 1) pending.set(id, pending.get(id) - 1);
    else pending.delete(id);
  });
}

async function reportRefusal(article, answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const reason = page.querySelector(".refused, main .lead");
  report(`${wordsOf(article)}: ${reason ? reason.textContent.trim() : "This verdict was refused."}`);
  count(-1);
}

// Claim the next answers; the form brings the CSRF token.
async function fetchMore() {
  if (isEnd && !ahead().length) return finish();
  if (isFetching || isEnd || ahead().length >= MIN_AHEAD) return;
  isFetching = true;
  known = new Set([...ahead().map((article) => article.dataset.review), ...pending.keys()]);
  const body = new FormData(undoForm);
  body.set("exclude", [...known].join(","));
  const text = await post(queue.dataset.more, { body })
    .then((answer) => (answer.ok ? answer.text() : null))
    .catch(() => null);
  isFetching = false;
  if (text !== null) append(text);
  fetchError?.remove();
  notice.hidden ||= !notice.hasChildNodes();
  if (!current()) show(ahead()[0]);
  if (text !== null) fetchMore();
  else if (!ahead().length) retry(); // else the next verdict does
}

function retry() {
  fetchError = report("The next answers could not be fetched. They are requested again every few seconds.");
  setTimeout(fetchMore, RETRY_AFTER);
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

// When everything has been sent, the server's page shows what is left.
function finish() {
  lastSent.then(() => {
    if (!ahead().length && !pending.size) location.reload();
  });
}

if (queue) {
  queue.addEventListener("submit", (event) => {
    event.preventDefault();
    const article = event.target.closest("article");
    if (!article.hidden) judge(article, event.target, event.submitter);
  });

  // Keys work while the focus is on the verdict, where it is from the start except on touch
  // screens, and never in a text field. A key that is held down counts once.
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
    if (!judged.length) return;
    event.preventDefault();
    undo();
  });

  window.addEventListener("beforeunload", (event) => {
    if (pending.size) event.preventDefault();
  });

  focusOn(current());
  fetchMore();
}
