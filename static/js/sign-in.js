/* Sign-in on a shared device: find your name, tap it, and tap six digits. The sixth digit sends the form. */

import "./clocks.js";
import { storedHeads } from "./heads.js";
import { lettersAfter, matchOf } from "./people-search.js";
import { PinPad } from "./pin-pad.js";

const form = document.getElementById("sign-in");
const { pin } = form.elements;
const part = (selector) => form.querySelector(selector);
const search = part("#find");
const people = [...form.querySelectorAll("[name=person]")];
const elsewhere = [...form.querySelectorAll("[data-elsewhere]")];  // listed by a search alone, and nobody to tap
const selectedPerson = () => form.querySelector("[name=person]:checked");
const pad = new PinPad(form, { changed: update, complete: signIn, field: pin });

function update() {
  const person = selectedPerson();
  part("#pin-name").textContent = person?.dataset.name ?? "Who are you?";
  part("#pin-role").textContent = person?.dataset.role ?? "Tap your name, then your PIN.";
  part("[data-somebody-else]").hidden = !person;
  form.classList.toggle("chosen", Boolean(person));
  showEffects(person?.dataset.effects ?? "");
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

function find(text) {
  if (search.value !== text) search.value = text;
  let matches = 0;
  for (const person of people) {
    const { name } = person.dataset, start = matchOf(name, text);
    person.closest("li").hidden = start < 0;
    matches += start >= 0;
    underline(person.closest("label").querySelector("strong"), name, start, text.trim().length);
  }
  const all = people.length, inList = matches;
  for (const item of elsewhere) {
    const { elsewhere: name } = item.dataset, start = text.trim() ? matchOf(name, text) : -1;
    item.hidden = start < 0;
    matches += start >= 0;
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

function click(target) {
  pad.click(target);
  const letter = target.closest("[data-letter]");
  if (letter) find(search.value + letter.dataset.letter);
  if (target.closest("[data-letter-back]")) find(search.value.slice(0, -1));
  if (target.closest("[data-find-clear]")) find("");
  if (target.closest("[data-somebody-else]")) {
    const person = selectedPerson();
    if (person) person.checked = false;
    forgetRefusal();
    find("");
    pad.set("");
  }
}

const forgetRefusal = () => part(".refused")?.remove();

form.classList.add("tapped");
form.addEventListener("submit", () => { form.elements.heads.value = JSON.stringify(storedHeads()); });
form.addEventListener("click", ({ target }) => click(target));
form.addEventListener("change", ({ target }) => {
  if (target === search) return;
  if (target.name !== "person") return pad.set(pin.value);
  forgetRefusal();
  pad.set("");
  part(".keys").scrollIntoView({ block: "nearest" });
});
search.addEventListener("input", () => find(search.value));
search.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
addEventListener("keydown", (event) => {
  if (event.target !== pin && event.target !== search && !event.ctrlKey && !event.metaKey) pad.key(event);
});
addEventListener("pageshow", () => {
  find("");
  pad.reset();
});
