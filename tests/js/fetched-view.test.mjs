import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { installBrowser } from "./browser.mjs";
import { settle } from "./clock.mjs";

let box, requests, view;

/* Keeps each request until the test answers it. */
const load = () => new Promise((resolve, reject) => requests.push({ resolve, reject }));
const page = (html, ok = true) => ({ ok, text: async () => html });

beforeEach(async () => {
  installBrowser();
  const { FetchedView } = await import("../../static/js/fetched-view.js");
  requests = [];
  box = { innerHTML: "", textContent: "", setAttribute() {}, removeAttribute() {}, querySelectorAll: () => [] };
  view = new FetchedView(box, "/relief", "Times cannot be read now.", load);
});

test("an answer to an earlier opening does not replace a later one", async () => {
  view.show();
  view.show();
  requests[1].resolve(page("later"));
  await settle();
  requests[0].resolve(page("earlier"));
  await settle();
  assert.equal(box.innerHTML, "later");
});

for (const [why, answer] of [
  ["without a connection", ({ reject }) => reject(new TypeError("offline"))],
  ["when it is refused", ({ resolve }) => resolve(page("refused", false))],
])
  test(`${why} the view says that times cannot be read now`, async () => {
    view.show();
    answer(requests[0]);
    await settle();
    assert.match(box.textContent, /cannot be read now/);
    assert.equal(box.innerHTML, "");
  });
