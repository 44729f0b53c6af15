/* Sign-in on a shared tablet: choose yourself, tap six digits, they send themselves. */

const PIN = 6;
const form = document.getElementById("sign-in");
const pin = form.elements.pin;
const dots = form.querySelector(".dots");
const name = document.getElementById("pin-name");
const chosen = () => form.querySelector("[name=person]:checked");

function paint() {
  [...dots.children].forEach((dot, i) => dot.classList.toggle("in", i < pin.value.length));
  dots.setAttribute("aria-label", `${pin.value.length} of ${PIN} digits`);
  name.textContent = chosen()?.dataset.name ?? "Who are you?";
  form.classList.toggle("chosen", Boolean(chosen()));
  if (pin.value.length === PIN && chosen() && !form.dataset.sent) {
    form.dataset.sent = "1";
    form.requestSubmit();
  }
}

form.classList.add("tapped");
form.addEventListener("click", ({ target }) => {
  const digit = target.closest("[data-digit]");
  if (digit && pin.value.length < PIN) pin.value += digit.dataset.digit;
  if (target.closest("[data-back]")) pin.value = pin.value.slice(0, -1);
  if (target.closest("[data-clear]")) pin.value = "";
  paint();
});
form.addEventListener("change", ({ target }) => { if (target.name === "person") { pin.value = ""; form.querySelector(".refused")?.remove(); } paint(); });
addEventListener("keydown", (event) => {
  if (event.target === pin || event.ctrlKey || event.metaKey) return;
  if (/^\d$/.test(event.key) && pin.value.length < PIN) pin.value += event.key;
  else if (event.key === "Backspace") pin.value = pin.value.slice(0, -1);
  else return;
  paint();
});
addEventListener("pageshow", () => { delete form.dataset.sent; pin.value = ""; paint(); });
