/* Dialogs of requests and tests: what was said elsewhere in the dialog hides a field, and a hidden field says nothing.
   [data-unless="none"] goes where that box is ticked; [data-when="class=variation,composite"] stands with these values. */

function said(form, name) {
  const [field] = [...form.querySelectorAll(`[name="${name}"]`)].filter((one) => one.type !== "radio" || one.checked);
  return field?.type === "checkbox" ? field.checked : field?.value;
}

function show(part, shown) {
  part.hidden = !shown;
  for (const field of part.querySelectorAll("input, select, textarea")) field.disabled = !shown;
}

addEventListener("room:check", ({ detail: { slip: { form } } }) => {
  for (const part of form.querySelectorAll("[data-unless]")) show(part, !said(form, part.dataset.unless));
  for (const part of form.querySelectorAll("[data-when]")) {
    const [name, values] = part.dataset.when.split("=");
    const off = part.parentElement.closest("[data-unless][hidden]");
    show(part, !off && values.split(",").includes(said(form, name) ?? "\0"));
  }
  for (const part of form.querySelectorAll("[data-of-rules]")) show(part, part.dataset.ofRules === said(form, "rules"));
});
