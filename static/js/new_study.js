// Derives the short name of a new study from its title until the user edits the short name.
"use strict";

const title = document.querySelector("[name=title]");
const slug = document.querySelector("[name=slug]");
const suggest = (text) =>
  text
    .normalize("NFKD")
    .replace(/[^\w\s-]/g, "")
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, "-")
    .slice(0, 50);

let last = suggest(title.value);
title.addEventListener("input", () => {
  if (slug.value && slug.value !== last) return;
  last = suggest(title.value);
  slug.value = last;
});
