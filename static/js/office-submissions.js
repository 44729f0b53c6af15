/* A submission's dialogs: their rows come from templates, because a dialog begins with empty lists; and the form says at
   once what a payout leaves the house. The gate alone decides: these figures only save a walk to it. */

const WRITTEN = /^([1-9]\d{0,8})(?: to ([1-9]\d{0,8}))?$/;

/* rows of a list, unless what was typed before is still there */
function fill(box) {
  for (const list of box.querySelectorAll("[data-from]"))
    if (!list.querySelector("[data-row]")) list.replaceChildren(list.nextElementSibling.content.cloneNode(true));
}

/* hundredths of a percent that a payout leaves the house; undefined for what is no odds */
function kept({ wins, of, floor }, written) {
  const [, to, per = "1"] = (written.trim() || floor).match(WRITTEN) ?? [];
  if (!to) return undefined;
  const all = Number(of) * Number(per);
  return { hundredths: Math.round((10_000 * (all - Number(wins) * (Number(to) + Number(per)))) / all), ratio: Number(to) / Number(per) };
}

function say(row) {
  const field = row.querySelector("[name=odds]"), output = row.querySelector("output");
  const found = kept(row.dataset, field.value), least = kept(row.dataset, "");
  const under = found && found.ratio < least.ratio, favours = found && found.hundredths < 0;
  const figure = found && `${found.hundredths < 0 ? "−" : ""}${(Math.abs(found.hundredths) / 100).toFixed(2)} %`;
  output.textContent = !found ? "not odds" : under ? "under the floor" : favours ? `${figure}, for the player` : figure;
  row.classList.toggle("bad", !found || under || favours);
  row.classList.toggle("raised", Boolean(field.value.trim()) && !under && !favours && Boolean(found));
  field.toggleAttribute("aria-invalid", false);
  if (!found || under || favours) field.setAttribute("aria-invalid", "true");
}

addEventListener("room:open", ({ detail: { slip } }) => fill(slip.box));

addEventListener("room:check", ({ detail: { slip } }) => {
  for (const row of slip.box.querySelectorAll(".pay-row")) say(row);
  const denied = slip.box.querySelector("[name=granted][value='0']")?.checked;
  for (const part of slip.box.querySelectorAll("[data-if-granted]")) {
    part.hidden = Boolean(denied);
    part.querySelector("input").disabled = Boolean(denied);
  }
});
