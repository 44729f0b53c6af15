/* One dialog asks whatever an act needs besides the tap: dice, a seat, a wager, an amount, a reason, a witness's PIN.
   What each act needs stands in the page: <template data-act data-title data-fields data-say data-reasons>. What depends
   on the table as it stands (lots, a shaker to lock away) is copied from #fresh, which every push renews. */

import { Dice } from "./dice.js";
import { Pad } from "./pad.js";

/* fields of one line, and the parameter that each is; a reason goes by the name that its act has for it */
const WORDS = { reason: "", what: "what", text: "what", lot: "lot", seal: "seal", shaker: "shaker", fault: "why", found: "found", keep: "dice" };
const TOSSES = 3;  // what the tick says
const money = (cents) => "$" + (cents / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 });

export class Ask {
  constructor({ send, state, refuse }) {
    Object.assign(this, { send, state, refuse });
    this.box = document.getElementById("ask");
    this.form = this.box.querySelector("form");
    this.dice = new Dice(() => this.box.querySelector("[data-field=dice] .slots"), () => this.check());
    this.pad = new Pad(this.box, () => this.check());
    this.box.addEventListener("click", (event) => this.click(event));
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    this.form.addEventListener("input", () => this.check());
  }

  field(name) {
    return this.box.querySelector(`[data-field="${name}"]`);
  }

  /* false when nothing has to be asked: the act may go out as it is. `given` goes with it either way. */
  open(act, anchor, given = {}) {
    const asks = document.querySelector(`template[data-act="${act}"]`);
    if (!asks) return true;
    Object.assign(this, { act, anchor, given, list: [], throws: [], first: null, as: asks.dataset.as ?? "reason" });
    const fields = asks.dataset.fields.split(" ").filter(Boolean);
    this.copy(fields);
    this.fields = fields.filter((field) => this.isAsked(field));
    if (!this.fields.length) return false;
    this.optional = asks.dataset.optional === "witness";  // who is signed in may be witness enough; the server asks
    this.form.reset();
    this.box.querySelector("h2").textContent = asks.dataset.title;
    this.box.querySelector("[data-say]").textContent = asks.dataset.say ?? "";
    this.box.querySelector("[data-go]").textContent = asks.dataset.go || asks.dataset.title;
    for (const part of this.box.querySelectorAll("[data-field]"))
      part.hidden = !this.fields.includes(part.dataset.field) && !(part.dataset.field === "dice" && this.fields.includes("seen"));
    const none = this.box.querySelector(".ask-fields [data-field]:not([hidden]) [data-none]");
    if (none) this.field("witness").hidden = true;
    this.box.querySelector("[data-go]").hidden = Boolean(none);
    this.box.classList.toggle("ask--pin", this.fields.includes("witness") && !none);
    this.box.classList.toggle("ask--only-pin", this.fields.join() === "witness");
    this.say("");
    this.reasons(asks.dataset.reasons);
    this.options(asks);
    this.slots(act);
    this.fill();
    this.paintList();
    this.paintThrows();
    this.box.showModal();
    this.pad.set("");
    return true;
  }

  /* the table's own part of each field as it now stands; what this act does not ask must not be required either */
  copy(fields) {
    for (const slot of this.box.querySelectorAll("[data-fresh]")) {
      const part = fields.includes(slot.dataset.fresh) && document.querySelector(`#fresh [data-part="${slot.dataset.fresh}"]`);
      slot.replaceChildren(...[...(part || null)?.children ?? []].map((node) => node.cloneNode(true)));
    }
  }

  /* what the table asks nothing of is left out: no seal, no dice to keep, no lapsed edition */
  isAsked(name) {
    const field = this.field(name), slot = field?.matches("[data-fresh]") ? field : field?.querySelector("[data-fresh]");
    return !slot || slot.childElementCount > 0;
  }

  /* choices are buttons: the only one there is chosen already */
  fill() {
    for (const hidden of this.form.querySelectorAll("input[type=hidden]")) {
      const choices = this.box.querySelectorAll(`[data-fill="${hidden.name}"]`);
      hidden.value = choices.length === 1 ? choices[0].dataset.value : "";
    }
    this.paintFills();
  }

  paintFills() {
    for (const button of this.box.querySelectorAll("[data-fill]"))
      button.setAttribute("aria-pressed", this.form.elements[button.dataset.fill].value === button.dataset.value);
  }

  /* as many slots as the throw has dice; where faces are counted, a correction begins with what was entered */
  slots(act, many = this.state.round.dice?.length ?? this.state.next?.dice ?? this.state.round.game?.dice ?? 3) {
    const dice = this.state.round.dice;
    const slots = this.field("dice").querySelector(".slots");
    slots.replaceChildren(...Array.from({ length: many }, () => Object.assign(document.createElement("span"), { className: "slot" })));
    this.dice.reset(act === "correct_dice" && slots.closest("[data-dice]") ? dice : []);
  }

  /* a round written down by hand may have had an extra throw: of the dice that did not match */
  get extraAwaited() {
    return this.act === "record_hand_settled_round" && !this.first && this.dice.full && this.loose > 0
      && this.list.some(({ wager }) => wager === "extra-roll");
  }

  get loose() {
    const { faces } = this.dice;
    return faces.length - Math.max(...[1, 2, 3, 4, 5, 6].map((face) => faces.filter((n) => n === face).length));
  }

  enterExtra() {
    const many = this.loose;
    this.first = this.dice.faces;
    this.slots(this.act, many);
    this.check();
  }

  reasons(text) {
    const slot = this.box.querySelector("[data-reasons]");
    slot.replaceChildren(...(text ?? "").split("|").filter(Boolean).map((reason) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "quick", textContent: reason });
      button.dataset.reason = reason;
      return button;
    }));
  }

  options(asks) {
    const lying = this.form.elements.lying;
    lying.replaceChildren(...this.state.round.wagers.map((w, i) =>
      new Option(`Seat ${w.seat}: ${w.label}, ${money(w.cents)}`, i)));
    const what = (asks.dataset.what ?? "").split("|").filter(Boolean);
    this.form.elements.what.replaceChildren(...what.map((pair) => { const [value, label] = pair.split("="); return new Option(label, value); }));
    const floorperson = this.state.floorperson?.code, person = this.form.elements.person;
    if (floorperson && [...person.options].some((option) => option.value === floorperson)) person.value = floorperson;
    const signs = [...person.options].find((option) => option.dataset.role && option.dataset.role === asks.dataset.signs);
    if (signs) person.value = signs.value;
    const playing = new Set(this.state.round.wagers.map((w) => String(w.seat)));
    for (const option of this.form.elements.by.options) option.hidden = option.disabled = Boolean(option.value) && !playing.has(option.value);
  }

  click({ target }) {
    const hit = (selector) => target.closest(selector);
    if (hit("[data-close]")) return this.box.close();
    const face = hit("[data-ask-face]"), reason = hit("[data-reason]");
    if (face) this.dice.add(Number(face.dataset.askFace));
    if (hit("[data-ask-back]")) this.dice.back();
    if (hit("[data-ask-extra]")) this.enterExtra();
    if (hit("[data-ask-less]")) this.dice.less(Number(hit("[data-ask-less]").dataset.askLess));
    if (reason) { this.form.elements.reason.value = reason.dataset.reason; this.check(); }
    const fill = hit("[data-fill]");
    if (fill) { this.form.elements[fill.dataset.fill].value = fill.dataset.value; this.paintFills(); this.check(); }
    this.pad.click(target);
    if (hit("[data-add-wager]")) this.addWager();
    if (hit("[data-add-throw]") && this.dice.full) this.putThrows([...this.throws, this.dice.faces]);
    const undone = hit("[data-drop-throw]");
    if (undone) this.putThrows(this.throws.filter((_, i) => i !== Number(undone.dataset.dropThrow)));
    const drop = hit("[data-drop-wager]");
    if (drop) { this.list.splice(Number(drop.dataset.dropWager), 1); this.paintList(); this.check(); }
  }

  cents() {
    return Math.round(Number(this.form.elements.dollars.value) * 100);
  }

  addWager() {
    const { seat, wager } = this.form.elements;
    if (this.cents() < 1) return;
    const single = this.fields.includes("play") && document.querySelector(`[data-wager="${wager.value}"][data-single]`);
    const play = single ? Number(this.form.elements.play.value) : undefined;
    const label = wager.selectedOptions[0].text + (play ? `, play ${play}` : "");
    this.list.push({ seat: Number(seat.value), wager: wager.value, cents: this.cents(), play, label });
    this.form.elements.dollars.value = "";
    this.paintList();
    this.check();
  }

  paintList() {
    this.box.querySelector("[data-list]").replaceChildren(...this.list.map((w, i) => {
      const item = document.createElement("li");
      item.append(`Seat ${w.seat}: ${w.label}, ${money(w.cents)}`);
      const drop = Object.assign(document.createElement("button"), { type: "button", className: "quick", textContent: "Take off" });
      drop.dataset.dropWager = i;
      item.append(drop);
      return item;
    }));
  }

  /* a game of several throws is written down throw by throw, the void ones left out */
  putThrows(throws) {
    this.throws = throws;
    this.dice.reset();
    this.paintThrows();
    this.check();
  }

  paintThrows() {
    this.box.querySelector("[data-throws]")?.replaceChildren(...this.throws.map((faces, i) => {
      const item = document.createElement("li");
      item.append(`Throw ${i + 1}: ${faces.join(" · ")}`);
      const drop = Object.assign(document.createElement("button"), { type: "button", className: "quick", textContent: "Take off" });
      drop.dataset.dropThrow = i;
      item.append(drop);
      return item;
    }));
  }

  params() {
    const { elements } = this.form, params = { ...this.given };
    const lying = this.state.round.wagers[Number(elements.lying.value)];
    for (const field of this.fields) {
      if (field === "dice") Object.assign(params, this.first ? { throws: [this.first, this.dice.faces] } : { dice: this.dice.faces });
      if (field === "throws") [params.dice, params.throws] = [undefined, this.throws];
      if (field === "seen") params.dice = this.dice.full ? this.dice.faces : null;
      if (field === "wager" && !this.fields.includes("list"))
        Object.assign(params, { seat: Number(elements.seat.value), wager: elements.wager.value, cents: this.cents() });
      if (field === "list") params.wagers = this.list.map(({ seat, wager, cents, play }) => ({ seat, wager, cents, ...(play && { play }) }));
      if (field === "lying") Object.assign(params, { seat: lying?.seat, wager: lying?.wager });
      if (field in WORDS) params[WORDS[field] || this.as] = elements[field].value.trim();
    }
    if (this.fields.includes("checks")) {
      for (const name of ["covered_or_signed", "removed_from_table"]) params[name] = elements[name].checked;
      if (elements.tested.checked) params.tosses = TOSSES;
    }
    if (this.fields.includes("by") && elements.by.value) params.activated_by_seat = Number(elements.by.value);
    if (this.fields.includes("lapsed")) params.acknowledge_lapsed = elements.lapsed.checked;
    if (this.fields.includes("secured")) params.secured = elements.secured.checked;
    if (!params.found) delete params.found;
    return params;
  }

  ready() {
    const params = this.params();
    const has = {
      dice: this.dice.full || (this.throws.length > 0 && !this.dice.faces.length), seen: this.dice.full || !this.dice.faces.length, wager: this.fields.includes("list") || params.cents > 0,
      list: this.list.length > 0, lying: Boolean(params.wager), reason: Boolean(params[this.as]), lot: Boolean(params.lot), shaker: Boolean(params.shaker),
      what: Boolean(params.what), text: Boolean(params.what), lapsed: params.acknowledge_lapsed,
      seal: Boolean(params.seal) || !this.form.elements.seal?.required, fault: Boolean(params.why), keep: Boolean(params.dice), secured: params.secured,
      witness: this.pad.full || (this.optional && !this.pad.pin) || (this.fields.includes("seen") && !this.dice.full),
    };
    return this.fields.every((field) => has[field] ?? true);
  }

  /* with dice seen a device failure is settled before a witness; without, it voids and needs none */
  check() {
    if (this.fields?.includes("seen")) {
      this.field("witness").hidden = !this.dice.full;
      this.box.classList.toggle("ask--pin", this.dice.full);
    }
    this.box.querySelector("[data-ask-extra]")?.toggleAttribute("hidden", !this.extraAwaited);
    this.box.querySelector("[data-go]").disabled = !this.ready() || this.extraAwaited;
  }

  say(text, section = "") {
    const slot = this.box.querySelector("[data-refused]");
    slot.hidden = !text;
    slot.textContent = section ? `${text} ${section}` : text;
  }

  async submit() {
    if (!this.ready()) return;
    const go = this.box.querySelector("[data-go]");
    const witness = this.pad.full ? { person: this.form.elements.person.value, pin: this.pad.pin } : null;
    go.disabled = true;
    const answer = await this.send(this.act, this.params(), witness);
    this.pad.set("");
    if (!answer.refusal) return this.box.close();
    this.say(answer.refusal.message, answer.refusal.section);
  }
}
