/* The dealer's console. What lies on the table comes from the server; the chosen chip and seat live here alone. */

import "./live.js";
import "./clocks.js";
import { Acts } from "./acts.js";
import { sendThrough } from "./alerts.js";
import { Ask } from "./ask.js";
import { Dice, counted, spoken, toGo, totalOf } from "./dice.js";
import { UnitTaps } from "./high-roll.js";
import { Football, FootballTaps } from "./football.js";
import { Inspection } from "./inspect.js";
import { Refusal } from "./refusal.js";
import { Taps } from "./taps.js";

const screen = document.querySelector("live-screen");
const urls = { ...screen.dataset };
const read = () => JSON.parse(document.getElementById("state").textContent);
const refusal = new Refusal();
const acts = new Acts(screen, urls);
let state = read();

/* what may be mended: where a game has plays, the newest one and the wagers on the whole game */
function mendable(shown) {
  const play = shown.round.game?.track?.length ?? 0;
  return { ...shown, round: { ...shown.round, wagers: shown.round.wagers.filter((w) => (w.play ?? play) === play) } };
}

/* every act goes out after the taps before it, with what the person saw; without a line none does */
async function send(act, params, witness = null) {
  if (document.documentElement.dataset.live === "dead")
    return { refusal: { code: "no-line", title: "No line", message: "The table cannot be reached. Nothing was taken; wait until the line is back.", section: "" } };
  if (act !== "place_wagers") taps.flush();
  return acts.send(act, params, state, witness);
}
sendThrough(send);

/* a game whose wagers are laid in another way has a hand of its own */
const HANDS = { "high-roll": UnitTaps, football: FootballTaps };
const game = document.getElementById("screen").dataset.game;

const refuse = (what, anchor) => refusal.show(what, anchor);
const taps = new (HANDS[game] ?? Taps)({ send, state, refuse });
const football = game === "football" ? new Football(state, urls.me) : null;
const ask = new Ask({ send: football?.onNewestPlay(send) ?? send, state: mendable(state), refuse });
const inspection = new Inspection({ urls, refuse });
const dice = new Dice(() => document.getElementById("slots"), paintDice);
taps.chip ||= state.chips.find((cents) => cents >= state.limits.min_cents) ?? state.chips[0];

function paintDice({ faces, full, size, invalid }) {
  const next = document.getElementById("next");
  if (next?.dataset.act !== "call_dice" || !document.getElementById("slots")) return;
  const reason = invalid && document.querySelector(`[data-invalid="${CSS.escape(invalid)}"]`);
  next.classList.toggle("next--off", !full && !reason);
  next.setAttribute("aria-disabled", !full && !reason);
  next.querySelector(".next-l").textContent = reason ? next.dataset.void : full ? next.dataset.label : "Tap the dice";
  next.querySelector(".next-s").textContent = reason ? reason.dataset.say
    : !full ? toGo(size - faces.length)
    : size > 3 ? counted(faces) : `${spoken(faces)}: total ${totalOf(faces)}`;
}

/* what the button means now: dice that are entered may be called, or called invalid */
function meant(button) {
  const name = button.dataset.act;
  if (button.dataset.params) return [name, JSON.parse(button.dataset.params)];
  if (name === "call_dice") return dice.invalid ? ["call_no_roll", { reason: dice.invalid }]
    : [name, { dice: dice.faces, ...(dice.leaning && { leaning: dice.leaning }) }];
  if (button.hasAttribute("data-next") && state.next) return [name, state.next.params];
  return [name, {}];
}

/* faces that are not those on the felt are refused beside the keys, clear of the dice */
const pad = ({ code }) => code === "not-these-dice" ? document.querySelector("[data-pad]") : null;

async function act(button) {
  if (button.getAttribute("aria-disabled") === "true" || acts.waitsFor(button.dataset.act)) return;
  await take(button, ...meant(button));
}

async function take(button, name, params) {
  const box = button.closest("dialog");
  box?.close();
  refusal.close();
  button.setAttribute("aria-busy", "true");
  const answer = await send(name, params);
  button.removeAttribute("aria-busy");
  if (answer.refusal) refuse(answer.refusal, box ? null : pad(answer.refusal) ?? button);
}

/* an act that asks something first; where nothing is left to ask, it goes out. An inspection that is not whole does not */
function asked(button) {
  const { ask: name } = button.dataset;
  if (button.getAttribute("aria-disabled") === "true") return inspection.lead();
  if (acts.waitsFor(name)) return;
  button.closest("dialog")?.close();
  refusal.close();
  taps.flush();
  const given = name === "inspect_table" ? inspection.params() : {};
  if (!ask.open(name, button, given)) take(button, name, given);
}

const doing = {
  "undo": () => taps.undo(),
  "clear-seat": () => taps.clear(),
  "repeat-seat": () => taps.repeat(),
  "repeat-all": (button) => taps.repeatAll(button),
  "face-back": () => dice.back(),
  "faces-clear": () => dice.reset(),
  "lean": () => dice.lean(),
  "free-seat": (button) => taps.leave(button),
  "half": () => football.turn(),
};

/* the second tap of a double tap was meant for the step that stood there before */
const SETTLING = 250;
let steppedAt = -SETTLING;
const isEcho = (button, taps) => button.id === "next" && taps > 1 && performance.now() - steppedAt < SETTLING;

document.addEventListener("click", ({ target, detail }) => {
  const hit = (name) => target.closest(`[data-${name}]`);
  const area = target.closest("button[data-wager]");
  if (area) return taps.tap(area.dataset.wager, area);
  if (hit("seat")) return taps.choose(Number(hit("seat").dataset.seat));
  if (hit("chip")) return taps.pick(Number(hit("chip").dataset.chip));
  if (hit("less")) return dice.less(Number(hit("less").dataset.less));
  if (hit("invalid")) return dice.spoil(hit("invalid").dataset.invalid);
  if (hit("face")) return dice.add(Number(hit("face").dataset.face));
  if (hit("do")) return doing[hit("do").dataset.do](hit("do"));
  if (hit("open")) {
    target.closest("dialog")?.close();
    return document.getElementById(hit("open").dataset.open).showModal();
  }
  if (hit("ask")) return isEcho(hit("ask"), detail) ? undefined : asked(hit("ask"));
  if (target.closest("dialog [data-close]")) return target.closest("dialog").close();
  if (target.closest("#inspect")) return inspection.click(target);
  const button = target.closest("button[data-act]");
  if (button && !isEcho(button, detail)) act(button);
});

/* acts that are not legal now are absent from the list of other acts; a floorperson may write down a round settled by hand
   until the dice of the round in play are in */
function paintOffers() {
  const waits = ["betting", "say", "dice"].includes(document.getElementById("screen").dataset.mode);
  for (const item of document.querySelectorAll("[data-before-dice]")) item.hidden = !waits;
  for (const item of document.querySelectorAll("[data-offer]")) item.hidden = !state.offers.includes(item.dataset.offer);
  document.querySelector("[data-no-offers]").hidden = document.querySelector("#more .choices > li:not([hidden]):not([data-no-offers])") !== null;
}

function applied() {
  const before = state;
  state = read();
  taps.state = state;
  ask.state = mendable(state);
  if (JSON.stringify(before.next) !== JSON.stringify(state.next)) steppedAt = performance.now();
  if (before.round.number !== state.round.number) taps.newRound();
  if (before.round.phase !== state.round.phase || before.round.number !== state.round.number) {
    refusal.close();
    dice.reset();
  } else dice.paint();
  show();
}

/* whoever is signed in stands in the header, also where it is not the dealer: a floorperson's taps are a floorperson's */
function paintWho() {
  const { me, meName, meRole } = screen.dataset;
  const who = document.querySelector(".who");
  if (!who || !me || me === state.dealer?.code) return;
  who.querySelector(".who-k").textContent = meRole;
  who.querySelector(".who-n").textContent = meName;
}

function show() {
  paintWho();
  football?.apply(state);
  taps.paint();
  inspection.paint();
  paintOffers();
  refusal.dim();
}

screen.addEventListener("screen:applied", applied);
addEventListener("pagehide", () => taps.flush());
dice.paint();
show();
acts.resume();
