/* The rules office: dialogs as in the other rooms, and files. A file field sends its file as soon as it is chosen and
   then names the document that it became; a dialog with [data-the-file] sends its file with the act itself. */

import { uuid7 } from "./acts.js";
import { post } from "./rooms.js";

const MOST = 8 * 1024 * 1024;
const hall = () => document.getElementById("room");

/* only a secure page may count; elsewhere the server does it alone */
async function sha256(file) {
  if (!crypto.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function form(command, title, file) {
  const body = new FormData(), counted = await sha256(file);
  body.set("command", command);
  body.set("title", title);
  if (counted) body.set("sha256", counted);
  body.set("file", file);
  return body;
}

const stem = (name) => name.replace(/\.[^.]*$/, "");

async function file(field) {
  const { files: [chosen], dataset: { title } } = field.querySelector("input[type=file]");
  const hidden = field.querySelector("input[type=hidden]"), said = field.querySelector("[data-file-said]");
  const say = (text, bad = false) => { said.textContent = text; field.classList.toggle("bad", bad); };
  const changed = () => hidden.dispatchEvent(new Event("input", { bubbles: true }));
  hidden.value = "";
  changed();
  if (!chosen) return say("PDF, PNG, JPEG or text, up to 8 MB");
  if (chosen.size > MOST) return say(`${chosen.name} is larger than 8 MB.`, true);
  say(`Sending ${chosen.name} …`);
  const answer = await post(hall().dataset.file, await form(uuid7(), `${title}: ${stem(chosen.name)}`.slice(0, 120), chosen));
  if (field.querySelector("input[type=file]").files[0] !== chosen) return;
  if (answer.refusal) return say(answer.refusal.message, true);
  hidden.value = answer.answer.document;
  const { document: code, same_as: same } = answer.answer;
  say(`${code}, ${chosen.name}${same ? `; the same file is ${same} already` : ""}`);
  changed();
}

document.addEventListener("change", ({ target }) => {
  const field = target.closest("[data-file-field]");
  if (field && target.type === "file") file(field);
  if (target.matches("[data-the-file]")) {
    const [chosen] = target.files, name = target.form.querySelector("[name=filename]"), title = target.form.querySelector("[name=title]");
    name.value = chosen?.name ?? "";
    if (chosen && !title.value) title.value = stem(chosen.name).slice(0, 120);
    name.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

addEventListener("room:open", ({ detail: { slip } }) => {
  const chosen = slip.box.querySelector("[data-the-file]");
  if (chosen) slip.send = async (address, { command, params }) => {
    const answer = await post(address, await form(command, params.title, chosen.files[0]));
    same = answer.answer?.same_as ?? "";
    return answer;
  };
});

/* the same bytes may be filed again, and whoever does so is told */
let same = "";
addEventListener("screen:applied", () => {
  const [told] = [same, same = ""];
  if (told) queueMicrotask(() => { document.getElementById("said").textContent += `. The same file is ${told} already.`; });
});
