// Adds the reader's own time to the instants of a shared task.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" });

for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (zone === "UTC" || Number.isNaN(at.getTime())) continue;
  const own = document.createElement("span");
  own.className = "zone";
  own.textContent = `${format.format(at)} your time (${zone.replaceAll("_", " ")})`;
  time.append(own);
}
