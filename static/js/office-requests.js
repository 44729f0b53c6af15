/* Dialogs of requests and tests: the value of one field hides others, and a hidden field sends nothing. [data-unless="none"]
   is hidden while that box is ticked. [data-when="class=variation,composite"] is visible with these values. */

function valueOf(form, name) {
  const fields = [...form.querySelectorAll(`[name="${name}"]`)];
  const field = fields.find((candidate) => candidate.type !== "radio" || candidate.checked);
  return field?.type === "checkbox" ? field.checked : field?.value;
}

function show(part, visible) {
  part.hidden = !visible;
  for (const field of part.querySelectorAll("input, select, textarea")) field.disabled = !visible;
}

addEventListener("dialog:update", ({ detail: { dialog: { form } } }) => {
  for (const part of form.querySelectorAll("[data-unless]")) show(part, !valueOf(form, part.dataset.unless));
  for (const part of form.querySelectorAll("[data-when]")) {
    const [name, values] = part.dataset.when.split("=");
    const isInHidden = part.parentElement.closest("[data-unless][hidden]");
    show(part, !isInHidden && values.split(",").includes(valueOf(form, name) ?? "\0"));
  }
  for (const part of form.querySelectorAll("[data-of-rules]")) show(part, part.dataset.ofRules === valueOf(form, "rules"));
});
