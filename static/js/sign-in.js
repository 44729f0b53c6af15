/* Sign-in on a shared tablet: select your name and tap six digits. The sixth digit sends the form. */

import { storedHeads } from "./heads.js";
import { PinPad } from "./pin-pad.js";

const form = document.getElementById("sign-in");
const { pin } = form.elements;
const heading = document.getElementById("pin-name");
const selectedPerson = () => form.querySelector("[name=person]:checked");
const pad = new PinPad(form, update, pin);

function update() {
  const person = selectedPerson();
  heading.textContent = person?.dataset.name ?? "Who are you?";
  form.classList.toggle("chosen", Boolean(person));
  if (pad.full && person && !form.dataset.sent) {
    form.dataset.sent = "1";
    form.requestSubmit();
  }
}

form.classList.add("tapped");
form.addEventListener("submit", () => { form.elements.heads.value = JSON.stringify(storedHeads()); });
form.addEventListener("click", ({ target }) => pad.click(target));
form.addEventListener("change", ({ target }) => {
  if (target.name !== "person") return pad.set(pin.value);
  form.querySelector(".refused")?.remove();
  pad.set("");
});
addEventListener("keydown", (event) => {
  if (event.target !== pin && !event.ctrlKey && !event.metaKey) pad.key(event);
});
addEventListener("pageshow", () => { delete form.dataset.sent; pad.set(""); });
