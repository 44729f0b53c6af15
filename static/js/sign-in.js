/* Sign-in on a shared device: find your name, tap it, and tap six digits. The sixth digit sends the form. Until a name is
   chosen the digits are those of a badge; the last one chooses its person. They are shown as dots, like those of a PIN
   that somebody types too early. */

import "./clocks.js";
import { storedHeads } from "./heads.js";
import { Updates } from "./kiosk.js";
import { badgeMatches, lettersAfter, matchOf, personOfBadge } from "./people-search.js";
import { PinPad } from "./pin-pad.js";

const form = document.getElementById("sign-in");
const { pin, password } = form.elements;
const part = (selector) => form.querySelector(selector);
const search = part("#find");
const people = [...form.querySelectorAll("[name=person]")];
const elsewhere = [...form.querySelectorAll("[data-elsewhere]")];  // listed by a search alone, and nobody to tap
const selectedPerson = () => form.querySelector("[name=person]:checked");
const isOffice = form.classList.contains("needs-password");  // nobody signs in with a PIN alone
const pad = new PinPad(form, { changed: update, complete: signIn, field: pin });
const badge = new PinPad(form, { changed: findByBadge });

function update() {
  const person = selectedPerson();
  part("#pin-name").textContent = person?.dataset.name ?? "Who are you?";
  part("#pin-role").textContent = person ? roleAndBadge(person.dataset) : "Tap your name, or key in your badge number.";
  choosePasswordOrPin(person);
  part("[data-somebody-else]").hidden = !person;
  form.classList.toggle("chosen", Boolean(person));
  showEffects(person?.dataset.effects ?? "");
}

const roleAndBadge = ({ role, badge: number }) => (number ? `${role}, badge ${number}` : role);

/* Six digits without a person are no badge of anybody here: probably a PIN. */
function findByBadge() {
  if (badge.pin === "") return find(search.value);
  find("", badge.pin);
  const person = personOfBadge(people, badge.pin);
  if (person) {
    person.checked = true;
    choose();
    find("");
    person.closest("li").scrollIntoView({ block: "nearest" });
  } else if (part(".people li:not([hidden])") === null) badge.say("Nobody on duty here has this badge number. Tap your name, or start over.", true);
  else if (badge.full) badge.say("Tap your name.");
}

/* What the page shows once a name is chosen: its PIN or password is next. */
function choose() {
  badge.field.value = "";
  forgetRefusal();
  pad.set("");
  if (!password.disabled) password.focus();
}

/* At an office everybody needs a password, at a podium some people do. */
function choosePasswordOrPin(person) {
  const needsPassword = Boolean(person) && (isOffice || "takesPassword" in person.dataset);
  form.classList.toggle("needs-password", needsPassword);
  pin.disabled = needsPassword;
  password.disabled = !needsPassword;
}

/* The page that answers takes the place of this one. */
function signIn() {
  if (!selectedPerson()) return pad.say("Tap your name.", true);
  pad.sendOnce(() => {
    form.requestSubmit();
    return new Promise(() => {});
  });
}

function showEffects(effects) {
  const lines = effects.split("|").filter(Boolean).map((effect) => {
    const line = document.createElement("li");
    line.textContent = effect;
    return line;
  });
  part(".effects").hidden = lines.length === 0;
  part(".effects ul").replaceChildren(...lines);
}

function find(text, keyedBadge = "") {
  if (search.value !== text) search.value = text;
  const digits = keyedBadge || text.trim();
  let matches = 0;
  for (const person of people) {
    const { name } = person.dataset, start = keyedBadge ? -1 : matchOf(name, text);
    const isMatch = start >= 0 || badgeMatches(person.dataset.badge, digits);
    person.closest("li").hidden = !isMatch;
    matches += isMatch;
    underline(person.closest("label").querySelector("strong"), name, start, text.trim().length);
  }
  const all = people.length, inList = matches;
  for (const item of elsewhere) {
    const { elsewhere: name } = item.dataset, start = text.trim() ? matchOf(name, text) : -1;
    const isMatch = start >= 0 || badgeMatches(item.dataset.badge, digits);
    item.hidden = !isMatch;
    matches += isMatch;
    underline(item.querySelector("strong"), name, start, text.trim().length);
  }
  part(".find-count").textContent = inList < all ? `${inList} of ${all} on duty here` : `${all} on duty here, last here first`;
  part(".no-match").hidden = matches > 0;
  part("[data-find-clear]").hidden = text === "";
  const letters = lettersAfter([...people.map((person) => person.dataset.name), ...elsewhere.map((item) => item.dataset.elsewhere)], text);
  for (const key of form.querySelectorAll("[data-letter]")) key.disabled = !letters.has(key.dataset.letter);
  part("[data-letter-back]").disabled = text === "";
}

function underline(element, name, start, length) {
  if (start < 0 || length === 0) return element.replaceChildren(name);
  const mark = document.createElement("mark");
  mark.textContent = name.slice(start, start + length);
  element.replaceChildren(name.slice(0, start), mark, name.slice(start + length));
}

const padInUse = () => (selectedPerson() ? !pin.disabled && pad : badge) || null;

function click(target) {
  padInUse()?.click(target);
  const letter = target.closest("[data-letter]");
  if (letter) {
    badge.set("");
    find(search.value + letter.dataset.letter);
  }
  if (target.closest("[data-letter-back]")) find(search.value.slice(0, -1));
  if (target.closest("[data-find-clear]")) find("");
  if (target.closest("[data-somebody-else]")) {
    const person = selectedPerson();
    if (person) person.checked = false;
    forgetRefusal();
    find("");
    badge.set("");
    pad.set("");
  }
}

const forgetRefusal = () => part(".refused")?.remove();

form.classList.add("tapped");
form.addEventListener("submit", () => { form.elements.heads.value = JSON.stringify(storedHeads()); });
form.addEventListener("click", ({ target }) => click(target));
form.addEventListener("change", ({ target }) => {
  if (target === search || target === password) return;
  if (target.name !== "person") return pad.set(pin.value);
  choose();
});
search.addEventListener("input", () => find(search.value));
search.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
addEventListener("keydown", (event) => {
  if (event.target !== pin && event.target !== password && event.target !== search && !event.ctrlKey && !event.metaKey) padInUse()?.key(event);
});
Updates.watch({ mayUpdate: () => true, reloads: false });  // no round is on this page, and nothing is taken from who types
addEventListener("pageshow", () => {
  find("");
  badge.reset();
  pad.reset();
});
