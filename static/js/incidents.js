/* A device that § 521.6 forbids is logged from the page of its table. The page's own push shows the result. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";

const box = document.getElementById("device");

if (box) {
  const form = box.querySelector("form"), message = box.querySelector("[data-refused]");
  const queue = tableQueues()(box.dataset);
  const showRefusal = (text) => { message.textContent = text; message.hidden = !text; };

  document.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-log-device]")) return;
    form.reset();
    showRefusal("");
    box.showModal();
  });
  form.addEventListener("input", () => showRefusal(""));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (queue.busy) return;
    const { seat, what: device, action } = form.elements;
    const params = { "seat": Number(seat.value), "what": device.value.trim(), "action": action.value.trim() };
    const { refusal } = await queue.send("log_device_incident", params, NO_ROUND);
    if (refusal) showRefusal(refusalText(refusal));
    else box.close();
  });
}
