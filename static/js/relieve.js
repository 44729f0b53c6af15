/* Somebody of the floor relieves a dealer from the page of the table. They send who comes, as a move that is planned for now:
   the tablet has the name chosen, and one PIN there takes over. Or who comes signs here with their own PIN; a session begins
   only at its own device, so that the tablet then asks for the PIN, too. The page's own push shows the result. */

import { NO_ROUND, refusalText, tableQueues, uuid7 } from "./acts.js";
import { post } from "./dialogs.js";
import { PinPad } from "./pin-pad.js";
import { openDialog } from "./quick-taps.js";

const box = document.getElementById("relieve");
const card = () => document.querySelector("[data-local=relief]");
const checkedOf = (name) => card()?.querySelector(`[name="relief-${name}"]:checked`);
const goes = () => checkedOf("post")?.dataset.name ?? card()?.querySelector("[data-goes]")?.dataset.goes;

/* Who is planned here needs no sending. */
function paint() {
  const button = card()?.querySelector("[data-send-relief]"), comes = checkedOf("dealer");
  if (!button || !comes) return;
  const isPlanned = Boolean(comes.dataset.post), { name } = comes.dataset;
  button.textContent = isPlanned ? `${name} is sent` : `Send ${name}`;
  button.disabled = isPlanned;
  say(isPlanned ? `The tablet has ${name} chosen: the PIN there takes over.` : "");
}

function say(text, isRefusal = false) {
  const line = card()?.querySelector("[data-relief-say]");
  if (!line) return;
  Object.assign(line, { textContent: text, hidden: !text });
  line.classList.toggle("warns", isRefusal);
}

let sent = null;  // without an answer the same act is sent again with its command

async function sendToTablet(button) {
  const dealer = checkedOf("dealer"), relieved = checkedOf("post");
  if (!dealer || button.hasAttribute("aria-busy")) return;
  const params = { "person": dealer.value, "table": button.dataset.table, "planned_for": new Date().toISOString(), ...(relieved && { "post": relieved.value }) };
  const key = `${dealer.value} ${relieved?.value ?? ""}`;
  if (sent?.key !== key) sent = { key, body: { command: uuid7(), "seen": 0, params } };
  button.setAttribute("aria-busy", "true");
  const { refusal } = await post(button.dataset.sendRelief, sent.body);
  button.removeAttribute("aria-busy");
  if (refusal?.code !== "no-answer") sent = null;
  if (refusal) return say(refusalText(refusal), true);
  dispatchEvent(new CustomEvent("summary:outdated", { detail: "relief" }));
}

/* A plan says at which post. */
function choose({ target }) {
  if (target.name === "relief-dealer" && target.dataset.post) {
    const whose = document.getElementById(`goes-${target.dataset.post}`);
    if (whose) whose.checked = true;
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

  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-relieve]")) open();
    const button = target.closest("[data-send-relief]");
    if (button) sendToTablet(button);
  });
  box.addEventListener("click", ({ target }) => pad.click(target));
  box.addEventListener("keydown", (event) => { if (!event.ctrlKey && !event.metaKey) pad.key(event); });
  document.addEventListener("change", choose);
  document.addEventListener("summary:shown", paint);
}
