// Enhancements of the item pages and the comprehension check: keys, the slider, paradata. Every page
// works without them. `sending.js` sends the form and may replace the page's body, hence no listener
// is bound to an element.
"use strict";

{
  const DIGITS = "0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹";
  const SIGNS = { ".": ".", ",": ".", "٫": ".", "-": "-", "−": "-" };
  const TYPING_PAUSE = 1500; // ms, after which a digit that fits nothing begins another number
  const SECOND_THOUGHT = 1500; // ms, from a choice to its sending, if the study sends choices

  const find = (selector) => document.querySelector(`main form ${selector}`);
  const points = () => [...document.querySelectorAll(".points input")];
  const isTyping = (element) =>
    element.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=range])");
  const isNarrow = matchMedia("(max-width: 299px) and (scripting: enabled)"); // as in survey.css
  const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;

  // Seconds for which the page was visible until submission, including those before the form was
  // returned with errors.
  let seconds, since;
  const isVisible = () => document.visibilityState === "visible";
  const count = () => (since === null ? 0 : (performance.now() - since) / 1000);
  document.addEventListener("visibilitychange", () => {
    seconds += count();
    since = isVisible() ? performance.now() : null;
  });
  document.addEventListener("submit", (event) => {
    const visible = event.target.elements.namedItem("visible");
    if (visible) visible.value = (seconds + count()).toFixed(1);
    if (find(".as-row")) find("[name=layout]").value = isNarrow.matches ? "column" : "row";
    stopSending();
  });

  // Names of the fields into which text was pasted.
  document.addEventListener("paste", ({ target }) => {
    if (!target.matches?.("form .words input")) return;
    let note = target.form.elements.namedItem("pasted");
    if (!note) {
      note = document.createElement("input");
      note.type = "hidden";
      note.name = "pasted";
      target.form.append(note);
    }
    note.value += ` ${target.name}`;
  });

  // Keys are heard on the whole page, unless a field has the focus. A key held down since the
  // previous page is ignored.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") stopSending();
    else if (event.key === "Enter") handleEnter(event);
    else if (find(".scale") && !isTyping(event.target) && !event.repeat) handleDigit(event.key);
  });

  // Enter moves from the first to the second word, and sends otherwise.
  const handleEnter = (event) => {
    const { target } = event;
    if (target.closest("a, button, summary, textarea")) return;
    const words = [...document.querySelectorAll("form .words input")];
    const next = words[words.indexOf(target) + 1];
    if (event.repeat) event.preventDefault();
    else if (words.includes(target) && next && !next.value) {
      event.preventDefault();
      next.focus();
    } else if (find(".scale") && !isTyping(target)) {
      event.preventDefault();
      find(".scale").form.requestSubmit();
    }
  };

  const handleDigit = (key) => {
    const place = key.length === 1 ? DIGITS.indexOf(key) : -1;
    const read = place < 0 ? SIGNS[key] : String(place % 10);
    if (read === undefined) return;
    if (find(".number")) {
      find(".number").select(); // into which the key is typed now
      return bring(find(".number"));
    }
    const values = points().map((point) => point.value);
    if (!find(".figure")) return;
    if (values.every((value) => value.length === 1)) {
      if (values.includes(read)) choose(read, false);
    } else collect(values, read);
  };

  // A number of several characters: the point is chosen that is written so far. "1" may become "10",
  // however long that takes; a number that is not on the scale chooses nothing.
  let typed = "";
  let typedAt = 0;
  const collect = (values, character) => {
    const fits = (text) => values.some((value) => value.startsWith(text));
    const isLate = performance.now() - typedAt > TYPING_PAUSE;
    typedAt = performance.now();
    typed = fits(typed + character) || !isLate ? typed + character : character;
    const mayGrow = values.some((value) => value !== typed && value.startsWith(typed));
    if (values.includes(typed)) choose(typed, mayGrow);
    else {
      stopSending();
      points().forEach((point) => (point.checked = false));
    }
  };

  // Focus a field, and scroll no further than to see it: the question must stay in view.
  const bring = (field) => {
    field.focus({ preventScroll: true });
    (field.closest(".points label") ?? field).scrollIntoView({ block: "nearest" });
  };

  const choose = (value, mayGrow) => {
    const point = points().find((other) => other.value === value);
    point.checked = true;
    bring(point);
    find(".scale").dispatchEvent(new Event("input", { bubbles: true })); // to be kept
    if (mayGrow) stopSending();
    else sendSoon(point);
  };

  // If the study sends choices: after a moment, in which the choice can be taken back. A choice by
  // arrow keys passes over other points and is not sent.
  let timer = null;
  const sendSoon = (point) => {
    stopSending();
    if (!("sends" in find(".scale").dataset)) return;
    const { choice, undo } = find(".outbox").dataset;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet undo";
    button.textContent = undo;
    find(".outbox").replaceChildren(choice.replace("#", point.parentNode.querySelector(".figure, .words-of").textContent), " ", button);
    timer = setTimeout(() => point.form.requestSubmit(), SECOND_THOUGHT);
  };
  const stopSending = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    find(".outbox")?.replaceChildren();
  };
  document.addEventListener("click", (event) => {
    if (event.target.matches(".undo")) {
      stopSending();
      points().forEach((point) => (point.checked = false));
      points()[0].focus();
    } else if (event.target.matches(".points input") && event.detail > 0) sendSoon(event.target);
  });
  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".scale input")) return;
    typed = "";
    if (target.value === "cannot") stopSending();
  });

  // Of many points: the slider and the field show the same number. Untouched, the slider has neither
  // number nor thumb, and the keyboard reaches only the field.
  const readDigits = (text) =>
    text.replace(/[٠-٩۰-۹]/g, (digit) => DIGITS.indexOf(digit) % 10).replace(/[,٫−\u2066\u2069]/g, (sign) => SIGNS[sign] ?? "");
  const takeFromSlider = (slider) => {
    const own = find(".number").dataset.digits;
    find(".number").value = slider.value.replace(/\d/g, (digit) => own[digit]);
    find(".number").dispatchEvent(new Event("input", { bubbles: true }));
  };
  const showOnSlider = () => {
    const [slider, number] = [find(".slider"), find(".number")];
    if (!slider) return;
    slider.hidden = false;
    find("[name=layout]").value = "slider";
    if (number.value) slider.value = readDigits(number.value);
    slider.classList.toggle("untouched", !number.value);
    slider.tabIndex = number.value ? 0 : -1;
    slider.setAttribute("aria-valuetext", number.value || slider.dataset.none);
  };
  document.addEventListener("input", ({ target }) => {
    if (target.matches(".slider")) return takeFromSlider(target);
    if (target.matches(".number")) {
      showOnSlider();
      const cannot = find("[value=cannot]");
      if (cannot && target.value) cannot.checked = false;
    } else if (target.matches(".line ~ .cannot [value=cannot]") && target.checked) {
      find(".number").value = "";
      showOnSlider();
    }
  });
  document.addEventListener("pointerup", ({ target }) => {
    if (target.matches?.(".slider.untouched")) takeFromSlider(target); // where it is, in the middle
  });

  // Where there is a keyboard the first word can be typed at once, if its field is in view; screen
  // readers read the text with the field. On the rating nothing takes the focus, so that the text is read first.
  const focusFirstWord = () => {
    const [word, text] = [find(".words input"), document.querySelector("blockquote")];
    if (!word || !hasKeyboard || !text || find(".scale, [autofocus]")) return;
    const { top, bottom } = word.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) return;
    text.id = "text";
    word.setAttribute("aria-describedby", text.id);
    word.addEventListener("blur", () => word.removeAttribute("aria-describedby"), { once: true });
    word.focus({ preventScroll: true });
  };

  const begin = () => {
    seconds = Number(find("[name=visible]")?.value ?? 0);
    since = isVisible() ? performance.now() : null;
    showOnSlider();
  };
  begin();
  focusFirstWord();
  document.addEventListener("replaced", begin);
  document.addEventListener("restored", showOnSlider);
}
