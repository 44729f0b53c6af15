/* Somebody of the floor relieves a dealer from the page of the table: who comes signs with their own PIN. The page's own push
   shows the result. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";
import { PinPad } from "./pin-pad.js";
import { openDialog } from "./quick-taps.js";

const box = document.getElementById("relieve");
const card = () => document.querySelector("[data-local=relief]");
const checkedOf = (name) => card()?.querySelector(`[name="relief-${name}"]:checked`);
const goes = () => checkedOf("post")?.dataset.name ?? card()?.querySelector("[data-goes]")?.dataset.goes;

function paint() {
  const button = card()?.querySelector("[data-relieve]"), comes = checkedOf("dealer");
  if (button && comes) button.textContent = `Relieve by ${comes.dataset.name}`;
}

/* A plan says at which post. */
function choose({ target }) {
  if (target.name === "relief-dealer" && target.dataset.post) {
    const post = document.getElementById(`goes-${target.dataset.post}`);
    if (post) post.checked = true;
  }
  if (card()?.contains(target)) paint();
}

if (box) {
  const queue = tableQueues()(box.dataset), message = box.querySelector("[data-refused]");
  const pad = new PinPad(box, { complete: send });
  let relief = null;
  const showRefusal = (text) => { message.textContent = text; message.hidden = !text; };

  function open() {
    const dealer = checkedOf("dealer");
    if (!dealer) return;
    relief = { person: dealer.value, params: checkedOf("post") ? { "post": checkedOf("post").value } : {} };
    const name = goes();
    box.querySelector("[data-comes]").textContent = dealer.dataset.name;
    box.querySelector("p[data-goes]").textContent = name
      ? `${name} goes. The round and what lies on the layout go on.` : "Nobody is there now.";
    showRefusal("");
    pad.reset();
    pad.setHint(`${dealer.dataset.name} enters their own PIN. The sixth digit takes over.`);
    openDialog(box);
  }

  async function send() {
    const { person, params } = relief, { pin } = pad;
    const answer = await pad.sendOnce(() => queue.send("relieve_dealer", params, NO_ROUND, { person, pin }));
    if (!answer) return;
    const { refusal } = answer;
    if (refusal && !pad.refuse(refusal)) showRefusal(refusalText(refusal));
    if (!refusal) box.close();
    dispatchEvent(new CustomEvent("summary:outdated", { detail: "relief" }));
  }

  document.addEventListener("click", ({ target }) => { if (target.closest("[data-relieve]")) open(); });
  box.addEventListener("click", ({ target }) => pad.click(target));
  box.addEventListener("keydown", (event) => { if (!event.ctrlKey && !event.metaKey) pad.key(event); });
  document.addEventListener("change", choose);
  document.addEventListener("summary:shown", paint);
}
