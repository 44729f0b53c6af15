/* The replay of a round: a step is a link, and goes by a fetch of the same page where it can. Arrow keys, Home and End too. */

const KEYS = { ArrowLeft: "before", ArrowRight: "after", Home: "first", End: "last" };
let asked = 0;

async function show(address, push) {
  const turn = ++asked;
  const answer = await fetch(address, { headers: { Accept: "text/html" } }).catch(() => null);
  if (turn !== asked) return;
  if (!answer?.ok || answer.redirected) return location.assign(address);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("room");
  const held = document.activeElement, way = held?.dataset?.way;
  const list = document.querySelector(".told ol"), scrolled = list?.scrollTop ?? 0;
  document.getElementById("room").replaceWith(document.adoptNode(fresh));
  if (push) history.pushState(null, "", address);
  const now = document.querySelector(".told ol");
  if (now) now.scrollTop = scrolled;
  const same = way && document.querySelector(`a[data-way="${way}"]`);
  (same || document.querySelector(".told .here .go") || fresh).focus({ preventScroll: true });
  document.querySelector(".told .here")?.scrollIntoView({ block: "nearest" });
  dispatchEvent(new CustomEvent("screen:applied"));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  show(link.href, true);
});

document.addEventListener("keydown", (event) => {
  const way = KEYS[event.key];
  const busy = event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey;
  const link = way && !busy && document.querySelector(`a[data-way="${way}"]`);
  if (!link) return;
  event.preventDefault();
  show(link.href, true);
});

addEventListener("popstate", () => show(location.href, false));
