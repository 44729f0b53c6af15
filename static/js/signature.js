/* Asks a second person to sign an act that the server has refused without one, on pages that have the dialog #signature: who
   may sign comes from the server, and their PIN is sent with the same act. */

import { PIN_REFUSALS, PinPad } from "./pin-pad.js";
import { openDialog } from "./quick-taps.js";

export const SIGNATURE_NEEDED = "second-person-must-sign";
const NOBODY = "Nobody who may sign this is on duty here.";

async function fetchSigners(address) {
  const answer = await fetch(address, { headers: { Accept: "application/json" } }).then((response) => response.json()).catch(() => null);
  return answer?.signers ?? [];
}

/* Asks until somebody has signed and the act is answered: `send` sends it with {person, pin} and resolves to its answer. A
   refusal of the PIN is said at the pad. Resolves to undefined where nobody signs. */
export async function sendSigned(refusal, address, send) {
  const box = document.getElementById("signature");
  if (!box) return undefined;
  const signers = await fetchSigners(address), select = box.querySelector("[data-signers]");
  select.replaceChildren(...signers.map(({ code, name, role }) => new Option(`${name}, ${role}`, code)));
  box.querySelector("[data-why]").textContent = signers.length ? refusal.message : `${refusal.message} ${NOBODY}`;
  return new Promise((resolve) => {
    const controller = new AbortController(), { signal } = controller;
    const end = (answer) => {
      if (signal.aborted) return;
      controller.abort();
      box.close();
      resolve(answer);
    };
    const pad = new PinPad(box, { complete: async () => {
      if (!select.value) return;
      const { pin } = pad, person = select.value;
      const answer = await pad.sendOnce(() => send({ person, pin }));
      if (answer?.refusal && PIN_REFUSALS.includes(answer.refusal.code)) return pad.refuse(answer.refusal);
      if (answer) end(answer);
    } });
    pad.reset();
    pad.setHint("They enter their own PIN. The sixth digit signs.");
    box.addEventListener("click", ({ target }) => (target.closest("[data-close]") ? end() : pad.click(target)), { signal });
    box.addEventListener("keydown", (event) => { if (!event.ctrlKey && !event.metaKey) pad.key(event); }, { signal });
    box.addEventListener("close", () => end(), { signal });
    openDialog(box);
  });
}
