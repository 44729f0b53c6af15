import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { ActQueue, consoleSender, tableQueues, uuid7 } from "../../static/js/acts.js";
import { csrfToken } from "../../static/js/csrf.js";
import { waitingActs } from "../../static/js/waiting-acts.js";
import { FakeElement, installBrowser } from "./browser.mjs";
import { settle } from "./clock.mjs";

const STATE = { round: { number: 7, phase: "open" } };
const URLS = { table: "T-01", act: "/tables/T-01/acts/__act__" };
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let clock, server, page, queue;

/* A page that shows one table at a version; what is applied to it moves the version, as a fragment does. */
function fakePage(version = 10) {
  const screen = new FakeElement({ dataset: { version: String(version), incarnation: "1", head: "abc", mac: "m" } });
  return {
    screen, applied: [], leaves: 0,
    querySelector: () => screen,
    apply(fragment) {
      this.applied.push(fragment);
      screen.dataset.version = String(fragment.version);
    },
    leave() {
      this.leaves += 1;
    },
  };
}

const accept = (request, version) =>
  request.answer(200, { version, answer: {}, screen: { version, html: `<main>${version}</main>` } });
const refuse = (request, status, code) =>
  request.answer(status, { refusal: { code, title: "Not taken", message: "No.", section: "" } });

const isUnknown = () => document.documentElement.hasAttribute("data-unknown");

beforeEach(() => {
  ({ clock, server } = installBrowser());
  page = fakePage();
  queue = new ActQueue(page, URLS);
});

test("an act names its command, its round and the version that the person saw", async () => {
  queue.send("call_dice", { dice: [1, 2, 3] }, STATE);
  const { url, method, headers, body } = server.last;
  assert.equal(url, "/tables/T-01/acts/call_dice");
  assert.equal(method, "POST");
  assert.equal(headers["X-CSRFToken"], "token/1");
  assert.match(body.command, UUID7);
  assert.deepEqual({ ...body, command: "" }, {
    command: "", "seen": 10, round: 7, phase: "open", params: { dice: [1, 2, 3] }, once: true,
    head: { seq: 10, head: "abc", incarnation: 1, mac: "m" },
  });
});

/* A page whose socket takes acts. Each is answered as a POST is (`answer`), or fails, or has to be a POST (`refer`). */
function socketPage() {
  const sent = [];
  const sendAct = (act, text, limit) => new Promise((resolve, reject) => {
    const settled = (end) => async (...values) => {
      end(...values);
      await settle();
    };
    sent.push({
      act, limit, body: JSON.parse(text), fail: settled(reject), refer: settled(() => resolve(null)),
      answer: settled((status, content) => resolve({ status, date: "Mon, 30 Nov 2026 12:00:00 GMT", content })),
    });
  });
  return { ...fakePage(), isPushed: true, sendAct, sent };
}

test("the first try of an act goes by the socket of its page, and says the same as a POST", async () => {
  page = socketPage();
  queue = new ActQueue(page, URLS);
  const response = queue.send("call_dice", { dice: [1, 2, 3] }, STATE);
  const [{ act, limit, body, answer }] = page.sent;
  assert.deepEqual([act, limit], ["call_dice", 8_000]);
  assert.deepEqual({ ...body, command: "" }, {
    command: "", "seen": 10, round: 7, phase: "open", params: { dice: [1, 2, 3] }, pushed: true, once: true,
    head: { seq: 10, head: "abc", incarnation: 1, mac: "m" },
  });
  await answer(200, { version: 11, answer: {}, screen: null });
  assert.deepEqual([(await response).version, server.requests.length], [11, 0]);
});

test("what had no answer on the socket is asked for by POST, as a retry, and never on a socket again", async () => {
  page = socketPage();
  queue = new ActQueue(page, URLS);
  const response = queue.send("no_more_bets", {}, STATE);
  await page.sent[0].fail();
  await clock.advance(300);
  assert.equal(server.last.body.command, page.sent[0].body.command);
  assert.equal(server.last.body.retry, true);
  await server.last.fail();
  await clock.advance(4_000);
  assert.deepEqual([page.sent.length, server.requests.length], [1, 2]);
  await accept(server.last, 11);
  assert.equal((await response).version, 11);
});

test("an act that a socket did not begin is a POST at once, and no retry", async () => {
  page = socketPage();
  queue = new ActQueue(page, URLS);
  const response = queue.send("no_more_bets", {}, STATE);
  await page.sent[0].refer();
  assert.equal(server.last.body.command, page.sent[0].body.command);
  assert.equal("retry" in server.last.body, false);
  await refuse(server.last, 403, "not-on-duty");
  assert.equal((await response).refusal.code, "not-on-duty", "not taken, and not unknown");
});

test("a signed act, and one that may have been taken before, are POSTs", async () => {
  page = socketPage();
  queue = new ActQueue(page, URLS);
  queue.send("void_round", {}, STATE, { person: "p-2", pin: "123456" });
  await accept(server.last, 11);
  const item = { act: "no_more_bets", name: "", time: Date.now(), mayBeTaken: true, body: { command: "c", "seen": 10, params: {} } };
  queue.items.push({ ...item, resolve: () => {} });
  queue.run();
  assert.deepEqual([page.sent.length, server.requests.length, server.last.body.retry], [0, 2, true]);
});

test("a page that no push reaches sends POSTs", async () => {
  page = { ...socketPage(), isPushed: false, sendAct: () => null };
  queue = new ActQueue(page, URLS);
  queue.send("no_more_bets", {}, STATE);
  assert.equal(server.requests.length, 1);
});

test("an act with a witness carries the witness's PIN", async () => {
  queue.send("void_round", {}, STATE, { person: "p-2", pin: "123456" });
  assert.deepEqual(server.last.body.witness, { person: "p-2", pin: "123456" });
});

test("acts go out one at a time, in order", async () => {
  for (const act of ["place_wagers", "no_more_bets", "call_dice"]) queue.send(act, {}, STATE);
  await settle();
  assert.equal(server.requests.length, 1);
  await accept(server.last, 11);
  assert.equal(server.requests.length, 2);
  await accept(server.last, 12);
  await accept(server.last, 13);
  assert.deepEqual(server.requests.map(({ url }) => url.split("/").at(-1)), ["place_wagers", "no_more_bets", "call_dice"]);
});

test("each act gets a command id of its own", async () => {
  queue.send("no_more_bets", {}, STATE);
  queue.send("no_more_bets", {}, STATE);
  await accept(server.requests[0], 11);
  assert.notEqual(server.requests[0].body.command, server.requests[1].body.command);
});

test("an act that waits keeps the version that the person saw, and names our own acts that were taken before it", async () => {
  queue.send("place_wagers", {}, STATE);
  queue.send("no_more_bets", {}, STATE);
  queue.send("call_dice", {}, STATE);
  await accept(server.last, 12);  // somebody else acted in between, or an alert came with it
  const [{ body: { command: first } }, { body: { command: second } }] = server.requests;
  assert.deepEqual([server.last.body.seen, server.last.body.after], [10, [first]]);
  await accept(server.last, 13);
  assert.deepEqual([server.last.body.seen, server.last.body.after], [10, [first, second]]);
});

test("an act that waits keeps a version later than our own act's", async () => {
  queue.send("place_wagers", {}, STATE);
  page.screen.dataset.version = "12";
  queue.send("no_more_bets", {}, STATE);
  await accept(server.last, 11);
  assert.equal(server.last.body.seen, 12);
});

test("an act that waits keeps its version when the act before it is refused", async () => {
  queue.send("place_wagers", {}, STATE);
  queue.send("no_more_bets", {}, STATE);
  await refuse(server.last, 422, "wager-unknown");
  assert.deepEqual([server.last.body.seen, server.last.body.after], [10, undefined]);
});

test("an act that waits keeps the round and the phase that the person saw", async () => {
  const state = { round: { number: 7, phase: "open" } };
  queue.send("place_wagers", {}, state);
  queue.send("call_dice", {}, state);
  Object.assign(state.round, { number: 8, phase: "closed" });
  await accept(server.last, 11);
  assert.deepEqual([server.last.body.round, server.last.body.phase], [7, "open"]);
});

test("the head is the one that the screen shows when the act goes out", async () => {
  queue.send("place_wagers", {}, STATE);
  queue.send("no_more_bets", {}, STATE);
  Object.assign(page.screen.dataset, { head: "def" });
  await accept(server.last, 11);
  assert.equal(server.requests[0].body.head.head, "abc");
  assert.equal(server.requests[1].body.head.head, "def");
});

test("a screen without a head sends none", async () => {
  delete page.screen.dataset.head;
  queue.send("no_more_bets", {}, STATE);
  assert.equal("head" in server.last.body, false);
});

test("the fragment of the response is applied to the table that acted", async () => {
  queue.send("no_more_bets", {}, STATE);
  await accept(server.last, 11);
  assert.deepEqual(page.applied, [{ table: "T-01", version: 11, html: "<main>11</main>" }]);
});

/* A page that pushes bring its screens: `show` is the push of a version. */
function pushedPage() {
  const reaching = [];
  Object.assign(page, {
    isPushed: true,
    reach: (table, version) => new Promise((resolve) => { reaching.push({ version, resolve }); }),
    show(version) {
      page.screen.dataset.version = String(version);
      for (const { resolve } of reaching.splice(0)) resolve();
      return settle();
    },
  });
}

const acceptWithoutScreen = (request, version) => request.answer(200, { version, answer: {}, screen: null });

test("an act is on its way until its screen is there, so that its second tap is no other act", async () => {
  pushedPage();
  queue.send("no_more_bets", {}, STATE);
  assert.equal(server.last.body.pushed, true);
  await acceptWithoutScreen(server.last, 11);
  assert.deepEqual([queue.busy, queue.isQueued("no_more_bets")], [true, true]);
  await page.show(11);
  assert.deepEqual([queue.busy, queue.isQueued("no_more_bets")], [false, false]);
});

test("an act that is taken and not shown yet is not told as never sent", async () => {
  pushedPage();
  queue.resume();
  queue.send("no_more_bets", {}, STATE);
  await acceptWithoutScreen(server.last, 11);
  queue.send("call_dice", {}, STATE);
  assert.deepEqual(waitingActs().items.map(({ act, mayBeTaken }) => [act, mayBeTaken]), [["no_more_bets", true], ["call_dice", false]]);
});

test("acts tapped between an answer and its screen go out once each, in order, behind it", async () => {
  pushedPage();
  const answers = [];
  const tap = (act) => queue.send(act, {}, STATE).then(({ version }) => answers.push([act, version]));
  tap("place_wagers");
  await acceptWithoutScreen(server.last, 11);
  tap("sell_chips");
  tap("no_more_bets");
  await settle();
  assert.equal(server.requests.length, 1);
  for (const version of [11, 12, 13]) {
    await page.show(version);
    if (version < 13) await acceptWithoutScreen(server.last, version + 1);
  }
  assert.deepEqual(server.requests.map(({ url }) => url.split("/").at(-1)), ["place_wagers", "sell_chips", "no_more_bets"]);
  assert.deepEqual(answers, [["place_wagers", 11], ["sell_chips", 12], ["no_more_bets", 13]]);
  assert.deepEqual(server.last.body.after, server.requests.slice(0, 2).map(({ body }) => body.command));
});

test("a lost response is asked for again with the same command id", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  await server.last.fail();
  await clock.advance(300);
  assert.equal(server.requests.length, 2);
  await accept(server.last, 11);
  assert.deepEqual({ ...server.requests[0].body, retry: true }, server.requests[1].body);
  assert.equal((await response).version, 11);
});

test("a response that takes longer than eight seconds counts as lost", async () => {
  queue.send("no_more_bets", {}, STATE);
  await clock.advance(7_999);
  assert.equal(server.requests.length, 1);
  await clock.advance(301);
  assert.equal(server.requests.length, 2);
  assert.equal(server.requests[0].body.command, server.requests[1].body.command);
});

test("a tablet that is offline tries on until it is back, and sends nothing else meanwhile", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  queue.send("call_dice", {}, STATE);
  for (let tries = 1; tries <= 20; tries++) {
    await server.last.fail();
    await clock.advance(4_000);
    assert.ok(server.requests.length > tries);
  }
  assert.deepEqual(new Set(server.requests.map(({ body }) => body.command)).size, 1);
  await accept(server.last, 11);
  assert.equal((await response).ok, true);
  assert.equal(server.last.url, "/tables/T-01/acts/call_dice");
});

test("retries wait longer each time, up to four seconds", async (context) => {
  context.mock.method(Math, "random", () => 1);
  queue.send("no_more_bets", {}, STATE);
  const waits = [];
  for (let tries = 1; tries <= 6; tries++) {
    await server.last.fail();
    const failedAt = clock.now;
    while (server.requests.length === tries) await clock.advance(100);
    waits.push(clock.now - failedAt);
  }
  assert.deepEqual(waits, [300, 600, 1_200, 2_400, 4_000, 4_000]);
});

test("after a server error nobody is told that the act was not taken: it is asked for again, and then looked at", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  for (let tries = 1; tries <= 20; tries++) {
    assert.equal(server.requests.length, tries);
    assert.equal(isUnknown(), tries > 2);
    await server.last.answer(tries % 2 ? 500 : 502, "<html>");
    await clock.advance(4_000);
  }
  assert.equal(server.requests.length, 20);
  assert.equal(new Set(server.requests.map(({ body }) => body.command)).size, 1);
  const { refusal } = await response;
  assert.deepEqual([refusal.code, refusal.title], ["unknown", "Not known"]);
  assert.doesNotMatch(refusal.message, /not taken/i);
});

test("an act that a server error had hidden is confirmed by the same id", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  for (let tries = 1; tries <= 4; tries++) {
    await server.last.answer(500, "<html>");
    await clock.advance(4_000);
  }
  assert.equal(isUnknown(), true);
  await accept(server.last, 11);
  assert.deepEqual([(await response).version, isUnknown()], [11, false]);
});

test("a refusal that names no command ends no act of which an earlier try was refused: a copy of it may come", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  await server.last.answer(503, { refusal: { code: "clock-went-back" }, command: server.last.body.command });
  await clock.advance(4_000);
  await refuse(server.last, 401, "signed-out");
  assert.equal((await response).refusal.code, "unknown");
});

test("a 503 that says that nothing was begun is never final: the browser may have sent the act before, by itself", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  for (let tries = 1; tries <= 8; tries++) {
    assert.deepEqual([server.requests.length, server.last.body.retry], [tries, tries > 1 ? true : undefined]);
    await refuse(server.last, 503, "not-begun");
    await clock.advance(4_000);
  }
  assert.equal(isUnknown(), true);
  await accept(server.last, 11);
  assert.deepEqual([(await response).version, isUnknown()], [11, false]);
});

/* Schedule of seed 6: the clock was behind for five tries, "Not taken" was said, and then a copy of one of them was taken. */
test("the try whose 503 is final ends the command, so that a late copy of an earlier one is not taken", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  for (let tries = 1; tries <= 5; tries++) {
    assert.deepEqual([server.requests.length, server.last.body.retry], [tries, tries === 5 ? true : undefined]);
    const refusal = { code: "clock-went-back", title: "Not taken", message: "No.", section: "" };
    await server.last.answer(503, { refusal, command: server.last.body.command });
    await clock.advance(4_000);
  }
  assert.equal((await response).refusal.code, "clock-went-back");
});

test("a 503 of a proxy says nothing about the act", async () => {
  queue.send("no_more_bets", {}, STATE);
  for (let tries = 1; tries <= 8; tries++) {
    await server.last.answer(503, { error: "no upstream" });
    await clock.advance(4_000);
  }
  assert.deepEqual([server.requests.length, isUnknown()], [9, true]);
});

/* What a tablet says after a sequence of answers. `about`: the answer names the command. `recorded`: as that of an act that was taken. The tablets of script/tablet.py
   say the same (tests/test_faults.py). */
const ANSWERS = JSON.parse(readFileSync(new URL("answers.json", import.meta.url)));

for (const { name, answers, says } of ANSWERS)
  for (const way of ["POST", "the socket first"])
    test(`after ${name} the tablet says, by ${way}: ${says}`, async () => {
      if (way !== "POST") {
        page = socketPage();
        queue = new ActQueue(page, URLS);
      }
      let response = null;
      const wait = async () => { response = await queue.send("no_more_bets", {}, STATE); };
      wait();
      const tries = () => [...page.sent ?? [], ...server.requests];
      for (const { status, code, about, recorded } of answers) {
        const last = tries().at(-1), { command } = last.body;
        if (!status) await last.fail();
        else if (status === 200) await accept(last, 11);
        else if (!code) await last.answer(status, page.sent?.length === tries().length ? {} : "<html>");
        else await last.answer(status, { refusal: { code, title: "Not taken", message: "No.", section: "" }, ...(about && { command }), ...(recorded && { "recorded": command, "version": 11 }) });
        await settle();
        if (says === "waits" || last !== tries()[answers.length - 1]) await clock.advance(4_000);
      }
      const fate = !response ? "waits" : response.ok ? "taken" : response.refusal.code === "unknown" ? "unknown" : "refused";
      assert.equal(fate, says);
      if (says !== "waits") assert.equal(isUnknown(), says === "unknown");
    });

test("a refusal is final: the act is not tried again", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  await refuse(server.last, 422, "not-now");
  await clock.advance(60_000);
  assert.equal(server.requests.length, 1);
  assert.equal((await response).refusal.code, "not-now");
});

test("a stale act (409) is refused with the fresh screen, is not tried again, and lets the next act go", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  queue.send("call_dice", {}, STATE);
  await server.last.answer(409, {
    refusal: { code: "stale", title: "Not taken", message: "The table has changed.", section: "" },
    screen: { version: 15, html: "<main>15</main>" },
  });
  assert.deepEqual([(await response).status, (await response).refusal.code], [409, "stale"]);
  assert.deepEqual(page.applied, [{ table: "T-01", version: 15, html: "<main>15</main>" }]);
  assert.equal(server.requests.length, 2);
  assert.equal(server.last.body.seen, 10, "what the person saw is not replaced by what came with the refusal");
});

test("a response that is not ours says nothing about the act: it is asked for again", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  for (let tries = 1; tries <= 3; tries++) {
    await server.last.answer(200, "<html>a captive portal</html>");
    await clock.advance(4_000);
  }
  assert.equal(isUnknown(), true);
  await accept(server.last, 11);
  assert.equal((await response).version, 11);
});

test("a 4xx that is not ours is a refusal with a sentence", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  await server.last.answer(413, "<html>too large</html>");
  assert.equal((await response).refusal.code, "no-answer");
  assert.match((await response).refusal.message, /no valid answer/);
});

test("a forbidden act says that the page must be loaded again", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  await server.last.answer(403, { detail: "CSRF" });
  assert.match((await response).refusal.message, /Load the page again/);
});

for (const code of ["signed-out", "locked"])
  test(`after the refusal ${code} the page leaves for sign-in, with time to read it`, async () => {
    queue.send("no_more_bets", {}, STATE);
    await refuse(server.last, code === "locked" ? 423 : 401, code);
    await clock.advance(1_499);
    assert.equal(page.leaves, 0);
    await clock.advance(1);
    assert.equal(page.leaves, 1);
  });

test("what waits while nobody is signed in any more is kept, and sent once the same person is back", async () => {
  queue.resume();
  const answers = ["place_wagers", "no_more_bets"].map((act) => queue.send(act, {}, STATE));
  await refuse(server.last, 401, "signed-out");
  assert.match((await answers[0]).refusal.message, /What waits is kept, and is sent once you are signed in again/);
  await clock.advance(60_000);
  assert.deepEqual([server.requests.length, page.leaves], [1, 1]);
  new ActQueue(fakePage(), URLS).resume();
  const { tapped, ...body } = server.last.body;
  assert.deepEqual([body, tapped.waited_ms], [server.requests[0].body, 60_000]);  // no retry: it was surely not taken
  await accept(server.last, 11);
  assert.equal(server.last.url, "/tables/T-01/acts/no_more_bets");
  await accept(server.last, 12);
  assert.equal(localStorage.getItem("pitside.waiting"), null);
});

test("an act that somebody signs is not kept while nobody is signed in", async () => {
  queue.resume();
  const answer = queue.send("void_round", {}, STATE, { person: "p-2", pin: "123456" });
  queue.send("no_more_bets", {}, STATE);
  await refuse(server.last, 423, "locked");
  assert.equal((await answer).refusal.message, "No.");
  assert.deepEqual(JSON.parse(localStorage.getItem("pitside.waiting")).items.map(({ act }) => act), ["no_more_bets"]);
});

test("after a witness's wrong PIN the dealer stays signed in", async () => {
  queue.send("void_round", {}, STATE, { person: "p-2", pin: "000000" });
  await refuse(server.last, 401, "wrong-pin");
  await clock.advance(10_000);
  assert.equal(page.leaves, 0);
});

for (const [status, code] of [[401, "signed-out"], [423, "locked"], [403, "not-on-duty"], [423, "record-went-back"]])
  test(`after a lost response the refusal ${code} does not say that the act was not taken`, async () => {
    const response = queue.send("no_more_bets", {}, STATE);
    await server.last.fail();
    await clock.advance(300);
    await refuse(server.last, status, code);
    const { refusal } = await response;
    assert.deepEqual([refusal.title, isUnknown()], ["Not known", true]);
    await clock.advance(1_500);
    assert.equal(page.leaves, ["signed-out", "locked"].includes(code) ? 1 : 0);
    assert.equal(server.requests.length, 2);
  });

for (const [status, body] of [[413, "<html>"], [404, "<html>"], [408, { refusal: { code: "body-too-slow" } }]])
  test(`after a lost response a ${status} that refuses the request alone does not say that the act was not taken`, async () => {
    const response = queue.send("no_more_bets", {}, STATE);
    await server.last.fail();
    await clock.advance(300);
    await server.last.answer(status, body);
    assert.deepEqual([(await response).refusal.title, isUnknown()], ["Not known", true]);
  });

test("after a 503 that says that nothing was begun, a refusal of the person does not say that the act was not taken", async () => {
  const response = queue.send("no_more_bets", {}, STATE);
  await refuse(server.last, 503, "not-begun");
  await clock.advance(300);
  await refuse(server.last, 403, "not-on-duty");
  assert.deepEqual([(await response).refusal.code, isUnknown()], ["unknown", true]);
});

test("the same act is queued once while the screen has not changed", async () => {
  queue.send("no_more_bets", {}, STATE);
  assert.equal(queue.isQueued("no_more_bets"), true);
  assert.equal(queue.isQueued("call_dice"), false);
  page.screen.dataset.version = "11";
  assert.equal(queue.isQueued("no_more_bets"), false, "on another screen the same act is a new one");
});

test("the page is marked busy while an act is under way", async () => {
  const { documentElement } = document;
  queue.send("no_more_bets", {}, STATE);
  assert.equal(documentElement.hasAttribute("data-busy"), true);
  await accept(server.last, 11);
  assert.equal(documentElement.hasAttribute("data-busy"), false);
});

test("the page after a reload sends what was still under way, with the same id, and sends it once", async () => {
  queue.resume();
  queue.send("no_more_bets", { a: 1 }, STATE);
  const [{ body }] = server.requests;
  const reloaded = new ActQueue(fakePage(), URLS);
  reloaded.resume();
  assert.deepEqual(server.last.body, { ...body, retry: true });  // the page before may have been answered
  await accept(server.last, 11);
  assert.equal(localStorage.getItem("pitside.waiting"), null);
  new ActQueue(fakePage(), URLS).resume();
  assert.equal(server.requests.length, 2);
});

test("after a reload a refusal of the person does not say that what was under way was not taken", async () => {
  queue.resume();
  queue.send("no_more_bets", {}, STATE);
  new ActQueue(fakePage(), URLS).resume();
  await refuse(server.last, 401, "signed-out");
  assert.equal(isUnknown(), true);
});

test("what another table's page was still sending stays where it is", async () => {
  queue.resume();
  queue.send("no_more_bets", {}, STATE);
  new ActQueue(fakePage(), { ...URLS, table: "T-02" }).resume();
  assert.equal(server.requests.length, 1);
  assert.notEqual(localStorage.getItem("pitside.waiting"), null);
});

test("nobody sends the acts of the person before: they are returned, once", async () => {
  const first = new ActQueue(fakePage(), { ...URLS, me: "d-1" });
  first.resume();
  first.send("no_more_bets", {}, STATE);
  first.send("call_dice", {}, STATE);
  const next = new ActQueue(fakePage(), { ...URLS, me: "d-2" });
  assert.deepEqual(next.resume().map(({ act, mayBeTaken }) => [act, mayBeTaken]), [["no_more_bets", true], ["call_dice", false]]);
  assert.equal(server.requests.length, 1);
  assert.deepEqual(new ActQueue(fakePage(), { ...URLS, me: "d-1" }).resume(), []);
  assert.equal(server.requests.length, 1);
});

test("a PIN is never stored", async () => {
  queue.resume();
  queue.send("void_round", {}, STATE, { person: "p-2", pin: "123456" });
  assert.equal(localStorage.getItem("pitside.waiting"), null);
});

test("a queue that is not the console's stores nothing", async () => {
  queue.send("acknowledge_alert", {}, STATE);
  assert.equal(localStorage.getItem("pitside.waiting"), null);
});

test("the refusal of an act that waited is marked, because whoever tapped it has long done something else", async () => {
  const quick = queue.send("place_wagers", {}, STATE), late = queue.send("no_more_bets", {}, STATE);
  await refuse(server.last, 422, "no-such-wager");
  await clock.advance(3_000);
  await refuse(server.last, 409, "stale");
  assert.deepEqual([(await quick).refusal.waited, (await late).refusal.waited], [undefined, true]);
});

/* The console */

function consoleFor(calls = []) {
  const send = consoleSender({
    queue: { send: async (act, params, state, witness) => calls.push([act, params, state, witness]) },
    flushTaps: () => calls.push(["flush"]),
    currentState: () => STATE,
  });
  return { send, calls };
}

test("taps that still gather go out before any other act", async () => {
  const { send, calls } = consoleFor();
  await send("no_more_bets", { a: 1 });
  assert.deepEqual(calls, [["flush"], ["no_more_bets", { a: 1 }, STATE, null]]);
});

test("sending the taps themselves does not flush them again", async () => {
  const { send, calls } = consoleFor();
  await send("place_wagers", {});
  assert.deepEqual(calls.map(([act]) => act), ["place_wagers"]);
});

test("without a connection a step that ends a round is not kept, and the person is told", async () => {
  const { send, calls } = consoleFor();
  document.documentElement.dataset.live = "dead";
  for (const [act, params, witness] of [["clear_layout", {}], ["pay_seats", {}], ["correct_dice", {}, { pin: "123456" }]]) {
    const { refusal } = await send(act, params, witness);
    assert.equal(refusal.code, "no-line");
    assert.match(refusal.message, /Nothing was recorded/);
  }
  assert.deepEqual(calls, []);
});

test("without a connection any other act waits", async () => {
  const { send, calls } = consoleFor();
  document.documentElement.dataset.live = "dead";
  await send("no_more_bets", {});
  await send("pay_seats", { seats: [1] });
  assert.deepEqual(calls.map(([act]) => act).filter((act) => act !== "flush"), ["no_more_bets", "pay_seats"]);
});

test("every act that waits is reported, by its name and the time of its tap", async () => {
  const reports = [];
  addEventListener("acts:waiting", ({ detail }) => reports.push(detail));
  const start = clock.now;
  queue.send("place_wagers", { wagers: [{ seat: 3 }, { seat: 3 }] }, STATE);
  await clock.advance(3_000);
  queue.send("pay_seats", { seats: [1] }, { ...STATE, next: { act: "pay_seats", label: "Paid all" } });
  assert.deepEqual(reports.at(-1).acts, [
    { act: "place_wagers", name: "Wagers of seat 3", time: start, closes: false },
    { act: "pay_seats", name: "Paid seat 1", time: start + 3_000, closes: false },
  ]);
  await accept(server.last, 11);
  await accept(server.last, 12);
  assert.deepEqual(reports.at(-1), { acts: [], isUnknown: false });
});

test("an act says whether it closes the bets, and is called as the step that it is", async () => {
  const shakeFirst = [
    { act: "shake", label: "Shaken", bets_open: true }, { act: "no_more_bets", label: "No more bets", bets_open: true },
    { act: "call_dice", label: "Enter dice", bets_open: false },
  ];
  const state = { ...STATE, ahead: shakeFirst, next: shakeFirst[0] };
  for (const [act, params] of [["shake", { shakes: 3 }], ["no_more_bets", {}], ["call_dice", { dice: [2, 5, 5] }], ["seat_player", { seat: 2 }]])
    queue.send(act, params, state);
  assert.deepEqual(queue.items.map(({ name, closes }) => [name, closes]), [
    ["Shaken", false], ["No more bets", true], ["Dice 2, 5, 5", true], ["Seat player, seat 2", false],
  ]);
});

test("an act that waited says since when, by the clock of this device, and an act that did not says nothing", async () => {
  queue.send("place_wagers", {}, STATE);
  queue.send("no_more_bets", {}, STATE);
  assert.equal("tapped" in server.last.body, false);
  const tapped = new Date(clock.now).toISOString();
  await clock.advance(5_000);
  await accept(server.last, 11);
  assert.deepEqual(server.last.body.tapped, { "clock": tapped, "waited_ms": 5_000 });
});

test("as soon as the connection is back, the next try begins", async () => {
  queue.send("no_more_bets", {}, STATE);
  for (let failures = 0; failures < 5; failures++) {
    await server.last.fail();
    await clock.advance(4_000);
  }
  const { length } = server.requests;
  await server.last.fail();
  dispatchEvent(new Event("online"));
  await settle();
  assert.equal(server.requests.length, length + 1);
});

test("after a reload everything that waited is sent, in order", async () => {
  queue.resume();
  queue.send("place_wagers", {}, STATE);
  queue.send("no_more_bets", {}, STATE);
  const reloaded = new ActQueue(fakePage(), URLS);
  reloaded.resume();
  await accept(server.requests[1], 11);
  assert.deepEqual(server.requests.slice(1).map(({ url }) => url.split("/").at(-1)), ["place_wagers", "no_more_bets"]);
});

test("a stale screen still sends", async () => {
  const { send, calls } = consoleFor();
  document.documentElement.dataset.live = "stale";
  await send("no_more_bets", {});
  assert.equal(calls.length, 2);
});

/* A page with many tables */

test("each table of a page has one queue, which reads that table's version", async () => {
  const queueFor = tableQueues();
  document.parts.set('[data-version][data-table="T-02"]', [new FakeElement({ dataset: { version: "33" } })]);
  const second = queueFor({ of: "T-02", address: "/tables/T-02/acts/__act__" });
  assert.equal(second, queueFor({ of: "T-02", address: "/tables/T-02/acts/__act__" }));
  assert.notEqual(second, queueFor({ of: "T-03", address: "/tables/T-03/acts/__act__" }));
  second.send("acknowledge_alert", { alert: 4 }, STATE);
  assert.deepEqual([server.last.url, server.last.body.seen], ["/tables/T-02/acts/acknowledge_alert", 33]);
});

/* Small parts */

test("a command id is a UUID of version 7 that begins with its time", () => {
  const id = uuid7();
  assert.match(id, UUID7);
  assert.equal(parseInt(id.replaceAll("-", "").slice(0, 12), 16), clock.now);
  assert.notEqual(uuid7(), id);
});

test("command ids of later moments sort after earlier ones", async () => {
  const first = uuid7();
  await clock.advance(1);
  assert.ok(first < uuid7());
});

test("the CSRF token comes from the cookie, under either name, or else from the page", () => {
  assert.equal(csrfToken(), "token/1");
  document.cookie = "__Host-csrf=secure";
  assert.equal(csrfToken(), "secure");
  document.cookie = "";
  document.parts.set("meta[name=csrf-token]", [{ content: "from-the-page" }]);
  assert.equal(csrfToken(), "from-the-page");
});

test("an act that needs a second factor is sent again, with its command, once there is one", async () => {
  const sent = queue.send("correct_dice", {}, STATE);
  await refuse(server.requests[0], 403, "second-factor-needed");
  await settle();
  assert.equal(server.requests[1].url, "/sign-in/again");
  await server.requests[1].answer(200, { app: true, key: false, fresh: true });
  await settle();
  assert.equal(server.requests[2].body.command, server.requests[0].body.command);
  await accept(server.requests[2], 11);
  assert.equal((await sent).ok, true);
});

/* Taking back */

test("an act that waits behind another one is taken back, and never goes out", async () => {
  queue.send("no_more_bets", {}, STATE);
  const dice = queue.send("call_dice", { dice: [2, 5, 4] }, STATE);
  assert.equal(queue.isUnsent("call_dice"), true);
  assert.equal(queue.withdraw("call_dice"), true);
  assert.deepEqual(await dice, { isWithdrawn: true });
  await accept(server.last, 11);
  assert.equal(server.requests.length, 1);
});

test("an act that may have reached the server is not taken back", async () => {
  queue.send("call_dice", { dice: [2, 5, 4] }, STATE);
  assert.equal(queue.withdraw("call_dice"), false);
  assert.equal(queue.has("call_dice"), true);
});

test("what a page before has sent is told with its response", async () => {
  queue.resume();
  queue.send("place_wagers", { wagers: [{ seat: 3, wager: "big", cents: 500 }] }, STATE);
  const responses = [];
  new ActQueue(fakePage(), URLS).resume(({ act, body }, { refusal }) => responses.push([act, body.params.wagers[0].seat, refusal?.code]));
  await server.last.answer(422, { command: server.last.body.command, refusal: { code: "late-wager", message: "No.", section: "" } });
  assert.deepEqual(responses, [["place_wagers", 3, "late-wager"]]);
});
