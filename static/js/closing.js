/* A floorperson closes a table from its page. What closing asks about dice and shaker comes with each push. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";

const box = document.getElementById("close-table");
const DICE = { stay: "stay in the shaker", removed: "are removed" };

if (box) {
  const form = box.querySelector("form"), message = box.querySelector("[data-refused]");
  const queue = tableQueues()(box.dataset);
  const showRefusal = (text) => { message.textContent = text; message.hidden = !text; };

  const showAsks = ({ dice = "", secure = "" }) => {
    const choices = dice.split(" ").filter(Boolean);
    form.elements.dice.replaceChildren(...choices.map((value) => Object.assign(document.createElement("option"), { value, textContent: DICE[value] })));
    form.elements.dice.closest("label").hidden = choices.length === 0;
    const label = form.querySelector("[data-secure]");
    label.hidden = !secure;
    label.querySelector("span").textContent = `Shaker ${secure} is locked away`;
  };

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-close-table]");
    if (!button) return;
    form.reset();
    showAsks(button.dataset);
    showRefusal("");
    box.showModal();
  });
  form.addEventListener("input", () => showRefusal(""));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (queue.busy) return;
    const { dice, secured } = form.elements;
    const params = { ...(dice.value && { "dice": dice.value }), "secured": secured.checked };
    const { refusal } = await queue.send("close_table", params, NO_ROUND);
    if (refusal) showRefusal(refusalText(refusal));
    else box.close();
  });
}
