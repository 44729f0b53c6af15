/* Asks for a second factor: a security key that answers or is registered, and the dialog for an act that needs one. */

import { csrfToken } from "./csrf.js";

export const FACTOR_NEEDED = "second-factor-needed";
const TOO_OLD = "This browser cannot use security keys here. They need HTTPS and a current browser.";
const NO_KEY = "The key did not answer. Press the button and touch the key when it blinks.";
const SIGNED_OUT = "Nobody is signed in here any more. Load the page again.";
const NO_RESPONSE = "The server cannot be reached. Try again.";

async function postForm(url, fields) {
  const body = new URLSearchParams({ ...fields, csrfmiddlewaretoken: csrfToken() });
  const response = await fetch(url, { method: "POST", body, headers: { Accept: "application/json" } });
  if ([401, 423].includes(response.status) && !response.headers.get("Content-Type")?.includes("json"))
    return { refusal: { message: SIGNED_OUT } };
  return response.json();
}

/* What the key answers, as the text that the server reads. Throws an Error with a sentence for the person. */
export async function askKey(url, { isNew = false, step = "" } = {}) {
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) throw new Error(TOO_OLD);
  const answer = await postForm(url, { ...(isNew && { "new": "1" }), ...(step && { step }) }).catch(() => null);
  if (!answer?.publicKey) throw new Error(answer?.refusal?.message ?? NO_RESPONSE);
  const { publicKey } = answer;
  try {
    const credential = isNew
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
    return JSON.stringify(credential.toJSON());
  } catch {
    throw new Error(NO_KEY);
  }
}

/* Asks for a second factor unless one was given a moment ago, and resolves to whether there is one. Every caller that
   waits meanwhile gets the same answer. */
let asking = null;
export function confirmFactor({ addresses = addressesOf() } = {}) {
  asking ??= new Promise((resolve) => { ask(addresses, resolve); }).finally(() => { asking = null; });
  return asking;
}

const addressesOf = () => ({ again: "/sign-in/again", key: "/sign-in/key" });

async function ask({ again, key }, resolve) {
  const kinds = await fetch(again, { headers: { Accept: "application/json" } }).then((response) => response.json()).catch(() => null);
  if (kinds?.fresh) return resolve(true);
  const box = dialog(kinds);
  const refuse = (text) => {
    const slot = box.querySelector("[data-refused]");
    slot.textContent = text;
    slot.hidden = false;
  };
  const send = async (fields) => {
    const answer = await postForm(again, fields).catch(() => null);
    if (answer && !answer.refusal) return box.close("given");
    refuse(answer?.refusal?.message ?? NO_RESPONSE);
  };
  const busy = async (button, act) => {
    button?.setAttribute("aria-busy", "true");
    await act().catch((error) => refuse(error.message));
    button?.removeAttribute("aria-busy");
  };
  box.addEventListener("close", () => {
    box.remove();
    resolve(box.returnValue === "given");
  });
  box.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy(event.submitter, () => send({ code: box.querySelector("[name=code]")?.value ?? "" }));
  });
  box.addEventListener("click", ({ target }) => {
    if (target.closest("[data-step-up-cancel]")) box.close();
    const button = target.closest("[data-step-up-key]");
    if (button) busy(button, async () => send({ key: await askKey(key) }));
  });
  document.body.append(box);
  box.showModal();
  if (!kinds) refuse(NO_RESPONSE);
}

function dialog(kinds) {
  const box = document.createElement("dialog");
  box.className = "step-up";
  box.setAttribute("aria-labelledby", "step-up-h");
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const form = make("form", { method: "dialog", autocomplete: "off" },
    make("h2", { id: "step-up-h", textContent: "Confirm that it is you" }));
  const hasNone = kinds && !kinds.app && !kinds.key;
  form.append(make("p", { textContent: hasNone
    ? "You have no second factor. Sign in at an office device to register one."
    : "This needs your second factor. It then counts here for ten minutes." }));
  const acts = make("p", { className: "step-up-acts" });
  const button = (text, name, isNext) => {
    const element = make("button", { type: "button", textContent: text, className: isNext ? "act big next" : "act big" });
    if (name) element.dataset[name] = "";
    return element;
  };
  acts.append(button("Cancel", "stepUpCancel", false));
  if (kinds?.key) acts.append(button("Use your security key", "stepUpKey", true));
  if (kinds?.app) {
    const input = make("input", { name: "code", inputMode: "numeric", maxLength: 7, className: "code", autocomplete: "one-time-code" });
    form.append(make("label", {}, "Code of your app", input));
    const confirm = button("Confirm", "", !kinds.key);
    confirm.type = "submit";
    acts.append(confirm);
  }
  form.append(Object.assign(make("p", { className: "refused" }), { hidden: true }), acts);
  const refused = form.querySelector(".refused");
  refused.dataset.refused = "";
  refused.setAttribute("role", "alert");
  box.append(form);
  return box;
}
