// Opens the drawer of a row in place; without it, the link of the row loads the page with the row open.
const table = document.querySelector("[data-drawers]");

async function open(link) {
  const row = link.closest("tr");
  const following = row.nextElementSibling;
  if (following?.matches(".drawer")) {
    following.hidden = !following.hidden;
    link.setAttribute("aria-expanded", String(!following.hidden));
    return;
  }
  const answer = await fetch(link.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const drawer = page.querySelector(".drawer");
  if (!drawer) throw new Error("the row is gone");
  if (row.nextElementSibling?.matches(".drawer")) return; // a double click
  row.after(document.adoptNode(drawer));
  link.setAttribute("aria-expanded", "true");
}

// The words open a row, and so does a click elsewhere in it that selects no text.
table?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const followed = event.target.closest("a");
  const link = followed ?? event.target.closest("tr[id]")?.querySelector("a[aria-expanded]");
  if (!link?.matches("[aria-expanded]") || (!followed && !getSelection().isCollapsed)) return;
  event.preventDefault();
  open(link).catch(() => location.assign(link.href));
});
