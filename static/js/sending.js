// Sends the form of an item page in the background, so that no failure of the network replaces the
// page: the answer is kept and sent again until the server has it. The server counts a repeated
// answer once. Without this script the browser sends the form.
"use strict";

{
  const script = document.currentScript;
  const KEPT = "typed";
  const PATIENCE = 30_000; // ms for one attempt
  const PAUSES = [2, 4, 8, 15, 30]; // seconds between attempts; then the last one
  const NEXT = "text/plain"; // content type of the address to go to
  const BUSY = 429;

  const findForm = () => document.querySelector("main form");
  const button = () => findForm().querySelector("button:not([type=button])");
  const outbox = () => document.querySelector(".outbox");

  // Keep typed words until they are sent: for a reload, going back, and a page in between.
  const fields = () => [
    ...findForm().querySelectorAll(".word, .scale input:not([type=range], [type=hidden]), .scale textarea"),
  ];
  const isOption = (field) => field.matches("[type=radio], [type=checkbox]");
  const keep = () => {
    const values = fields().map((field) => (isOption(field) ? field.checked : field.value));
    inStorage((storage) => storage.setItem(KEPT, JSON.stringify([location.pathname, values])));
  };
  const forget = () => inStorage((storage) => storage.removeItem(KEPT));
  const restore = () =>
    inStorage((storage) => {
      const [path, values] = JSON.parse(storage.getItem(KEPT)) || [];
      if (path !== location.pathname) return storage.removeItem(KEPT);
      if (fields().some((field) => (isOption(field) ? field.checked : field.value))) return;
      fields().forEach((field, n) => {
        if (isOption(field)) field.checked = values[n];
        else field.value = values[n];
      });
      document.dispatchEvent(new Event("restored"));
    });
  const inStorage = (act) => {
    try {
      act(sessionStorage);
    } catch {
      // Some frames have no storage; nothing is kept there.
    }
  };

  // Each attempt ends in the next page, in an error shown on this one, or in another attempt.
  let isSending = false;
  let retry = null;
  let n_failed = 0;

  const send = async () => {
    if (isSending) return;
    isSending = true;
    clearTimeout(retry);
    retry = null;
    const label = button().textContent;
    button().textContent = script.dataset.sending;
    const stopped = new AbortController();
    const timeout = setTimeout(() => stopped.abort(), PATIENCE);
    let next;
    try {
      next = await post(stopped.signal);
    } catch {
      next = waitForConnection;
    }
    clearTimeout(timeout);
    isSending = false;
    if (next !== leave) button().textContent = label;
    next();
  };

  let address, page; // of the last answer
  const post = async (signal) => {
    const answer = await fetch(location.href, {
      method: "POST",
      body: new URLSearchParams(new FormData(findForm())),
      headers: { "X-Requested-With": "fetch" },
      signal,
    });
    const text = await answer.text();
    const type = answer.headers.get("content-type") ?? "";
    if (answer.status >= 500 || answer.status === BUSY) return waitForSite;
    address = answer.redirected ? answer.url : text;
    if (answer.redirected || (answer.ok && type.startsWith(NEXT))) return leave;
    page = new DOMParser().parseFromString(text, "text/html");
    const isOurs = !answer.ok && page.querySelector("main"); // and not the page of another network
    return isOurs ? show : waitForConnection;
  };

  const leave = () => {
    forget();
    n_failed = 0;
    isSending = true;
    setTimeout(reopen, PATIENCE);
    location.assign(address);
  };

  const show = () => {
    n_failed = 0;
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    wasClicked = false;
    prepare();
    document.dispatchEvent(new Event("replaced"));
    const [fault] = ["[autofocus]", "[role=alert]", "h1"].flatMap((one) => [
      ...document.querySelectorAll(one),
    ]);
    if (!fault.matches("input, textarea")) fault.tabIndex = -1;
    fault.focus();
  };

  const waitForConnection = () => wait(script.dataset.offline);
  const waitForSite = () => wait(script.dataset.trouble);
  const wait = (reason) => {
    const pause = PAUSES[Math.min(n_failed, PAUSES.length - 1)];
    n_failed += 1;
    if (outbox().textContent !== reason) outbox().textContent = reason; // announced once
    retry = setTimeout(send, 1000 * pause);
  };

  const sendNow = () => {
    if (retry !== null && navigator.onLine && document.visibilityState === "visible") send();
  };
  const reopen = () => {
    if (isSending) button().textContent = button().dataset.label;
    isSending = false;
  };

  // The second click of a double click may reach the page that the first one opened, where it would
  // choose a point or send a form that nobody has read: it does nothing there.
  let wasClicked = false;
  const ignoreLeftover = (event) => {
    if (event.detail > 1 && !wasClicked) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else wasClicked = true;
  };

  // The place where the state of the sending is announced, also by screen readers.
  const prepare = () => {
    if (!findForm()) return;
    const status = document.createElement("p");
    status.className = "outbox";
    status.setAttribute("role", "status");
    Object.assign(status.dataset, script.dataset);
    findForm().append(status);
    button().dataset.label = button().textContent;
  };

  prepare();
  restore();
  document.addEventListener("input", keep);
  window.addEventListener("click", ignoreLeftover, { capture: true });
  window.addEventListener("submit", (event) => {
    if (event.target !== findForm()) return;
    event.preventDefault();
    keep();
    send();
  });
  window.addEventListener("online", sendNow);
  document.addEventListener("visibilitychange", sendNow);
  window.addEventListener("pageshow", (event) => event.persisted && reopen());
  window.addEventListener("beforeunload", (event) => retry !== null && event.preventDefault());
}
