"use strict";
// The controls of the explorer: search, filter, order, and the ratings of a pair when it is opened.
(() => {
  const ratings = JSON.parse(document.getElementById("ratings").textContent);
  const list = document.getElementById("pairs");
  const controls = document.getElementById("controls");
  const [search, filter, order] = ["search", "filter", "order"].map((id) => document.getElementById(id));
  const items = Array.from(list.children, (item) => ({
    item,
    text: fold(Array.from(item.querySelectorAll(".words, .text"), (part) => part.textContent).join(" ")),
  }));

  const FILTERS = {
    all: () => true,
    changed: (data) => Number(data.q) < 0.05,
    higher1: (data) => Number(data.change) < 0,
    higher2: (data) => Number(data.change) > 0,
  };

  // Letters without case and accents, so that "zena" finds "žena".
  function fold(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  }

  function update() {
    const wanted = fold(search.value.trim());
    let shown = 0;
    for (const { item, text } of items) {
      const fits = FILTERS[filter.value](item.dataset) && text.includes(wanted);
      item.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    document.getElementById("shown").textContent = `${shown} of ${items.length} pairs`;
  }

  function arrange() {
    const name = order.value.replace(/^-/, "");
    const sign = order.value.startsWith("-") ? -1 : 1;
    items.sort((a, b) => sign * (a.item.dataset[name] - b.item.dataset[name])
      || a.item.dataset.number - b.item.dataset.number);
    list.append(...items.map(({ item }) => item));
  }

  function addCell(row, tag, text) {
    const cell = document.createElement(tag);
    cell.textContent = text;
    row.append(cell);
    return cell;
  }

  function show(number) {
    return number === null ? "–" : String(number).replace("-", "−");
  }

  function fill(place) {
    const rows = ratings.pairs[place.dataset.pair - 1]?.[place.dataset.context - 1];
    if (!rows || place.firstChild) return;
    const table = document.createElement("table");
    table.createCaption().textContent = "Every rating";
    const head = table.createTHead().insertRow();
    for (const title of ["annotator", "rating", "calibrated", "left out because"]) {
      addCell(head, "th", title).scope = "col";
    }
    const body = table.createTBody();
    for (const [who, rating, calibrated, why] of rows) {
      const row = body.insertRow();
      addCell(row, "th", ratings.annotators[who]).scope = "row";
      addCell(row, "td", show(rating));
      addCell(row, "td", show(calibrated));
      addCell(row, "td", ratings.reasons[why]);
    }
    place.append(table);
    place.tabIndex = 0; // it scrolls sideways on a phone
    place.setAttribute("role", "region");
    place.setAttribute("aria-label", `Ratings of context ${place.dataset.context}`);
  }

  function openNamed() {
    const named = location.hash && document.getElementById(location.hash.slice(1));
    if (named instanceof HTMLDetailsElement) named.open = true;
  }

  list.addEventListener("toggle", (event) => {
    if (event.target.open) event.target.querySelectorAll(".ratings").forEach(fill);
  }, true);
  controls.addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", update);
  filter.addEventListener("change", update);
  order.addEventListener("change", arrange);
  window.addEventListener("hashchange", openNamed);
  controls.hidden = false;
  update();
  openNamed();
})();
