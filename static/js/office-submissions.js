/* The dialogs of a submission. Their rows come from templates, because a dialog begins with empty lists. The form shows
   the house edge of each payout as it is typed. Only the server decides: these figures save a request. */

const ODDS = /^([1-9]\d{0,8})(?: to ([1-9]\d{0,8}))?$/;

/* Fills the lists, unless they still have what was typed before. */
function fillRows(box) {
  for (const list of box.querySelectorAll("[data-from]"))
    if (!list.querySelector("[data-row]")) list.replaceChildren(list.nextElementSibling.content.cloneNode(true));
}

/* The ratio of the odds and the house edge in hundredths of a percent; undefined when the text is not odds. */
function evaluateOdds({ wins, of: outcomes, floor }, text) {
  const [, to, per = "1"] = (text.trim() || floor).match(ODDS) ?? [];
  if (!to) return undefined;
  const wagered = Number(outcomes) * Number(per), returned = Number(wins) * (Number(to) + Number(per));
  return { hundredths: Math.round((10_000 * (wagered - returned)) / wagered), ratio: Number(to) / Number(per) };
}

function formatEdge(hundredths) {
  return `${hundredths < 0 ? "−" : ""}${(Math.abs(hundredths) / 100).toFixed(2)} %`;
}

function describe(odds, isUnderFloor) {
  if (!odds) return "not odds";
  if (isUnderFloor) return "under the floor";
  return odds.hundredths < 0 ? `${formatEdge(odds.hundredths)}, for the player` : formatEdge(odds.hundredths);
}

function update(row) {
  const field = row.querySelector("[name=odds]");
  const odds = evaluateOdds(row.dataset, field.value), floor = evaluateOdds(row.dataset, "");
  const isUnderFloor = Boolean(odds) && odds.ratio < floor.ratio;
  const isBad = !odds || isUnderFloor || odds.hundredths < 0;
  row.querySelector("output").textContent = describe(odds, isUnderFloor);
  row.classList.toggle("bad", isBad);
  row.classList.toggle("raised", Boolean(field.value.trim()) && !isBad);
  if (isBad) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

addEventListener("dialog:open", ({ detail: { dialog } }) => fillRows(dialog.box));

addEventListener("dialog:update", ({ detail: { dialog: { box } } }) => {
  for (const row of box.querySelectorAll(".pay-row")) update(row);
  const isDenied = Boolean(box.querySelector("[name=granted][value='0']")?.checked);
  for (const part of box.querySelectorAll("[data-if-granted]")) {
    part.hidden = isDenied;
    part.querySelector("input").disabled = isDenied;
  }
});
