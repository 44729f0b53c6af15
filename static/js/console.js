/* The dealer's console. The server says what is on the table; the selected chip and seat are known here alone. */

import "./live.js";
import "./clocks.js";
import { ActQueue, consoleSender } from "./acts.js";
import { sendAlertActsThrough } from "./alerts.js";
import { ConsoleDialog } from "./console-dialog.js";
import { Dice, countFaces, facesToGo, spellFaces, totalOf } from "./dice.js";
import { Inspection } from "./inspection.js";
import { Posts } from "./posts.js";
import { Refusal } from "./refusal.js";
import { Taps } from "./taps.js";

const screen = document.querySelector("live-screen");
const urls = { ...screen.dataset };
const readState = () => JSON.parse(document.getElementById("state").textContent);
let state = readState();

const refusalBox = new Refusal();
const refuse = (refusal, anchor) => refusalBox.show(refusal, anchor);
const queue = new ActQueue(screen, urls);
const send = consoleSender({ queue, flushTaps: () => taps.flush(), currentState: () => state });
sendAlertActsThrough(send);

/* A game whose folder has a console.js may place wagers in another way (`Taps`) and add to the console (`Extension`). */
const { script } = document.getElementById("screen").dataset;
const game = script ? await import(script) : {};

const taps = new (game.Taps ?? Taps)({ send, state, refuse });
const posts = new Posts(state, urls.me);
const extension = game.Extension ? new game.Extension(state, posts) : null;
const dialog = new ConsoleDialog({ send: extension?.onNewestPlay?.(send) ?? send, state: correctableState(state) });
const inspection = new Inspection({ urls, refuse });
const dice = new Dice(() => document.getElementById("slots"), paintNextFromDice);
taps.chip ||= state.chips.find((cents) => cents >= state.limits.min_cents) ?? state.chips[0];

/* What can be corrected: in a game with plays, the newest play and the wagers on the whole game. */
function correctableState(current) {
  const newestPlay = current.round.game?.track?.length ?? 0;
  const wagers = current.round.wagers.filter(({ play }) => (play ?? newestPlay) === newestPlay);
  return { ...current, round: { ...current.round, wagers } };
}

function paintNextFromDice({ faces, full, size, counted, invalid }) {
  const next = document.getElementById("next");
  if (next?.dataset.act !== "call_dice" || !document.getElementById("slots")) return;
  const reason = invalid && document.querySelector(`[data-invalid="${CSS.escape(invalid)}"]`);
  next.classList.toggle("next--off", !full && !reason);
  next.setAttribute("aria-disabled", !full && !reason);
  const setTexts = (label, detail) => {
    next.querySelector(".next-l").textContent = label;
    next.querySelector(".next-s").textContent = detail;
  };
  if (reason) setTexts(next.dataset.void, reason.dataset.say);
  else if (!full) setTexts("Tap the dice", facesToGo(size - faces.length));
  else setTexts(next.dataset.label, counted ? countFaces(faces) : `${spellFaces(faces)}: total ${totalOf(faces)}`);
}

/* The act and the parameters of a button now. Dice that are entered may be called, or called invalid. */
function actOf(button) {
  const { act, params } = button.dataset;
  if (params) return [act, JSON.parse(params)];
  if (act === "call_dice" && dice.invalid) return ["call_no_roll", { reason: dice.invalid }];
  if (act === "call_dice") return [act, { dice: dice.faces, ...(dice.leaning && { leaning: dice.leaning }) }];
  if (button.hasAttribute("data-next") && state.next) return [act, state.next.params];
  return [act, {}];
}

/* Faces that are not on this game's dice are refused beside the keys, clear of the slots. */
const keysFor = ({ code }) => code === "not-these-dice" ? document.querySelector("[data-pad]") : null;

function tapAct(button) {
  if (button.getAttribute("aria-disabled") === "true" || queue.isQueued(button.dataset.act)) return;
  sendAct(button, ...actOf(button));
}

async function sendAct(button, name, params) {
  const box = button.closest("dialog"), lost = posts.actsFor(name);
  box?.close();
  refusalBox.close();
  if (lost) return dialog.openForPost(name, params, lost);
  button.setAttribute("aria-busy", "true");
  const { refusal } = await send(name, params);
  button.removeAttribute("aria-busy");
  if (refusal) refuse(refusal, box ? null : keysFor(refusal) ?? button);
}

/* An act with a dialog. When there is nothing to ask, the act goes out. An inspection that is not complete does not. */
function openDialog(button) {
  const { ask: name } = button.dataset;
  if (button.getAttribute("aria-disabled") === "true") return inspection.scrollToOpenPart();
  if (queue.isQueued(name)) return;
  button.closest("dialog")?.close();
  refusalBox.close();
  taps.flush();
  const params = name === "inspect_table" ? inspection.params() : {};
  if (!dialog.open(name, params)) sendAct(button, name, params);
}

const ACTIONS = {
  "post": () => { posts.selectNext(); paint(); },
  "undo": () => taps.undo(),
  "clear-seat": () => taps.clearSeat(),
  "repeat-seat": () => taps.repeatSeat(),
  "repeat-all": (button) => taps.repeatAll(button),
  "face-back": () => dice.removeLast(),
  "faces-clear": () => dice.reset(),
  "lean": () => dice.countLeaning(),
  "free-seat": (button) => taps.freeSeat(button),
  "seat-player": (button) => taps.seatPlayer(taps.seat, button),
};

/* The second tap of a double tap was meant for the step before. */
const DOUBLE_TAP = 250;
let stepTime = -DOUBLE_TAP;
const isSecondTap = (button, clicks) =>
  button.id === "next" && clicks > 1 && performance.now() - stepTime < DOUBLE_TAP;

document.addEventListener("click", ({ target, detail: clicks }) => {
  const hit = (name) => target.closest(`[data-${name}]`);
  const area = target.closest("button[data-wager]");
  if (area) return taps.tap(area.dataset.wager, area);
  if (hit("seat")) return taps.selectSeat(Number(hit("seat").dataset.seat));
  if (hit("chip")) return taps.selectChip(Number(hit("chip").dataset.chip));
  if (hit("less")) return dice.remove(Number(hit("less").dataset.less));
  if (hit("invalid")) return dice.toggleInvalid(hit("invalid").dataset.invalid);
  if (hit("face")) return dice.add(Number(hit("face").dataset.face));
  if (hit("do")) {
    const button = hit("do"), { "do": action } = button.dataset, box = button.closest("dialog");
    box?.close();
    return (ACTIONS[action] ?? extension.actions[action])(box ? null : button);
  }
  if (hit("open")) {
    target.closest("dialog")?.close();
    paintOffers();
    return document.getElementById(hit("open").dataset.open).showModal();
  }
  if (hit("ask")) return isSecondTap(hit("ask"), clicks) ? undefined : openDialog(hit("ask"));
  if (target.closest("dialog [data-close]")) return target.closest("dialog").close();
  if (target.closest("#inspect")) return inspection.click(target);
  const button = target.closest("button[data-act]");
  if (button && !isSecondTap(button, clicks)) tapAct(button);
});

/* The list of other acts hides those that are not legal now. A floorperson may record a round settled manually until the
   dice of the current round are in. */
function paintOffers() {
  const isBeforeDice = ["betting", "say", "dice"].includes(document.getElementById("screen").dataset.mode);
  for (const item of document.querySelectorAll("[data-before-dice]")) item.hidden = !isBeforeDice;
  for (const item of document.querySelectorAll("[data-offer]"))
    item.hidden = !state.offers.includes(item.dataset.offer) || posts.postOf(item.dataset.offer) === null;
  for (const item of document.querySelectorAll("[data-of-seat]"))
    item.hidden = state.taken.includes(taps.seat) !== (item.dataset.ofSeat === "taken");
  const offered = document.querySelector("#more .choices > li:not([hidden]):not([data-no-offers])");
  document.querySelector("[data-no-offers]").hidden = offered !== null;
}

function applyState() {
  const before = state;
  state = readState();
  taps.state = posts.state = state;
  dialog.state = correctableState(state);
  if (JSON.stringify(before.next) !== JSON.stringify(state.next)) stepTime = performance.now();
  const isNewRound = before.round.number !== state.round.number;
  if (isNewRound) taps.startRound();
  if (isNewRound || before.round.phase !== state.round.phase) {
    refusalBox.close();
    dice.reset();
  } else dice.paint();
  paint();
}

/* The header shows who is signed in, even when that is not the dealer: a floorperson's taps are a floorperson's acts. */
function paintPerson() {
  const { me, meName, meRole } = screen.dataset;
  const label = document.querySelector(".who");
  if (!label || !me || me === state.dealer?.code) return;
  label.querySelector(".who-k").textContent = meRole;
  label.querySelector(".who-n").textContent = meName;
}

function paint() {
  paintPerson();
  posts.paint();
  extension?.apply(state);
  taps.paint();
  inspection.paint();
  paintOffers();
  refusalBox.dimNext();
}

screen.addEventListener("screen:applied", applyState);
addEventListener("pagehide", () => taps.flush());
dice.paint();
paint();
queue.resume();
document.documentElement.toggleAttribute("data-ready", true);  // from here on every tap is heard
