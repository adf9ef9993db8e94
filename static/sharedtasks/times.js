// Adds the reader's own time to the instants of a shared task, with seconds if it has any.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });
const minutes = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const seconds = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

for (const time of document.querySelectorAll("time[datetime]:not([data-listed])")) {
  const at = new Date(time.dateTime);
  if (zone === "UTC" || Number.isNaN(at.getTime())) continue;
  const own = document.createElement("span");
  const clock = at.getSeconds() ? seconds : minutes;
  own.className = "zone";
  own.textContent = `${day.format(at)}, ${clock.format(at)} your time (${zone.replaceAll("_", " ")})`;
  time.append(own);
}
