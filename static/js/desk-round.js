/* The replay of a round. A step is a link; where possible it is followed by fetching the same page in place. Arrow keys,
   Home and End work too. Its report, like a letter, is recorded first, then the PDF comes. */

import { SIGNED_OUT_CODES, uuid7 } from "./acts.js";
import { post, signInLink } from "./dialogs.js";

const DIRECTIONS = { ArrowLeft: "before", ArrowRight: "after", Home: "first", End: "last" };
let requests = 0;

async function show(url, addToHistory) {
  requests += 1;
  const request = requests;
  const response = await fetch(url, { headers: { Accept: "text/html" } }).catch(() => null);
  if (request !== requests) return;
  if (!response?.ok || response.redirected) return location.assign(url);
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("page");
  const direction = document.activeElement?.dataset?.move;
  const scroll = document.querySelector(".round-acts ol")?.scrollTop ?? 0;
  document.getElementById("page").replaceWith(document.adoptNode(fresh));
  if (addToHistory) history.pushState(null, "", url);
  const list = document.querySelector(".round-acts ol");
  if (list) list.scrollTop = scroll;
  const sameLink = direction && document.querySelector(`a[data-move="${direction}"]`);
  (sameLink || document.querySelector(".round-acts .current .go") || fresh).focus({ preventScroll: true });
  document.querySelector(".round-acts .current")?.scrollIntoView({ block: "nearest" });
  dispatchEvent(new CustomEvent("screen:applied"));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  show(link.href, true);
});

document.addEventListener("keydown", (event) => {
  const direction = DIRECTIONS[event.key];
  const isTyping = event.target.closest("input, select, textarea, dialog");
  if (!direction || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const link = document.querySelector(`a[data-move="${direction}"]`);
  if (!link) return;
  event.preventDefault();
  show(link.href, true);
});

addEventListener("popstate", () => show(location.href, false));

async function printReport(button) {
  const box = button.closest("[data-print]");
  const { print: url, table, number, printed } = box.dataset;
  const message = box.querySelector("[data-print-refused]");
  button.setAttribute("aria-busy", "true");
  const params = box.dataset.letterOf ? { case: box.dataset.letterOf }
    : { table, number: Number(number), seat: Number(button.dataset.printSeat) };
  const { refusal, answer } = await post(url, { command: uuid7(), "seen": 0, params });
  button.removeAttribute("aria-busy");
  message.hidden = !refusal;
  if (!refusal) return location.assign(printed.replace(/[^/]*$/, `${answer.sha256}.pdf`));
  message.textContent = `${refusal.title} ${refusal.message}`;
  if (SIGNED_OUT_CODES.includes(refusal.code)) message.append(" ", signInLink());
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-print-seat], [data-print-letter]");
  if (button && !button.getAttribute("aria-busy")) printReport(button);
});

const JOB_POLL_INTERVAL = 500, MAX_JOB_POLLS = 120;

/* The link of a finished export in the list of exports; null while it is written. Throws what a person reads. */
async function finishedExport(listUrl, job) {
  const response = await fetch(listUrl, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
  if (!response?.ok) return null;
  const row = new DOMParser().parseFromString(await response.text(), "text/html").getElementById(`job-${job}`);
  if (row?.classList.contains("job--failed")) throw new Error("Not done. The page of the exports says why.");
  return row?.querySelector("a[download]") ?? null;
}

/* The sheets of a round are requested, written by the worker, and then downloaded. */
async function takeSheets(button) {
  const { sheets: url, list, table, number } = button.closest("[data-sheets]").dataset;
  const state = button.parentElement.querySelector("[data-sheets-state]");
  const message = button.parentElement.querySelector("[data-print-refused]");
  button.setAttribute("aria-busy", "true");
  message.hidden = true;
  const params = { kind: "sheets-xlsx", table, number: Number(number) };
  const { refusal, answer } = await post(url, { command: uuid7(), "seen": 0, params });
  try {
    if (refusal) throw new Error(`${refusal.title} ${refusal.message}`);
    state.textContent = "being written";
    let link = null;
    for (let polls = 0; !(link = await finishedExport(list, answer.job)); polls += 1) {
      if (polls === MAX_JOB_POLLS) throw new Error("They are still being written. You will find them among the exports.");
      await new Promise((resolve) => setTimeout(resolve, JOB_POLL_INTERVAL));
    }
    state.textContent = "XLSX, downloaded";
    location.assign(link.getAttribute("href"));
  } catch (problem) {
    message.hidden = false;
    message.textContent = problem.message;
    state.textContent = "XLSX";
    if (SIGNED_OUT_CODES.includes(refusal?.code)) message.append(" ", signInLink());
  }
  button.removeAttribute("aria-busy");
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-take-sheets]");
  if (button && !button.getAttribute("aria-busy")) takeSheets(button);
});
