/* Forms about second factors. A button [data-use-key] sends its form with the key's answer in the field [data-key]. A form
   with [data-confirmed] is sent only after a second factor of the last ten minutes. */

import { askKey, confirmFactor } from "./step-up.js";

/* Sends a form with the answer of a key. */
async function useKey(button) {
  const { form } = button, slot = button.parentElement.querySelector("[data-key-refused]");
  const { askKey: url, step = "" } = button.closest("[data-ask-key]").dataset;
  slot.hidden = true;
  if (!hasOtherFields(form)) return;
  if (form.matches("[data-confirmed]") && !await confirmFactor()) return;
  button.setAttribute("aria-busy", "true");
  try {
    form.querySelector("[data-key]").value = await askKey(url, { isNew: "new" in button.dataset, step });
    form.submit();
  } catch (error) {
    slot.textContent = error.message;
    slot.hidden = false;
  }
  button.removeAttribute("aria-busy");
}

/* Whether what else the form needs is typed: the new password. */
const hasOtherFields = (form) => [...form.querySelectorAll("[required]")].every((field) => field.reportValidity());

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-use-key]");
  if (button) useKey(button);
});
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-confirmed]")) return;
  event.preventDefault();
  const { submitter } = event;
  if (!await confirmFactor()) return;
  if (submitter?.name) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: submitter.name, value: submitter.value }));
  form.submit();
});
