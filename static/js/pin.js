/* Sign-in on a shared tablet: choose yourself, tap six digits, they send themselves. */

import { Pad } from "./pad.js";

const form = document.getElementById("sign-in");
const { pin } = form.elements;
const name = document.getElementById("pin-name");
const chosen = () => form.querySelector("[name=person]:checked");
const pad = new Pad(form, painted, pin);

function painted() {
  name.textContent = chosen()?.dataset.name ?? "Who are you?";
  form.classList.toggle("chosen", Boolean(chosen()));
  if (pad.full && chosen() && !form.dataset.sent) {
    form.dataset.sent = "1";
    form.requestSubmit();
  }
}

form.classList.add("tapped");
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
