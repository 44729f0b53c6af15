/* Which acts a tablet offers at a table whose people share them. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { installBrowser } from "./browser.mjs";

const { Posts } = await import("../../static/js/posts.js");

const state = {
  posts: { "dealer": { code: "dana", name: "Dana" }, "dealer-left": { code: "emil", name: "Emil" }, "stick": { code: "stan", name: "Stan" } },
  post_acts: { "call_dice": ["stick"], "settle_seats": ["dealer", "dealer-left"] },
};
const offered = (posts) => ["call_dice", "settle_seats", "place_wagers"].map((act) => posts.postOf(act));

beforeEach(() => installBrowser());

test("a tablet offers the acts of its person's post, and those that belong to no post", () => {
  assert.deepEqual(offered(new Posts(state, "emil")), [null, "dealer-left", undefined]);
  assert.deepEqual(offered(new Posts(state, "stan")), ["stick", null, undefined]);
});

test("a tablet that acts for a lost one offers that post's acts, and each asks for the person there", () => {
  const posts = new Posts(state, "dana");
  assert.equal(posts.actsFor("settle_seats"), null);
  posts.select("stick");
  assert.deepEqual(offered(posts), ["stick", null, undefined]);
  assert.equal(posts.actsFor("call_dice").person.code, "stan");
  assert.equal(new Posts(state, "dana").post, "stick");  // after the page was loaded again
  posts.select("dealer");
  assert.deepEqual(offered(posts), [null, "dealer", undefined]);
});

test("a floorperson is offered every act, and needs the person at its post for it", () => {
  const posts = new Posts(state, "lena");
  assert.deepEqual(offered(posts), ["stick", "dealer", undefined]);
  assert.equal(posts.actsFor("settle_seats").person.code, "dana");
});
