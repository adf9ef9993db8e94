// Counts down the time of a task, and redirects when its frame reports the submission.
const left = document.querySelector("[data-seconds-left]");
const end = Date.now() + 1000 * Number(left.dataset.secondsLeft);

function two(number) {
  return String(number).padStart(2, "0");
}

function show() {
  const seconds = Math.max(0, Math.round((end - Date.now()) / 1000));
  const hours = Math.floor(seconds / 3600);
  left.textContent = `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

setInterval(show, 1000);

const frame = document.querySelector("iframe");
frame.addEventListener("load", () => {
  let shown;
  try {
    shown = frame.contentDocument;
  } catch {
    return; // the task itself, from elsewhere
  }
  if (shown && shown.getElementById("submitted")) {
    location.assign(frame.closest("[data-after-work]").dataset.afterWork);
  }
});
