/* The dealer's console. The server says what is on the table; the selected chip and seat are known here alone. */

import "./live.js";
import "./clocks.js";
import { ActQueue, consoleSender } from "./acts.js";
import { Ahead, DICE_ACT } from "./ahead.js";
import { sendAlertActsThrough } from "./alerts.js";
import { AreaPanel } from "./area-panel.js";
import { BuyIn } from "./buy-in.js";
import { ChipDrag } from "./chip-drag.js";
import { tellOfOthers } from "./connection.js";
import { ConsoleDialog, NEEDS_FLOOR } from "./console-dialog.js";
import { previewFrom } from "./correction-preview.js";
import { DeviceSettings } from "./device.js";
import { Dice, countFaces, facesToGo, spellFaces, totalOf } from "./dice.js";
import { formatTime } from "./facility-time.js";
import { Holds } from "./hold.js";
import { Inspection } from "./inspection.js";
import { Updates, WakeLock, drawWhole, keepStorage, reportBattery } from "./kiosk.js";
import { LastDie } from "./last-die.js";
import { LastPayment } from "./last-payment.js";
import { watchNextKey } from "./next-key.js";
import { Posts } from "./posts.js";
import { QuickTaps } from "./quick-taps.js";
import { Refusal } from "./refusal.js";
import { ReliefView } from "./relief.js";
import { SeenList } from "./seen-lines.js";
import { Taps } from "./taps.js";
import { storeStep } from "./waiting-acts.js";

const screen = document.querySelector("live-screen");
const urls = { ...screen.dataset };
/* The wagers come by seat, so that a push has those of one seat alone. */
function readState() {
  const state = JSON.parse(document.getElementById("state").textContent);
  state.round.wagers = state.round.wagers.flat();
  return state;
}
let state = readState();
let silent = [];  // posts whose tablets have no line (tables/views/sockets.py)

/* These see every tap first. */
Holds.watch(document);
QuickTaps.watch(document);

const deviceSettings = new DeviceSettings();
const refusalBox = new Refusal();
const refuse = (refusal, anchor) => refusalBox.show(refusal, anchor);
const queue = new ActQueue(screen, urls);
const send = consoleSender({ queue, flushTaps: () => taps.flush(), currentState: () => state });
sendAlertActsThrough(send);

/* A game whose folder has a console.js may place wagers in another way (`Taps`) and add to the console (`Extension`). */
const { script } = document.getElementById("screen").dataset;
const game = script ? await import(script) : {};

const taps = new (game.Taps ?? Taps)({ send, state, refuse, isClosing: () => ahead.isClosing });
const panel = new AreaPanel(taps);
const buyIn = new BuyIn({ taps, send, refuse, address: urls.buyIns });
const drag = ChipDrag.watch(taps, panel);
const posts = new Posts(state, urls.me);
const extension = game.Extension ? new game.Extension(state, posts) : null;
const onNewestPlay = (run) => extension?.onNewestPlay?.(run) ?? run;
const dialog = new ConsoleDialog({
  send: onNewestPlay(send), state: correctableState(state), fetchPreview: onNewestPlay(previewFrom(urls.correction)), refuse,
  draft: `${location.pathname} ${urls.me} dialog`,
});
const inspection = new Inspection({ urls, refuse });
const relief = new ReliefView(document.querySelector("[data-relief-view]"), urls.relief, finishHere);
const seenList = new SeenList(), lastPayment = new LastPayment();
const dice = new Dice(() => document.getElementById("slots"), paintNextFromDice, () => document.getElementById("reading"));
const ahead = new Ahead({ queue, dice, currentState: () => state, painted: () => paint() });
LastDie.watch({ dice, call: () => tapAct(document.getElementById("next")) });
taps.chip ||= state.chips.find((cents) => cents >= state.limits.min_cents) ?? state.chips[0];

/* What can be corrected: in a game with plays, the newest play and the wagers on the whole game. */
function correctableState(current) {
  const newestPlay = current.round.game?.track?.length ?? 0;
  const wagers = current.round.wagers.filter(({ play }) => (play ?? newestPlay) === newestPlay);
  return { ...current, round: { ...current.round, wagers } };
}

function paintNextFromDice({ faces, full, size, counted, invalid, read }) {
  const next = document.getElementById("next");
  if (next?.dataset.act !== "call_dice" || !document.getElementById("slots")) return;
  const reason = invalid && document.querySelector(`[data-invalid="${CSS.escape(invalid)}"]`);
  const isOff = !full && !reason && !read;
  next.classList.toggle("next--off", isOff);
  next.setAttribute("aria-disabled", isOff);
  const setTexts = (label, detail) => {
    next.querySelector(".next-l").textContent = label;
    next.querySelector(".next-s").textContent = detail;
  };
  if (reason) setTexts(next.dataset.void, reason.dataset.say);
  else if (read && counted) setTexts("Confirm the reading", countFaces(read));
  else if (read) setTexts(`Confirm ${read.join(" ")}`, document.getElementById("reading").dataset.say);
  else if (!full && counted && faces.length) {
    const missing = size - faces.length;
    setTexts(`Enter ${missing} more ${missing === 1 ? "die" : "dice"}`, `${faces.length} of ${size}`);
  } else if (!full) setTexts("Tap the dice", facesToGo(size - faces.length) + (size - faces.length === 1 ? ": hold it to call" : ""));
  else setTexts(next.dataset.label, counted ? countFaces(faces) : `${spellFaces(faces)}: total ${totalOf(faces)}`);
}

/* The faces that were entered before the throw was called no roll: those that can be read. */
const readableFaces = () => (extension?.faces ?? dice.faces).filter(Boolean);

/* The act and the parameters of a button now. Dice that are entered may be called, or called invalid. */
function actOf(button) {
  const { act, params } = button.dataset;
  if (act === "call_no_roll") return [act, { ...JSON.parse(params), faces_read: readableFaces() }];
  if (params) return [act, JSON.parse(params)];
  if (act === "call_dice" && dice.invalid) return ["call_no_roll", { reason: dice.invalid, faces_read: readableFaces() }];
  if (act === "call_dice") return [act, { dice: dice.read ?? dice.faces, ...(dice.leaning && { leaning: dice.leaning }) }];
  if (button.hasAttribute("data-next") && state.next) return [act, state.next.params];
  return [act, {}];
}

/* Faces that are not on this game's dice are refused beside the keys, clear of the slots. */
const keysFor = ({ code }) => code === "not-these-dice" ? document.querySelector("[data-pad]") : null;

function tapAct(button) {
  if (button.getAttribute("aria-disabled") === "true" || queue.isQueued(button.dataset.act)) return;
  sendAct(button, ...actOf(button));
}

/* A refusal that says which dice it is about: it may come long after they were entered. */
function withDice(refusal, name, { dice: faces } = {}) {
  if (!refusal || name !== DICE_ACT || !faces) return refusal;
  return { ...refusal, message: `Dice ${faces.join(", ")} were not recorded. ${refusal.message ?? ""}`.trim() };
}

/* What the page before has sent and the table has refused. */
function tellOfResumed({ act, body: { params } }, { refusal }) {
  if (refusal) refuse(act === "place_wagers" ? taps.withWagers(refusal, params.wagers) : withDice(refusal, act, params), null);
}

async function sendAct(button, name, params) {
  const box = button.closest("dialog"), lost = posts.actsFor(name);
  box?.close();
  refusalBox.closeUnlessToRead();
  if (lost) return dialog.openForPost(name, params, lost);
  button.setAttribute("aria-busy", "true");
  const response = await send(name, params);
  const refusal = ahead.hasShown(params.dice) ? withDice(response.refusal, name, params) : response.refusal;
  button.removeAttribute("aria-busy");
  if (refusal && NEEDS_FLOOR.includes(refusal.code)) return dialog.openForFloor(name, params);
  if (refusal) refuse(refusal, box ? null : keysFor(refusal) ?? button);
}

/* An act with a dialog. When there is nothing to ask, the act goes out. An inspection that is not complete does not. */
function openDialog(button) {
  const { ask: name } = button.dataset;
  if (button.getAttribute("aria-disabled") === "true") return inspection.scrollToOpenPart();
  if (queue.isQueued(name)) return;
  button.closest("dialog")?.close();
  refusalBox.closeUnlessToRead();
  taps.flush();
  const params = name === "inspect_table" ? inspection.params() : {};
  if (!dialog.open(name, params)) return sendAct(button, name, params);
  if (button.dataset.die) dialog.chooseDie(Number(button.dataset.die));
}

const ACTIONS = {
  "post": () => { posts.selectNext(); paint(); rememberStep(); },
  "undo": (button) => taps.undo(button),
  "open-area": () => panel.toggleOpening(),
  "clear-seat": () => taps.clearSeat(),
  "repeat-seat": () => taps.repeatSeat(),
  "repeat-all": (button) => taps.repeatAll(button),
  "change-dice": () => ahead.changeDice(),
  "face-back": () => dice.removeLast(),
  "faces-clear": () => dice.reset(),
  "lean": () => dice.countLeaning(),
  "free-seat": (button) => taps.freeSeat(button),
  "seat-away": (button) => taps.markSeat("away", button),
  "seat-back": (button) => taps.markSeat("here", button),
  "seat-player": (button) => taps.seatPlayer(taps.seat, button),
};

function selectSeat(button) {
  const seat = Number(button.dataset.seat);
  if (!panel.takesSeat(seat, button)) taps.selectSeat(seat);
  buyIn.paint();
}

const BETS_CLOSED = {
  code: "late-wager", title: "Not placed", section: "",
  message: "No more bets: the wagers of this round are closed. Give the chips back. "
    + "If they were there before and were not entered, use Missed wager, with a floorperson’s PIN.",
};

/* A tap on an empty area after no more bets and before the dice is a late wager. */
function isLate(area) {
  const { mode } = document.getElementById("screen").dataset, { wager } = area.dataset;
  if (!["say", "dice"].includes(mode) || state.round.bets_open || document.getElementById("inspect")) return false;
  return !state.round.wagers.some((placed) => placed.wager === wager);
}

document.addEventListener("click", ({ target }) => {
  const hit = (name) => target.closest(`[data-${name}]`);
  const area = target.closest(".area[data-wager]");
  if (area && isLate(area)) return refuse(BETS_CLOSED, area);
  if (area) return panel.takesTap(area) ? undefined : taps.tap(area.dataset.wager, area);
  if (hit("seat")) return selectSeat(hit("seat"));
  if (hit("chip")) return taps.selectChip(Number(hit("chip").dataset.chip));
  if (hit("less")) return dice.remove(Number(hit("less").dataset.less));
  if (hit("invalid")) return dice.toggleInvalid(hit("invalid").dataset.invalid);
  if (hit("face")) return dice.add(Number(hit("face").dataset.face));
  if (hit("do")) {
    const button = hit("do"), { "do": action } = button.dataset, box = button.closest("dialog");
    box?.close();
    return (ACTIONS[action] ?? buyIn.actions[action] ?? extension.actions[action])(box ? null : button);
  }
  if (hit("open")) {
    target.closest("dialog")?.close();
    paintOffers();
    deviceSettings.paint();
    if (hit("open").dataset.open === "people") relief.show();
    return document.getElementById(hit("open").dataset.open).showModal();
  }
  if (hit("ask")) return openDialog(hit("ask"));
  if (target.closest("dialog [data-close]")) return target.closest("dialog").close();
  if (target.closest("#inspect")) return inspection.click(target);
  const button = target.closest("button[data-act]");
  if (button) tapAct(button);
});

/* The list of other acts hides those that are not legal now. */
function paintOffers() {
  for (const item of document.querySelectorAll("[data-offer]"))
    item.hidden = !state.offers.includes(item.dataset.offer) || posts.postOf(item.dataset.offer) === null;
  for (const item of document.querySelectorAll("[data-of-seat]"))
    item.hidden = !item.dataset.ofSeat.split(" ").includes(state.seat_states[taps.seat]);
  const offered = document.querySelector("#more .choices > li:not([hidden]):not([data-no-offers])");
  document.querySelector("[data-no-offers]").hidden = offered !== null;
}

/* Before somebody else signs in here: what was tapped is taken, and the end of this sign-in does not take the page away. */
async function finishHere() {
  taps.flush();
  await new Promise((resolve) => {
    const look = () => {
      if (queue.busy) return;
      removeEventListener("acts:waiting", look);
      resolve();
    };
    addEventListener("acts:waiting", look);
    look();
  });
  screen.stop();
}

/* Somebody came to the post of the person who is signed in here, by a relief from the podium or another tablet: this one
   asks for their PIN. What was tapped before is answered first. */
function leaveIfRelieved(before) {
  const postAt = (holders) => Object.keys(holders).find((post) => holders[post]?.code === urls.me);
  const post = postAt(before.posts), came = post && state.posts[post];
  if (!came || postAt(state.posts)) return;
  finishHere().then(() => location.assign(`${screen.getAttribute("sign-in")}?${new URLSearchParams({ person: came.code, post })}`));
}

function applyState() {
  const before = state;
  state = readState();
  leaveIfRelieved(before);
  taps.state = posts.state = state;
  ahead.applied();
  dialog.state = correctableState(state);
  const isOther = hasChanged(before, state) || JSON.stringify(before.round) !== JSON.stringify(state.round);
  dialog.screenApplied(isOther);
  const isNewRound = before.round.number !== state.round.number;
  if (isNewRound) taps.startRound();
  if (isNewRound || before.round.phase !== state.round.phase) {
    refusalBox.closeUnlessToRead();
    panel.close();
    drag.cancel();
    dice.reset(ahead.waitingDice);  // dice that wait stay in sight until the table has them
  } else {
    if (hasChanged(before, state)) refusalBox.closeOld();
    dice.paint();
  }
  paint();
  rememberStep();
}

/* What refusals are about: the wagers, the dice and the equipment, the limits, and what may be done. */
const MATTERS = ["next", "offers", "limits", "shaker", "lot", "status", "taken", "seat_states", "posts", "stopped"];

function hasChanged(before, now) {
  const changed = (name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]);
  return MATTERS.some(changed) || JSON.stringify(before.round.wagers) !== JSON.stringify(now.round.wagers);
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
  tellOfOthers(...posts.adviceOfSilent(silent));
  extension?.apply(state);
  taps.paint();
  panel.paint();
  inspection.paint();
  seenList.apply();
  lastPayment.apply();
  paintOffers();
  ahead.paintDice();
  refusalBox.dimNext();
}

/* Between rounds, with a line, and with nothing on its way or in hand, the page may be loaded again for a newer build. */
function isBetweenRounds() {
  const { round, status } = state, { live } = document.documentElement.dataset;
  if (live === "dead" || queue.busy || document.querySelector("dialog[open], :popover-open, .refusal:not([hidden]), .buy-in:not([hidden])")) return false;
  return status === "open" && round.bets_open && !round.wagers.length && !taps.sums().seats.size;
}

/* What the box of the connection says (connection.js), and the page without a line, if this one is loaded again while there
   is none (no-line.js). */
function rememberStep() {
  const { table } = urls, { mode, round } = document.getElementById("screen").dataset;
  storeStep({ table, round, mode, zone: document.documentElement.dataset.zone, time: Date.now() });
  const next = state.next?.act, detail = { mode, next, ahead: state.ahead?.map(({ act }) => act), isElsewhere: posts.postOf(next) === null };
  dispatchEvent(new CustomEvent("step:shown", { detail }));
}

/* Acts of somebody who no longer acts here are nobody else's to send. Of one whose answer never came, nobody can say here
   whether it is recorded. */
function reportLeftActs(acts) {
  if (!acts.length) return;
  const namesOf = (some) => some.map(({ name, time }) => `${name} (${formatTime(time, true)})`).join(", ");
  const unsent = acts.filter(({ mayBeTaken }) => !mayBeTaken), sent = acts.filter(({ mayBeTaken }) => mayBeTaken);
  const parts = [
    unsent.length && `Acts of the person before were not sent from this tablet: ${namesOf(unsent)}.`,
    sent.length && `Sent by the person before, and no answer came: ${namesOf(sent)}. The record has it, or not.`,
  ];
  refuse({
    code: "acts-left", title: sent.length ? "Not known" : "Not sent", section: "", waited: true,
    message: [...parts.filter(Boolean), "Compare them with the table and tell the floor."].join(" "),
  });
}

/* What was being entered for a round that has gone on without it. */
function reportLostDraft(lost) {
  if (lost) refuse({
    code: "draft-lost", title: "Not recorded", section: "", waited: true,
    message: `“${lost.title}” was being entered in round ${lost.round}, and was not sent. It can no longer be entered as it was. Tell the floor.`,
  });
}

/* Back, and a swipe that means it, stay at the table: the page before is the sign-in. */
function keepHere() {
  const hold = () => history.pushState({ console: true }, "");
  if (!history.state?.console) hold();
  addEventListener("popstate", hold);
}

screen.addEventListener("screen:applied", applyState);
addEventListener("screen:connection", ({ detail }) => { if (detail.status === "live") refusalBox.closeIf("no-line"); });
addEventListener("pagehide", () => taps.flush());
drawWhole();
keepHere();
watchNextKey();
dice.paint();
paint();
rememberStep();
taps.restoreSteps(JSON.parse(document.getElementById("undo-steps").textContent) || []);
reportLeftActs(queue.resume(tellOfResumed));
reportLostDraft(dialog.restoreDraft());
const updates = Updates.watch({ mayUpdate: isBetweenRounds });
const offerUpdate = async () => (await updates)?.offer();
screen.addEventListener("screen:applied", offerUpdate);
addEventListener("screen:connection", offerUpdate);
addEventListener("posts:silent", ({ detail }) => {
  silent = detail;
  paint();
});
addEventListener("acts:waiting", offerUpdate);  // a push may have shown the round's end before its answer came
WakeLock.watch();
keepStorage();
reportBattery(screen);
document.documentElement.toggleAttribute("data-ready", true);  // from here on every tap is heard
