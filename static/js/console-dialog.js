/* The console's dialog asks for what an act needs beyond the tap: dice, a seat, a wager, an amount, a reason, a
   witness's PIN. The page says which fields an act needs: <template data-act data-title data-fields data-say
   data-reasons data-choices>. With data-hold the act is sent by press and hold (hold.js). Fields that depend on the table's state (lots,
   a shaker to lock away) are copied from #fresh, which every push renews. */

import { hasRoomBesideFelt, placeBesideFelt } from "./beside-felt.js";
import { CorrectionPreview } from "./correction-preview.js";
import { Dice } from "./dice.js";
import { canWait } from "./offline.js";
import { PinPad } from "./pin-pad.js";
import { draftOf, dropDraft, lastDraft, storeDraft } from "./waiting-acts.js";

/* Text fields and the parameter of each. The parameter of a reason depends on the act. */
const TEXT_PARAMS = {
  "reason": "", "what": "what", "text": "what", "lot": "lot", "seal": "seal", "shaker": "shaker", "fault": "why",
  "found": "found", "keep": "dice", "choice": "reason", "note": "note",
};
const SVG = "http://www.w3.org/2000/svg";
const TOSSES = 3;  // as the label of the box says
const FACES = [1, 2, 3, 4, 5, 6];
const FEW_DICE = 3;
/* Refusals of an act that goes out again with the signature of the floor, or of who deals. */
export const NEEDS_FLOOR = ["no-roll-must-be-signed", "no-rolls-above-the-rate", "no-roll-takes-two", "reading-differs"];

const money = (cents) => `$${(cents / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 })}`;
const isWager = ({ seat, wager, cents }) => seat > 0 && Boolean(wager) && cents > 0;
const quickButton = (textContent) =>
  Object.assign(document.createElement("button"), { type: "button", className: "quick", textContent });

/* A line of a list with a button that takes it off again; `index` goes into the button's dataset under `name`. */
function removableItem(text, name, index) {
  const item = document.createElement("li"), button = quickButton("Remove");
  button.dataset[name] = index;
  item.append(text, button);
  return item;
}

function drawDie(face) {
  const die = document.createElementNS(SVG, "svg"), use = document.createElementNS(SVG, "use");
  die.setAttribute("class", "die");
  use.setAttribute("href", `#d${face}`);
  die.append(use);
  return die;
}

/* Fields that a draft leaves out: which of the wagers, because they may be others by now. */
const NOT_KEPT = ["lying"];
const AS_ENTERED = "As it was entered before the page was loaded again. Look at it, then go on.";

export class ConsoleDialog {
  /* `refuse` says what was refused after the dialog was closed. `draft` names what was entered here and by whom. */
  constructor({ send, state, fetchPreview, refuse, draft }) {
    Object.assign(this, { send, state, refuse, draft });
    this.box = document.getElementById("ask");
    this.preview = new CorrectionPreview(this.box.querySelector("[data-preview]"), fetchPreview, () => this.state.version);
    this.form = this.box.querySelector("form");
    this.dice = new Dice(() => this.box.querySelector("[data-field=dice] .slots"), () => this.update());
    this.pad = new PinPad(this.box, { changed: () => this.update(), complete: () => this.signed() });
    this.box.addEventListener("click", (event) => this.click(event));
    this.go = this.box.querySelector("[data-go]");
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    this.form.addEventListener("input", () => this.update());
    this.box.addEventListener("close", () => this.closed());
    addEventListener("resize", () => this.place());
    addEventListener("screen:connection", ({ detail }) => this.heard(detail.status));
  }

  field(name) {
    return this.box.querySelector(`[data-field="${name}"]`);
  }

  /* Opens the dialog for an act. Returns false when there is nothing to ask: the act may go out as it is. `baseParams`
     go with it either way. */
  open(act, baseParams = {}, templateAct = act) {
    const template = document.querySelector(`template[data-act="${templateAct}"]`);
    if (!template) return true;
    Object.assign(this, { act, baseParams, wagers: [], throws: [], firstThrow: null, openedWith: null, isOwnDialog: act === templateAct });
    this.reasonParam = template.dataset.as ?? "reason";
    const fields = template.dataset.fields.split(" ").filter(Boolean);
    this.copyFreshParts(fields);
    this.fields = fields.filter((name) => this.hasContent(name));
    if (!this.fields.length) return false;
    this.witnessOptional = template.dataset.optional === "witness";  // the signed-in person may be enough; the server decides
    this.go.toggleAttribute("data-hold", template.hasAttribute("data-hold"));
    this.box.classList.toggle("ask--wide", template.hasAttribute("data-wide"));
    this.leaveFeltInSight();
    this.box.querySelector("[data-cancel]").textContent = template.dataset.cancel ?? "Cancel";
    this.form.reset();
    this.box.querySelector("h2").textContent = template.dataset.title;
    this.box.querySelector("[data-say]").textContent = template.dataset.say ?? "";
    this.goLabel = template.dataset.go || template.dataset.title;
    this.go.textContent = this.goLabel;
    for (const part of this.box.querySelectorAll("[data-field]")) {
      const { field } = part.dataset;
      part.hidden = !this.fields.includes(field) && !(field === "dice" && (this.fields.includes("seen") || this.readsFaces));
    }
    const impossible = this.box.querySelector(".ask-fields [data-field]:not([hidden]) [data-none]");
    if (impossible) this.field("witness").hidden = true;
    this.box.querySelector("[data-go]").hidden = Boolean(impossible);
    this.box.classList.toggle("ask--pin", this.fields.includes("witness") && !impossible);
    this.box.classList.toggle("ask--only-pin", this.fields.join() === "witness");
    this.showRefusal("");
    this.preview.clear();
    this.setReasons(template.dataset.reasons);
    this.form.elements.reason.value = template.dataset.reason ?? "";
    this.setChoices(template.dataset.choices);
    this.setOptions(template);
    this.setSlots();
    this.paintEntered();
    this.preselect();
    this.paintWagers();
    this.paintThrows();
    this.opening = Symbol("dialog");
    this.pad.setHint(`The sixth digit: ${template.dataset.title}`);
    this.box.showModal();
    this.place();
    this.pad.reset();
    this.openedWith = JSON.stringify(this.entered);
    return true;
  }

  /* A correction is previewed on the felt, which stays in sight where there is room for both. */
  get isCorrection() {
    return this.fields?.includes("preview") ?? false;
  }

  /* The dice of a throw that does not count: as many faces as can be read, or none. */
  get readsFaces() {
    return this.fields?.includes("read") ?? false;
  }

  place() {
    if (!this.box.open || !this.isCorrection) return;
    this.leaveFeltInSight();
    if (this.isBesideFelt) placeBesideFelt(this.box);
    this.preview.paint();
  }

  leaveFeltInSight() {
    this.isBesideFelt = this.isCorrection && hasRoomBesideFelt();
    this.box.classList.toggle("ask--felt", this.isBesideFelt);
    document.documentElement.toggleAttribute("data-correcting", this.isBesideFelt);
  }

  closed() {
    document.documentElement.removeAttribute("data-correcting");
    this.preview.clear();
    dropDraft(this.draft);
  }

  /* What is entered so far, without the PIN. */
  get entered() {
    const { throws, wagers, firstThrow, dice: { faces } } = this;
    const fields = [...this.form.elements].filter(({ name }) => name && !NOT_KEPT.includes(name));
    const values = fields.map(({ name, type, value, checked }) => [name, type === "checkbox" ? checked : value]);
    return { values, faces, throws, wagers, firstThrow };
  }

  /* It survives the page, as what waits does. */
  keepDraft() {
    const { act, baseParams, entered, isOwnDialog, state: { round: { number: round } } } = this;
    if (!this.box.open || !isOwnDialog || this.openedWith === null || JSON.stringify(entered) === this.openedWith) return;
    storeDraft(this.draft, this.box.querySelector("h2").textContent, { round, act, baseParams, entered });
  }

  /* Opens what was entered here when the page before ended, if it can still be sent. Returns the title and the round of what
     cannot: {title, round}; or null. */
  restoreDraft() {
    const content = draftOf(this.draft);
    if (!content) return null;
    const { round, act, baseParams, entered } = content, { title } = lastDraft(), { offers, next, round: { number } } = this.state;
    if (round !== number || !(offers.includes(act) || next?.act === act) || !this.open(act, baseParams)) {
      dropDraft(this.draft);
      return { title, round };
    }
    this.enterAgain(entered);
    this.showRefusal(AS_ENTERED);
    return null;
  }

  enterAgain({ values, faces, throws, wagers, firstThrow }) {
    for (const [name, value] of values) {
      const field = this.form.elements[name];
      if (field?.type === "checkbox") field.checked = value; else if (field) field.value = value;
    }
    Object.assign(this, { throws, wagers });
    if (firstThrow) {
      this.dice.reset(firstThrow);
      this.beginExtraThrow();
    }
    this.dice.reset(faces);
    this.paintChoices();
    this.paintWagers();
    this.paintThrows();
    this.update();
  }

  /* `isOther`: the screen has other wagers, dice or acts than before. */
  screenApplied(isOther) {
    if (!this.box.open || !this.isCorrection) return;
    this.place();
    this.preview.screenApplied(isOther);
    this.update();
  }

  heard(status) {
    if (!this.box.open || !this.isCorrection) return;
    if (status !== "live") this.preview.loseConnection();
    this.update();
  }

  /* The die that was tapped to correct it. */
  chooseDie(index) {
    if (this.dice.replaces) this.dice.choose(index);
  }

  /* The dice as they are recorded, and which the buttons keep and enter; not in a game that counts many dice. */
  paintEntered() {
    const slot = this.box.querySelector("[data-entered]"), { dice } = this.state.round;
    if (!slot) return;
    const isAsked = this.act === "correct_dice" && dice?.length <= FEW_DICE;
    slot.hidden = !isAsked;
    slot.querySelector("[data-faces]").replaceChildren(...isAsked ? dice.map(drawDie) : []);
    if (isAsked) this.box.querySelector("[data-cancel]").textContent = `Keep ${dice.join(", ")}`;
  }

  paintGo() {
    if (this.act !== "correct_dice" || this.throwSize > FEW_DICE) return;
    const ask = this.dice.selected === null ? "Tap the wrong die" : "Tap what it shows";
    this.go.textContent = this.differs ? `Correct to ${this.dice.faces.join(", ")}` : ask;
  }

  /* Whether the dice of a correction are others than the recorded ones; the order says nothing where faces are counted. */
  get differs() {
    const inOrder = (faces) => String(this.dice.counted ? faces.toSorted() : faces);
    return this.dice.full && inOrder(this.dice.faces) !== inOrder(this.state.round.dice ?? []);
  }

  /* Keys of faces are on once it is known which die they are for; a recorded die that another face replaces is struck. */
  paintReplacing() {
    const { replaces, selected, faces } = this.dice, isWaiting = replaces && selected === null;
    for (const key of this.box.querySelectorAll("[data-ask-face]")) key.disabled = isWaiting;
    this.box.querySelector("[data-ask-back]")?.toggleAttribute("hidden", replaces);
    this.box.querySelector("[data-ask-which]")?.toggleAttribute("hidden", !isWaiting);
    for (const [i, die] of [...this.box.querySelectorAll("[data-entered] .die")].entries())
      die.classList.toggle("die--replaced", replaces && faces[i] !== this.state.round.dice[i]);
  }

  paintReasons() {
    const { value } = this.form.elements.reason;
    for (const button of this.box.querySelectorAll("[data-reason]")) button.setAttribute("aria-pressed", button.dataset.reason === value);
  }

  /* Asks for what an act takes at a tablet that acts for the lost tablet of another post: the PIN of the person there, and
     why. */
  openForPost(act, params, { name, person }) {
    this.open(act, params, "act_for_post");
    const signers = this.form.elements.person;
    if (person && ![...signers.options].some(({ value }) => value === person.code))
      signers.add(new Option(`${person.name}, ${name}`, person.code));
    if (person) signers.value = person.code;
    this.box.querySelector("h2").textContent = `For the ${name}`;
    this.pad.setHint("The sixth digit records it.");
  }

  /* Asks for the floor's PIN after a refusal that needs it. */
  openForFloor(act, params) {
    if (this.box.open) this.box.close();
    this.open(act, params, act === "call_dice" ? "sign_dice" : "sign_no_roll");
  }

  /* Fields that this act does not need are emptied, so that nothing in them is required. */
  copyFreshParts(fields) {
    for (const slot of this.box.querySelectorAll("[data-fresh]")) {
      const { fresh } = slot.dataset;
      const part = fields.includes(fresh) ? document.querySelector(`#fresh [data-part="${fresh}"]`) : null;
      slot.replaceChildren(...[...part?.children ?? []].map((node) => node.cloneNode(true)));
    }
  }

  /* A fresh part without content is not asked: no seal, no dice to lock away, no lapsed edition. */
  hasContent(name) {
    const field = this.field(name), slot = field?.matches("[data-fresh]") ? field : field?.querySelector("[data-fresh]");
    return !slot || slot.childElementCount > 0;
  }

  /* Choices are buttons. A single choice is selected already. */
  preselect() {
    for (const input of this.form.querySelectorAll("input[type=hidden]")) {
      const choices = this.box.querySelectorAll(`[data-fill="${input.name}"]`);
      input.value = choices.length === 1 ? choices[0].dataset.value : "";
    }
    this.paintChoices();
  }

  paintChoices() {
    for (const button of this.box.querySelectorAll("[data-fill]"))
      button.setAttribute("aria-pressed", this.form.elements[button.dataset.fill].value === button.dataset.value);
  }

  get throwSize() {
    const { round, next } = this.state;
    return round.dice?.length ?? next?.dice ?? round.game?.dice ?? Number(this.field("dice").querySelector(".slots").dataset.size);
  }

  /* As many slots as the throw has dice. A correction begins with what was entered: the wrong one of a few dice is chosen and
     replaced, faces of many are counted. */
  setSlots(size = this.throwSize) {
    const { dice } = this.state.round, corrects = this.act === "correct_dice";
    const slots = this.field("dice").querySelector(".slots"), replaces = corrects && !slots.closest("[data-dice]");
    const slot = (_, index) => {
      const element = Object.assign(document.createElement(replaces ? "button" : "span"), { className: "slot" });
      if (replaces) Object.assign(element, { type: "button" }).dataset.askDie = index;
      return element;
    };
    slots.replaceChildren(...Array.from({ length: size }, slot));
    this.dice.reset(corrects ? dice : []);
  }

  /* A round settled manually may have had an extra throw of the dice that did not match. */
  get needsExtraThrow() {
    if (this.act !== "record_hand_settled_round" || this.firstThrow || !this.dice.full || !this.unmatchedDice) return false;
    const { fee } = this.field("dice").querySelector(".slots").dataset;
    return this.wagers.some(({ wager }) => wager === fee);
  }

  get unmatchedDice() {
    const { faces } = this.dice;
    return faces.length - Math.max(...FACES.map((face) => faces.filter((entered) => entered === face).length));
  }

  beginExtraThrow() {
    const size = this.unmatchedDice;
    this.firstThrow = this.dice.faces;
    this.setSlots(size);
    this.update();
  }

  setReasons(text) {
    const slot = this.box.querySelector("[data-reasons]");
    slot.replaceChildren(...(text ?? "").split("|").filter(Boolean).map((reason) => {
      const button = quickButton(reason);
      button.dataset.reason = reason;
      return button;
    }));
  }

  /* The declared reasons, `code:words` each. One that another act owns, `code:words:act`, leads there. */
  setChoices(text) {
    const slot = this.box.querySelector("[data-choices]");
    slot.replaceChildren(...(text ?? "").split("|").filter(Boolean).map((choice) => {
      const [value, words, leadsTo] = choice.split(":"), button = quickButton(leadsTo ? `${words} →` : words);
      Object.assign(button.dataset, leadsTo ? { ask: leadsTo } : { fill: "choice", value });
      return button;
    }));
  }

  setOptions(template) {
    const { lying: wagerSelect, person, by: activatedBy } = this.form.elements;
    const { wagers } = this.state.round;
    this.listedWagers = wagers;
    // Nothing is chosen beforehand: a wager that nobody looked at would be struck.
    wagerSelect.replaceChildren(new Option("Choose", ""), ...wagers.map(({ seat, label, cents }, i) =>
      new Option(`Seat ${seat}: ${label}, ${money(cents)}`, i)));
    // Who signs is listed as of when the page was loaded; the table may have come to another floorperson since.
    const { floorperson } = this.state;
    if (floorperson) {
      if (![...person.options].some(({ value }) => value === floorperson.code))
        person.append(new Option(floorperson.name, floorperson.code));
      person.value = floorperson.code;
    }
    // A floorperson's act is signed by who deals here, and some also by another of the floor ("dealer floor").
    const signers = (template.dataset.signs ?? "").split(" ");
    const deals = signers.includes("dealer"), isOnlyDealers = deals && signers.length === 1;
    for (const option of person.options)
      option.hidden = option.disabled = option.hasAttribute("data-deals") ? !deals : isOnlyDealers;
    const dealer = deals && [...person.options].find((option) => option.hasAttribute("data-deals"));
    if (dealer) person.value = dealer.value;
    if (person.selectedOptions[0]?.disabled) person.value = [...person.options].find((option) => !option.disabled)?.value ?? "";
    const signer = [...person.options].find(({ dataset }) => dataset.role && dataset.role === signers[0]);
    if (signer) person.value = signer.value;
    const playing = new Set(wagers.map(({ seat }) => String(seat)));
    for (const option of activatedBy.options)
      option.hidden = option.disabled = Boolean(option.value) && !playing.has(option.value);
  }

  click({ target }) {
    const hit = (selector) => target.closest(selector);
    if (hit("[data-close]")) return this.box.close();
    const face = hit("[data-ask-face]"), removedFace = hit("[data-ask-less]");
    if (face) this.dice.add(Number(face.dataset.askFace));
    if (hit("[data-ask-die]")) this.dice.choose(Number(hit("[data-ask-die]").dataset.askDie));
    if (hit("[data-ask-back]")) this.dice.removeLast();
    if (hit("[data-ask-extra]")) this.beginExtraThrow();
    if (removedFace) this.dice.remove(Number(removedFace.dataset.askLess));
    const reason = hit("[data-reason]"), choice = hit("[data-fill]");
    if (reason) { this.form.elements.reason.value = reason.dataset.reason; this.update(); }
    if (choice) this.select(choice.dataset);
    this.pad.click(target);
    const removedThrow = hit("[data-drop-throw]"), removedWager = hit("[data-drop-wager]");
    if (hit("[data-add-wager]")) this.addWager();
    if (hit("[data-add-throw]") && this.dice.full) this.setThrows([...this.throws, this.dice.faces]);
    if (removedThrow) this.setThrows(this.throws.filter((_, i) => i !== Number(removedThrow.dataset.dropThrow)));
    if (removedWager) this.removeWager(Number(removedWager.dataset.dropWager));
  }

  select({ fill, value }) {
    this.form.elements[fill].value = value;
    this.paintChoices();
    this.update();
  }

  cents() {
    return Math.round(Number(this.form.elements.dollars.value) * 100);
  }

  addWager() {
    const { seat, wager } = this.form.elements;
    if (this.cents() < 1 || !seat.value || !wager.value) return;
    const single = this.fields.includes("play") && document.querySelector(`[data-wager="${wager.value}"][data-single]`);
    const play = single ? Number(this.form.elements.play.value) : undefined;
    const label = wager.selectedOptions[0].text + (play ? `, play ${play}` : "");
    this.wagers.push({ seat: Number(seat.value), wager: wager.value, cents: this.cents(), play, label });
    this.form.elements.dollars.value = "";
    this.paintWagers();
    this.update();
  }

  removeWager(index) {
    this.wagers.splice(index, 1);
    this.paintWagers();
    this.update();
  }

  paintWagers() {
    this.box.querySelector("[data-list]").replaceChildren(...this.wagers.map(({ seat, label, cents }, i) =>
      removableItem(`Seat ${seat}: ${label}, ${money(cents)}`, "dropWager", i)));
  }

  /* A game of several throws is recorded throw by throw, without the void throws. */
  setThrows(throws) {
    this.throws = throws;
    this.dice.reset();
    this.paintThrows();
    this.update();
  }

  paintThrows() {
    this.box.querySelector("[data-throws]")?.replaceChildren(...this.throws.map((faces, i) =>
      removableItem(`Throw ${i + 1}: ${faces.join(" · ")}`, "dropThrow", i)));
  }

  params() {
    const { elements } = this.form, params = { ...this.baseParams };
    // of the list as it was opened: another tablet's act may have changed the wagers since
    const selectedWager = elements.lying.value && this.listedWagers[Number(elements.lying.value)];
    for (const field of this.fields) {
      if (field === "dice" && this.firstThrow) params.throws = [this.firstThrow, this.dice.faces];
      if (field === "dice" && !this.firstThrow) params.dice = this.dice.faces;
      if (field === "throws") Object.assign(params, { dice: undefined, throws: this.throws });
      if (field === "read") params.faces_read = this.dice.faces;
      if (field === "seen") params.dice = this.asksDice ? this.dice.faces : null;
      if (field === "wager" && !this.fields.includes("list"))
        Object.assign(params, { seat: Number(elements.seat.value), wager: elements.wager.value, cents: this.cents() });
      if (field === "list")
        params.wagers = this.wagers.map(({ seat, wager, cents, play }) => ({ seat, wager, cents, ...(play && { play }) }));
      if (field === "lying") Object.assign(params, { seat: selectedWager.seat, wager: selectedWager.wager });
      if (field in TEXT_PARAMS) params[TEXT_PARAMS[field] || this.reasonParam] = elements[field].value.trim();
    }
    if (this.fields.includes("checks")) {
      for (const name of ["covered_or_signed", "removed_from_table"]) params[name] = elements[name].checked;
      if (elements.tested.checked) params.tosses = TOSSES;
    }
    if (this.fields.includes("by") && elements.by.value) params.activated_by_seat = Number(elements.by.value);
    if (this.fields.includes("lapsed")) params.acknowledge_lapsed = elements.lapsed.checked;
    if (this.fields.includes("secured")) params.secured = elements.secured.checked;
    if (!params.found) delete params.found;
    if (!params.note) delete params.note;
    return params;
  }

  isComplete() {
    const params = this.params(), { faces, full } = this.dice;
    const complete = {
      "dice": (this.act === "correct_dice" ? this.differs : full) || (this.throws.length > 0 && !faces.length),
      "preview": this.preview.isShown,
      "failure": Boolean(this.end) && this.end.dataset.end !== "none",
      "seen": full || !this.asksDice,
      "wager": this.fields.includes("list") || isWager(params),
      "list": this.wagers.length > 0,
      "lying": Boolean(params.wager),
      "reason": Boolean(params[this.reasonParam]),
      "choice": Boolean(params.reason),
      "lot": Boolean(params.lot),
      "shaker": Boolean(params.shaker),
      "what": Boolean(params.what),
      "text": Boolean(params.what),
      "lapsed": params.acknowledge_lapsed,
      "seal": Boolean(params.seal) || !this.form.elements.seal?.required,
      "fault": Boolean(params.why),
      "keep": Boolean(params.dice),
      "secured": params.secured,
      "witness": this.pad.full || (this.witnessOptional && !this.pad.pin) || !this.asksWitness,
    };
    return this.fields.every((field) => complete[field] ?? true);
  }

  /* The part of the page that says how the round ends, by what failed and whether the dice were seen. */
  get end() {
    const { what: part, seen: sight } = this.form.elements;
    return [...this.box.querySelectorAll("[data-failure]")].find(({ dataset: { failure, dice } }) =>
      failure.split(" ").includes(part.value) && (!dice || dice === sight.value));
  }

  get asksDice() {
    return this.end?.dataset.dice === "seen";
  }

  /* A failure with dice that were seen is settled before a witness, and one after no more bets is signed by the floor. While
     bets are open the round is void and needs none. */
  get asksWitness() {
    return !this.fields.includes("failure") || Boolean(this.end?.hasAttribute("data-signs"));
  }

  updateFailure() {
    const { what: part } = this.form.elements, { end } = this;
    const ends = [...this.box.querySelectorAll("[data-failure]")];
    for (const text of ends) text.hidden = text !== end;
    const isAsked = ends.some(({ dataset: { failure, dice } }) => dice && failure.split(" ").includes(part.value));
    if (this.fields.includes("seen")) this.field("seen").hidden = !isAsked;
    this.field("dice").hidden = !this.asksDice;
    const signs = this.fields.includes("witness") && this.asksWitness;
    this.field("witness").hidden = !signs;
    this.box.classList.toggle("ask--pin", signs);
  }

  /* Shows what the correction changes, once everything that decides it is entered. */
  updatePreview() {
    const params = { ...this.params(), reason: undefined };  // JSON leaves it out
    const isDecided = this.fields.includes("dice") ? this.differs
      : this.fields.includes("lying") ? Boolean(params.wager) : isWager(params);
    if (isDecided && document.documentElement.dataset.live === "live") this.preview.ask(this.act, params, () => this.update());
    else if (!isDecided) this.preview.clear();
  }

  update() {
    if (this.fields?.includes("failure")) this.updateFailure();
    if (this.isCorrection) this.updatePreview();
    if (this.isCorrection) this.paintGo();
    if (this.fields?.includes("reason")) this.paintReasons();
    this.paintReplacing();
    this.box.querySelector("[data-ask-extra]")?.toggleAttribute("hidden", !this.needsExtraThrow);
    this.box.querySelector("[data-go]").disabled = !this.isComplete() || this.needsExtraThrow;
    this.keepDraft();
  }

  showRefusal(text, section = "") {
    const slot = this.box.querySelector("[data-refused]");
    slot.hidden = !text;
    slot.textContent = section ? `${text} ${section}` : text;
  }

  /* The sixth digit sends the act, as the button does, unless something is missing. */
  signed() {
    if (this.go.disabled) this.pad.say("The PIN is complete. Fill in the rest, then tap the button.");
    else this.submit();
  }

  /* An act that waits for the connection is in the list of what waits, and its dialog goes. */
  async submit() {
    if (!this.isComplete()) return;
    const { opening, act } = this;
    const witness = this.pad.full ? { person: this.form.elements.person.value, pin: this.pad.pin } : null;
    const answer = await this.pad.sendOnce(() => {
      this.go.disabled = true;
      const params = this.params(), sent = this.send(act, params, witness);
      if (document.documentElement.dataset.live === "dead" && canWait(act, params, witness)) this.box.close();
      return sent;
    });
    if (!answer) return;
    const { refusal } = answer, isGone = opening !== this.opening || !this.box.open;
    if (isGone) return refusal && this.refuse(refusal, null);
    if (!refusal) return this.box.close();
    if (NEEDS_FLOOR.includes(refusal.code) && !this.fields.includes("witness")) return this.openForFloor(this.act, this.params());
    if (!this.pad.refuse(refusal)) this.showRefusal(refusal.message, refusal.section);
  }
}
