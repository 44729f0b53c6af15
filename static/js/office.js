/* The rules office: dialogs as on the other pages, and files. A file field uploads its file as soon as it is selected, and
   then sends the code of the document. A dialog with [data-the-file] sends its file with the act itself. */

import { uuid7 } from "./acts.js";
import { content, post } from "./dialogs.js";

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_TITLE = 120;
let duplicateOf = "";

/* Only a secure page can hash a file; elsewhere the server does it alone. */
async function sha256(file) {
  if (!crypto.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function uploadBody(command, params, file) {
  const body = new FormData(), hash = await sha256(file);
  body.set("command", command);
  for (const [name, value] of Object.entries(params)) body.set(name, value);
  if (hash) body.set("sha256", hash);
  body.set("file", file);
  return body;
}

const stemOf = (name) => name.replace(/\.[^.]*$/, "");

async function upload(field) {
  const fileInput = field.querySelector("input[type=file]"), { files: [file], dataset: { title } } = fileInput;
  const hidden = field.querySelector("input[type=hidden]"), status = field.querySelector("[data-file-status]");
  const showStatus = (text, isBad = false) => { status.textContent = text; field.classList.toggle("bad", isBad); };
  const setDocument = (code) => {
    hidden.value = code;
    hidden.dispatchEvent(new Event("input", { bubbles: true }));
  };
  setDocument("");
  if (!file) return showStatus("PDF, PNG, JPEG or text, up to 8 MB");
  if (file.size > MAX_BYTES) return showStatus(`${file.name} is larger than 8 MB.`, true);
  showStatus(`Sending ${file.name} …`);
  const body = await uploadBody(uuid7(), { title: `${title}: ${stemOf(file.name)}`.slice(0, MAX_TITLE) }, file);
  const { refusal, answer } = await post(content().dataset.file, body);
  if (fileInput.files[0] !== file) return;
  if (refusal) return showStatus(refusal.message, true);
  showStatus(`${answer.document}, ${file.name}${answer.same_as ? `; the same file is already ${answer.same_as}` : ""}`);
  setDocument(answer.document);
}

document.addEventListener("change", ({ target }) => {
  const field = target.closest("[data-file-field]");
  if (field && target.type === "file") upload(field);
  if (target.matches("[data-the-file]")) {
    const [file] = target.files, input = (name) => target.form.querySelector(`[name=${name}]`);
    const filename = input("filename"), title = input("title");
    filename.value = file?.name ?? "";
    if (file && !title.value) title.value = stemOf(file.name).slice(0, MAX_TITLE);
    filename.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

addEventListener("dialog:open", ({ detail: { dialog } }) => {
  const fileInput = dialog.box.querySelector("[data-the-file]");
  if (fileInput) dialog.send = async (url, { command, params }) => {
    const result = await post(url, await uploadBody(command, params, fileInput.files[0]));
    duplicateOf = result.answer?.same_as ?? "";
    return result;
  };
});

/* The same bytes may be filed again; the message says so. */
addEventListener("screen:applied", () => {
  const code = duplicateOf;
  duplicateOf = "";
  if (code) queueMicrotask(() => {
    document.getElementById("status-message").textContent += `. The same file is already ${code}.`;
  });
});
