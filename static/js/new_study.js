// The short name of a new study follows its title until somebody writes one.
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
