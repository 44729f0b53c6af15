import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeElement, FakeSocket, installBrowser } from "./browser.mjs";
import { settle } from "./clock.mjs";

let { clock, server, document } = installBrowser();
const { LiveScreen, isNewer, morph } = await import("../../static/js/live.js");
const { ActQueue } = await import("../../static/js/acts.js");
const { storeHead, storedHeads } = await import("../../static/js/heads.js");
/* live.js looks up the root element, and listens for the badge, when it is loaded */
const { documentElement: root } = document;
const { dispatchEvent: dispatchToBadge } = globalThis;
let screen, morphs, reports;

/* A fragment of one table. Its element carries the markup, so that morphing it into the page is to replace a dataset. */
const html = (version, { table = "T-01", incarnation = 1, halted = false } = {}) =>
  `<main id="screen" data-version="${version}" data-table="${table}" data-incarnation="${incarnation}"${halted ? " data-halted" : ""}>`;

function datasetOf(markup) {
  const dataset = {};
  for (const [, name, text = ""] of markup.matchAll(/\sdata-([a-z]+)(?:="([^"]*)")?/g)) dataset[name] = text;
  return dataset;
}

function show(...fragments) {
  for (const markup of fragments) {
    const element = new FakeElement({ dataset: datasetOf(markup) });
    screen.parts.set(`[data-version][data-table="${element.dataset.table}"]`, [element]);
    const tables = "[data-version][data-table]";
    screen.parts.set(tables, [...screen.querySelectorAll(tables), element]);
    if (!screen.parts.has("[data-version]")) screen.parts.set("[data-version]", [element]);
    document.elements.set(`screen-${element.dataset.table}`, element);
  }
}

const versionOf = (table = "T-01") => Number(screen.fragmentOf(table).dataset.version);

beforeEach(() => {
  ({ clock, server, document } = installBrowser());
  root.dataset.live = "joining";
  document.documentElement = root;
  document.createElement = () => ({
    content: { children: [] },
    set innerHTML(markup) {
      const dataset = datasetOf(markup);
      this.content.children = [{ id: `screen-${dataset.table}`, dataset }];
    },
  });
  morphs = [];
  globalThis.Idiomorph = {
    morph(old, fresh, options) {
      morphs.push({ old, fresh, options });
      old.dataset = fresh.dataset;
    },
  };
  screen = new LiveScreen();
  screen.setAttribute("src", "/ws/tables/T-01");
  screen.setAttribute("fallback", "/tables/T-01/state");
  screen.setAttribute("sign-in", "/sign-in?next=T-01");
  reports = [];
  screen.addEventListener("screen:connection", ({ detail }) => reports.push(detail));
  show(html(10));
  screen.connectedCallback();
  FakeSocket.last.accept();
});

const heartbeat = (versions = { "T-01": versionOf() }) => FakeSocket.last.push({ versions });

test("a head that was shown before the line was lost is kept until the server has judged it", () => {
  storeHead({ stream: "larkfield/T-01", version: "10", head: "h10", incarnation: "1", mac: "m" });
  FakeSocket.last.drop();
  storeHead({ stream: "larkfield/T-01", version: "12", head: "r12", incarnation: "1", mac: "m" });
  assert.deepEqual(storedHeads()["larkfield/T-01"].map(({ seq }) => seq), [10, 12]);
});

/* The screen of an answered act */

test("a page that pushes reach says so, and waits for the version of an answer", async () => {
  heartbeat();
  assert.equal(screen.isPushed, true);
  const reaching = watched(screen.reach("T-01", 11));
  await settle();
  assert.equal(reaching.isDone, false);
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  await settle();
  assert.deepEqual([reaching.isDone, versionOf(), server.requests.length], [true, 11, 0]);
  await screen.reach("T-01", 11);
});

test("a push that does not come is fetched, and answers bring the screens until a push does", async () => {
  heartbeat();
  const reaching = watched(screen.reach("T-01", 11));
  await clock.advance(399);
  assert.equal(server.requests.length, 0);
  await clock.advance(1);
  assert.deepEqual([reaching.isDone, server.requests.length, screen.isPushed], [false, 1, false]);
  await server.last.answer(200, { version: 11, html: html(11) });
  assert.deepEqual([reaching.isDone, versionOf(), screen.isPushed], [true, 11, false]);
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });  // too late to be waited for
  assert.equal(screen.isPushed, false);
  FakeSocket.last.push({ table: "T-01", version: 12, parts: { frame: html(12) } });
  assert.equal(screen.isPushed, true);
});

test("a fetch that began before an act is not taken for its screen", async () => {
  heartbeat();
  screen.resync();
  const reaching = watched(screen.reach("T-01", 12));
  await clock.advance(400);
  await server.requests[0].answer(200, { version: 11, html: html(11) });
  assert.deepEqual([reaching.isDone, versionOf(), server.requests.length], [false, 11, 2]);
  await server.last.answer(200, { version: 12, html: html(12) });
  assert.deepEqual([reaching.isDone, versionOf()], [true, 12]);
});

test("a screen that cannot be fetched keeps no act waiting", async () => {
  heartbeat();
  const reaching = watched(screen.reach("T-01", 11));
  await clock.advance(400);
  await server.last.fail();
  assert.deepEqual([reaching.isDone, versionOf()], [true, 10]);
});

test("without its socket a page asks for the screen with the answer", () => {
  heartbeat();
  screen.lose("stale");
  assert.equal(screen.isPushed, false);
});

/* Acts on the socket */

test("an act goes by the socket that pushes come by, and its answer comes back by its number", async () => {
  assert.equal(screen.sendAct("shake", "{}", 8_000), null, "nothing has come by it");
  heartbeat();
  const answers = [screen.sendAct("shake", '{"seen":10}', 8_000), screen.sendAct("no_more_bets", "{}", 8_000)];
  assert.deepEqual(FakeSocket.last.sent, ['act 1 shake {"seen":10}', "act 2 no_more_bets {}"]);
  FakeSocket.last.push({ answer: 2, status: 422, date: "", content: { refusal: {} } });
  FakeSocket.last.push({ answer: 1, status: 200, date: "", content: { version: 11 } });
  FakeSocket.last.push({ answer: 7, status: 200, date: "", content: {} });  // of nothing that waits
  const [first, second] = await Promise.all(answers);
  assert.deepEqual([first.status, first.content, second.status], [200, { version: 11 }, 422]);
  assert.deepEqual([screen.unanswered.size, server.requests.length, versionOf()], [0, 0, 10]);
});

test("an act that was not begun on the socket has to be a POST", async () => {
  heartbeat();
  const answer = screen.sendAct("shake", "{}", 8_000);
  FakeSocket.last.push({ answer: 1, status: 0, date: "", content: {} });
  assert.equal(await answer, null);
});

test("an act too long for a socket, or without one, has to be a POST", () => {
  heartbeat();
  assert.equal(screen.sendAct("shake", "x".repeat(16_001), 8_000), null);
  FakeSocket.last.readyState = 2;
  assert.equal(screen.sendAct("shake", "{}", 8_000), null);
  assert.deepEqual(FakeSocket.last.sent, []);
});

for (const [name, end] of [
  ["closes", () => FakeSocket.last.drop()], ["is replaced", () => screen.replaceSocket()],
  ["ends with its worker", () => FakeSocket.last.drop(1012)], ["says nothing in time", () => clock.advance(8_000)],
])
  test(`nobody knows of an act whose socket ${name}`, async () => {
    heartbeat();
    const answer = screen.sendAct("shake", "{}", 8_000);
    const heard = answer.then(() => "answered", () => "no answer");
    await clock.advance(7_000);
    heartbeat();
    await end();
    assert.equal(await heard, "no answer");
    assert.equal(screen.unanswered.size, 0);
    FakeSocket.last.push({ answer: 1, status: 200, date: "", content: {} });  // late
  });

/* A promise that says whether it is done. */
function watched(promise) {
  const state = { isDone: false };
  promise.finally(() => Object.assign(state, { isDone: true }));
  return state;
}

/* Versions */

test("it connects to its address as a WebSocket", () => {
  assert.equal(FakeSocket.last.url, "wss://pitside.test/ws/tables/T-01?parts=2");
});

test("a newer fragment replaces what the page shows", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  assert.equal(versionOf(), 11);
});

test("a whole screen from a server of another version is shown, and the parts begin anew", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  FakeSocket.last.push({ table: "T-01", version: 12, html: html(12) });
  assert.equal(versionOf(), 12);
  assert.equal(screen.received.has("T-01"), false);
});

test("parts that changed take the place of those before, whole or by the edits of their texts", () => {
  const parts = { frame: html(11), felt: "<p>Big – §</p>\n<p>Small</p>", dock: "<p>Pay</p>", end: "</main>" };
  FakeSocket.last.push({ table: "T-01", version: 11, parts });
  const changes = { frame: html(12), felt: [7, 3, "$25", 8, 5, "", 0, 0, "$50", 4, 0, "\n"], dock: "<p>Odd</p>" };
  FakeSocket.last.push({ table: "T-01", version: 12, base: 11, parts: changes });
  assert.equal(versionOf(), 12);
  assert.deepEqual(screen.received.get("T-01").parts,
    { frame: html(12), felt: "<p>Big $25</p>\n<p>$50</p>\n", dock: "<p>Odd</p>", end: "</main>" });
  assert.equal(parts.felt, "<p>Big – §</p>\n<p>Small</p>");
});

test("changes of another version than the last one make the page fetch the state, on a new socket", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  let fetched = 0;
  const before = FakeSocket.last;
  screen.resync = () => { fetched += 1; };
  FakeSocket.last.push({ table: "T-01", version: 13, base: 12, parts: { frame: html(13) } });
  assert.deepEqual([versionOf(), fetched], [11, 1]);
  assert.notEqual(FakeSocket.last, before);  // whose changes fit nothing any more
});

test("what a heartbeat and a poll say of planned reliefs is passed on, also when there are none any more", async () => {
  const announced = [];
  screen.addEventListener("wall:reliefs", ({ detail }) => announced.push(detail));
  FakeSocket.last.push({ versions: { "T-01": 10 }, reliefs: "<li>22:00</li>" });
  heartbeat();
  FakeSocket.last.push({ versions: { "T-01": 10 }, reliefs: "" });
  const polled = screen.resync();
  await server.last.answer(200, { tiles: {}, reliefs: "<li>22:20</li>" });
  await polled;
  assert.deepEqual(announced, ["<li>22:00</li>", "", "<li>22:20</li>"]);
});

test("what came on a socket that was closed is no base for changes", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  screen.replaceSocket();
  let fetched = 0;
  screen.resync = () => { fetched += 1; };
  FakeSocket.last.push({ table: "T-01", version: 12, base: 11, parts: { frame: html(12) } });
  assert.deepEqual([versionOf(), fetched], [11, 1]);
});

for (const version of [10, 9, 2])
  test(`a fragment of version ${version} is ignored when the page shows version 10`, () => {
    FakeSocket.last.push({ table: "T-01", version, parts: { frame: html(version) } });
    assert.equal(morphs.length, 0);
    assert.equal(versionOf(), 10);
  });

test("a fragment may have its attributes on lines of their own", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11).replaceAll(" data-", "\ndata-") } });
  assert.equal(morphs.length, 1);
});

test("versions are compared as numbers", () => {
  show(html(9));
  FakeSocket.last.push({ table: "T-01", version: 10, parts: { frame: html(10) } });
  assert.equal(versionOf(), 10);
});

test("a fragment says that it was applied, and one that is ignored does not", () => {
  const applied = [];
  screen.addEventListener("screen:applied", ({ detail }) => applied.push(detail));
  FakeSocket.last.push({ table: "T-01", version: 10, parts: { frame: html(10) } });
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  assert.deepEqual(applied, [{ table: "T-01", version: 11 }]);
});

test("on a page of many tables a fragment goes to its own table", () => {
  show(html(70, { table: "T-02" }));
  FakeSocket.last.push({ table: "T-02", version: 71, parts: { frame: html(71, { table: "T-02" }) } });
  assert.deepEqual([versionOf("T-01"), versionOf("T-02")], [10, 71]);
});

test("a fragment of a table that the page does not show is ignored", () => {
  FakeSocket.last.push({ table: "T-09", version: 99, parts: { frame: html(99, { table: "T-09" }) } });
  assert.equal(morphs.length, 0);
});

const CASES = [
  ["a later version", {}, { version: 11 }, true],
  ["the same version", {}, { version: 10 }, false],
  ["an earlier version", {}, { version: 9 }, false],
  ["a later incarnation with a lower version", {}, { version: 3, incarnation: 2 }, true],
  ["an earlier incarnation with a higher version", { incarnation: 2 }, { version: 99, incarnation: 1 }, false],
  ["a halted screen with a lower version", {}, { version: 3, halted: true }, true],
  ["a halted screen of an earlier incarnation", { incarnation: 2 }, { version: 3, incarnation: 1, halted: true }, true],
  ["a later version that is not halted, on a halted screen", { halted: true }, { version: 11 }, false],
  ["a later incarnation that is not halted, on a halted screen", { halted: true }, { version: 1, incarnation: 2 }, true],
  ["a later version that is halted too, on a halted screen", { halted: true }, { version: 11, halted: true }, true],
];
for (const [name, current, { version, ...fresh }, newer] of CASES)
  test(`${name} is ${newer ? "" : "not "}newer`, () => {
    assert.equal(isNewer(html(version, fresh), datasetOf(html(10, current))), newer);
  });

test("a fragment without a version is never newer", () => {
  assert.equal(isNewer("<main>Down for maintenance</main>", datasetOf(html(10))), false);
});

/* Heartbeats */

test("a heartbeat with the version that the page shows fetches nothing", async () => {
  heartbeat({ "T-01": 10 });
  await settle();
  assert.equal(server.requests.length, 0);
});

test("a heartbeat with another version fetches the state, once", async () => {
  heartbeat({ "T-01": 12 });
  heartbeat({ "T-01": 12 });
  assert.deepEqual(server.requests.map(({ url }) => url), ["/tables/T-01/state"]);
  await server.last.answer(200, { table: "T-01", version: 12, html: html(12) });
  assert.equal(versionOf(), 12);
});

test("a heartbeat of another incarnation fetches the state, though the version is the same", async () => {
  FakeSocket.last.push({ versions: { "T-01": 10 }, incarnation: 1 });
  assert.equal(server.requests.length, 0);
  FakeSocket.last.push({ versions: { "T-01": 10 }, incarnation: 2 });
  await server.last.answer(200, { table: "T-01", version: 10, html: html(10, { incarnation: 2 }) });
  assert.equal(morphs.length, 1);
  FakeSocket.last.push({ versions: { "T-01": 10 }, incarnation: 2 });
  assert.equal(server.requests.length, 1);
});

test("a heartbeat about a table that the page does not show fetches nothing", () => {
  heartbeat({ "T-01": 10, "T-09": 44 });
  assert.equal(server.requests.length, 0);
});

test("a page of many tables applies each tile that it fetched", async () => {
  show(html(70, { table: "T-02" }));
  heartbeat({ "T-01": 11, "T-02": 70 });
  await server.last.answer(200, { tiles: {
    "T-01": { version: 11, html: html(11) }, "T-02": { version: 70, html: html(70, { table: "T-02" }) },
  } });
  assert.deepEqual([versionOf("T-01"), versionOf("T-02")], [11, 70]);
  assert.equal(morphs.length, 1);
});

test("tiles that take long are applied some at a time, and what was pushed meanwhile stays", async () => {
  show(html(70, { table: "T-02" }), html(80, { table: "T-03" }));
  const { morph: quick } = globalThis.Idiomorph;
  globalThis.Idiomorph.morph = (...parts) => { clock.now += 20; quick(...parts); };
  heartbeat({ "T-01": 11, "T-02": 71, "T-03": 81 });
  await server.last.answer(200, { tiles: {
    "T-01": { version: 11, html: html(11) }, "T-02": { version: 71, html: html(71, { table: "T-02" }) },
    "T-03": { version: 81, html: html(81, { table: "T-03" }) },
  } });
  assert.deepEqual([versionOf("T-01"), versionOf("T-02"), versionOf("T-03")], [11, 70, 80]);
  FakeSocket.last.push({ table: "T-03", version: 82, parts: { frame: html(82, { table: "T-03" }) } });
  await clock.advance(1);
  await clock.advance(1);
  assert.deepEqual([versionOf("T-01"), versionOf("T-02"), versionOf("T-03")], [11, 71, 82]);
});

test("a heartbeat looks at all tables at once, however many the page shows", () => {
  show(html(70, { table: "T-02" }), html(80, { table: "T-03" }));
  let searches = 0;
  const search = screen.querySelectorAll;
  screen.querySelectorAll = (selector) => { searches += 1; return search.call(screen, selector); };
  heartbeat({ "T-01": 10, "T-02": 70, "T-03": 80 });
  assert.equal(searches, 1);
});

test("a push makes the page LIVE", () => {
  heartbeat();
  assert.equal(root.dataset.live, "live");
});

test("a page that is LIVE reports it once, not with every heartbeat", () => {
  heartbeat();
  heartbeat();
  assert.deepEqual(reports.map(({ status }) => status), ["live"]);
});

/* Silence */

test("the page is STALE after 12 seconds of silence, and not before", async () => {
  heartbeat();
  await clock.advance(11_000);
  assert.equal(root.dataset.live, "live");
  await clock.advance(1_000);
  assert.equal(root.dataset.live, "stale");
});

test("heartbeats every five seconds keep the page LIVE", async () => {
  for (let beats = 0; beats < 12; beats++) {
    heartbeat();
    await clock.advance(5_000);
  }
  assert.equal(root.dataset.live, "live");
  assert.equal(server.requests.length, 0);
});

test("a page that never heard anything is STALE after 12 seconds too", async () => {
  await clock.advance(12_000);
  assert.equal(root.dataset.live, "stale");
});

test("a socket that does not open within 12 seconds is replaced, and so is the one after it", async () => {
  const sockets = FakeSocket.all.length;
  for (const number of [1, 2]) {
    await clock.advance(11_000);
    assert.equal(FakeSocket.all.length, sockets + number - 1);
    await clock.advance(1_000);
    assert.deepEqual([FakeSocket.all.length, FakeSocket.all.at(-2).readyState], [sockets + number, 2]);
    await server.last.answer(200, { table: "T-01", version: 10, html: html(10) });
  }
});

test("a socket that opens and stays silent is replaced every 12 seconds", async () => {
  heartbeat();
  const sockets = FakeSocket.all.length;
  for (let second = 0; second < 30; second += 1) {
    await clock.advance(1_000);
    if (FakeSocket.last.readyState === 0) FakeSocket.last.accept();
  }
  assert.equal(FakeSocket.all.length, sockets + 2);
});

test("a stale page polls every two seconds", async () => {
  heartbeat();
  await clock.advance(12_000);
  const times = [];
  for (let polls = 1; polls <= 4; polls++) {
    while (server.requests.length < polls) await clock.advance(500);
    times.push(clock.now);
    await server.last.answer(200, { table: "T-01", version: 10, html: html(10) });
  }
  assert.deepEqual(times.slice(1).map((time, i) => time - times[i]), [2_000, 2_000, 2_000]);
});

test("what a poll brings is shown, and the page stays STALE", async () => {
  await clock.advance(12_000);
  await server.last.answer(200, { table: "T-01", version: 15, html: html(15) });
  assert.equal(versionOf(), 15);
  assert.equal(root.dataset.live, "stale");
});

test("when polling fails as well the page is DEAD", async () => {
  await clock.advance(12_000);
  await server.last.fail();
  assert.equal(root.dataset.live, "dead");
});

test("a poll without a response within five seconds has failed", async () => {
  await clock.advance(12_000);
  await clock.advance(4_900);
  assert.equal(root.dataset.live, "stale");
  await clock.advance(100);
  assert.equal(root.dataset.live, "dead");
});

test("a server error is a failed poll", async () => {
  await clock.advance(12_000);
  await server.last.answer(503, { tiles: {} });
  assert.equal(root.dataset.live, "dead");
});

test("a dead page becomes STALE again when a poll succeeds, and LIVE with the next message", async () => {
  await clock.advance(12_000);
  await server.last.fail();
  await clock.advance(2_000);
  await server.last.answer(200, { table: "T-01", version: 10, html: html(10) });
  assert.equal(root.dataset.live, "stale");
  heartbeat();
  assert.equal(root.dataset.live, "live");
});

test("a poll that fails after the connection is back does not make the page DEAD", async () => {
  await clock.advance(12_000);
  heartbeat();
  await server.last.fail();
  assert.equal(root.dataset.live, "live");
});

test("the page reports the seconds since the server answered, and the time at which the state was last confirmed", async () => {
  const start = clock.now;
  heartbeat();
  await clock.advance(12_000);
  assert.equal(reports.at(-1).seconds, 12);
  await server.last.answer(200, { table: "T-01", version: 10, html: html(10) });
  await clock.advance(1_000);
  assert.deepEqual(reports.at(-1), { status: "stale", seconds: 1, confirmedTime: start + 12_000 });
});

test("an answer to an act is heard while the socket is still down", async () => {
  FakeSocket.last.drop();
  await server.last.fail();
  await clock.advance(1_000);
  assert.deepEqual([root.dataset.live, reports.at(-1).seconds], ["dead", 1]);
  const queue = new ActQueue(screen, { table: "T-01", act: "/acts/__act__" });
  queue.send("shake", {}, { round: { number: 7, phase: "open" } });
  await server.requests.find(({ url }) => url === "/acts/shake").answer(200, { version: 10, answer: {} });
  assert.deepEqual([root.dataset.live, reports.at(-1).seconds], ["stale", 0]);
});

/* Losses that are known at once */

test("a socket that was closed makes the page STALE at once, and it asks by HTTP", async () => {
  heartbeat();
  FakeSocket.last.drop();
  assert.equal(root.dataset.live, "stale");
  assert.equal(server.requests.length, 1);
  await server.last.fail();
  assert.equal(root.dataset.live, "dead");
});

test("a browser that says that it is offline makes the page DEAD at once, and online connects again", async () => {
  heartbeat();
  dispatchEvent(new Event("offline"));
  assert.equal(root.dataset.live, "dead");
  assert.equal(reports.at(-1).seconds, 0);
  const { length } = FakeSocket.all;
  dispatchEvent(new Event("online"));
  assert.equal(FakeSocket.all.length, length + 1);
  heartbeat();
  assert.equal(root.dataset.live, "live");
});

test("a worker that is being replaced is no loss, unless nobody answers for two seconds", async () => {
  heartbeat();
  FakeSocket.last.drop(1012);
  await clock.advance(1_000);
  assert.equal(root.dataset.live, "live");
  await clock.advance(1_000);
  assert.equal(root.dataset.live, "stale");
});

/* Connections */

test("a silent connection is replaced by a new one, and what the old one still says is ignored", async () => {
  const [old] = FakeSocket.all;
  await clock.advance(12_000);
  assert.equal(FakeSocket.all.length, 2);
  old.push({ table: "T-01", version: 50, parts: { frame: html(50) } });
  old.drop();
  await clock.advance(1_000);
  assert.equal(versionOf(), 10);
  assert.equal(FakeSocket.all.length, 2);
});

test("a connection that was lost is opened again, later each time, up to 15 seconds", async (context) => {
  context.mock.method(Math, "random", () => 1);
  const delays = [];
  for (let failures = 1; failures <= 7; failures++) {
    FakeSocket.last.drop();
    const lost = clock.now;
    while (FakeSocket.all.length === failures) await clock.advance(100);
    delays.push(clock.now - lost);
  }
  assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

test("a socket whose worker is being replaced opens again within half a second, not all at once", async (context) => {
  const random = context.mock.method(Math, "random", () => 0.9);
  FakeSocket.last.drop(1012);
  await clock.advance(400);
  assert.equal(FakeSocket.all.length, 1);
  await clock.advance(100);
  assert.equal(FakeSocket.all.length, 2);
  heartbeat();
  random.mock.mockImplementation(() => 0.1);
  FakeSocket.last.drop(1012);
  await clock.advance(100);
  assert.equal(FakeSocket.all.length, 3);
});

test("tablets do not all come back at the same moment", async (context) => {
  context.mock.method(Math, "random", () => 0);
  FakeSocket.last.drop();
  await clock.advance(500);
  assert.equal(FakeSocket.all.length, 2);
});

test("a message resets the delay", async (context) => {
  context.mock.method(Math, "random", () => 1);
  FakeSocket.last.drop();
  await clock.advance(1_000);
  heartbeat();
  FakeSocket.last.drop();
  await clock.advance(1_000);
  assert.equal(FakeSocket.all.length, 3);
});

test("when the network is back or the page is looked at again, it connects at once", async () => {
  for (const wake of [() => dispatchEvent(new Event("online")), () => document.dispatchEvent(new Event("visibilitychange"))]) {
    FakeSocket.last.drop();
    const { length } = FakeSocket.all;
    wake();
    assert.equal(FakeSocket.all.length, length + 1);
  }
});

test("a page that nobody looks at does not connect at once", () => {
  FakeSocket.last.drop();
  document.hidden = true;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(FakeSocket.all.length, 1);
});

test("an open connection is not doubled", () => {
  dispatchEvent(new Event("online"));
  assert.equal(FakeSocket.all.length, 1);
});

for (const [code, reason] of [[4401, "signed out"], [4423, "locked"]])
  test(`a page that is ${reason} leaves for sign-in and stays silent`, async () => {
    FakeSocket.last.drop(code);
    await clock.advance(60_000);
    assert.deepEqual(location.visits, ["/sign-in?next=T-01"]);
    assert.equal(FakeSocket.all.length, 1);
  });

test("a page that may not watch this table says so and does not try again", async () => {
  FakeSocket.last.drop(4403);
  await clock.advance(60_000);
  assert.equal(root.dataset.live, "denied");
  assert.equal(FakeSocket.all.length, 1);
  assert.equal(server.requests.length, 0);
});

for (const status of [401, 423])
  test(`a poll that is answered with ${status} leads to sign-in`, async () => {
    await clock.advance(12_000);
    await server.last.answer(status, { refusal: {} });
    assert.deepEqual(location.visits, ["/sign-in?next=T-01"]);
  });

test("an element that was removed stops", async () => {
  screen.disconnectedCallback();
  await clock.advance(60_000);
  dispatchEvent(new Event("online"));
  assert.equal(FakeSocket.all.length, 1);
  assert.equal(clock.timers.size, 0);
});

/* The badge */

function badgeAfter(detail) {
  const [use, label, badge] = [new FakeElement(), new FakeElement(), new FakeElement()];
  const message = { replaceChildren: (...parts) => { message.text = parts.map((part) => part.textContent ?? part).join(""); } };
  badge.parts.set("use", [use]).set("span", [label]);
  document.elements.set("live", badge).set("stale-say", message);
  document.createElement = () => ({});
  dispatchToBadge(new CustomEvent("screen:connection", { detail }));
  return { icon: use.getAttribute("href"), label: label.textContent, text: message.text };
}

test("a live badge has no sentence", () => {
  const { icon, label, text } = badgeAfter({ status: "live", seconds: 0, confirmedTime: clock.now });
  assert.deepEqual([icon, label, text.trim()], ["#i-live", "LIVE", ""]);
});

for (const [status, word, sentence] of [["stale", "STALE", /A tap counts once/], ["dead", "OFFLINE", /A tap waits/]])
  test(`a ${status} badge says for how long, as of when, and what may be done`, () => {
    const { label, text } = badgeAfter({ status, seconds: 14, confirmedTime: new Date(2025, 0, 2, 14, 5, 9).getTime() });
    assert.equal(label, `${word} 14 s`);
    assert.match(text, /^(Nothing heard|Offline) for 14 s\. As of 14:05:09\./);
    assert.match(text, sentence);
  });

test("a page that asks the server every two seconds does not say that it hears nothing", () => {
  assert.match(badgeAfter({ status: "stale", seconds: 1, confirmedTime: clock.now }).text, /^Live updates are down\. As of/);
});

test("a denied badge counts no seconds", () => {
  assert.equal(badgeAfter({ status: "denied", seconds: 30, confirmedTime: clock.now }).label, "DENIED");
});

test("a page without a badge has nothing to paint", () => {
  document.elements.clear();
  dispatchToBadge(new CustomEvent("screen:connection", { detail: { status: "stale", seconds: 1, confirmedTime: 0 } }));
});

/* Morphing */

test("what belongs to the tablet alone survives a push of the same round, and not that of another", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  const { beforeNodeMorphed } = morphs[0].options.callbacks;
  const part = (local) => ({ dataset: local ? { local } : {}, isEqualNode: () => false });
  assert.equal(beforeNodeMorphed(part("7"), part("7")), false);
  assert.equal(beforeNodeMorphed(part("7"), part("8")), true);
  assert.equal(beforeNodeMorphed(part(), part()), true);
  assert.equal(beforeNodeMorphed({ isEqualNode: () => false }, {}), true, "text has no dataset");
});

test("a part that is equal is not morphed, unless it has a field or a template, or is one", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  const { beforeNodeMorphed } = morphs[0].options.callbacks;
  const part = (isEqual, isField, field) =>
    ({ dataset: {}, isEqualNode: () => isEqual, matches: () => isField, querySelector: () => field });
  assert.equal(beforeNodeMorphed(part(true, false, null), part()), false);
  assert.equal(beforeNodeMorphed(part(false, false, null), part()), true);
  assert.equal(beforeNodeMorphed(part(true, true, null), part()), true, "what was typed into it is another value");
  assert.equal(beforeNodeMorphed(part(true, false, {}), part()), true);
  assert.equal(beforeNodeMorphed({ isEqualNode: () => true }, {}), false, "text");
});

test("what a person has unfolded stays unfolded", () => {
  FakeSocket.last.push({ table: "T-01", version: 11, parts: { frame: html(11) } });
  const { beforeAttributeUpdated } = morphs[0].options.callbacks;
  assert.equal(beforeAttributeUpdated("open", { tagName: "DETAILS" }), false);
  assert.equal(beforeAttributeUpdated("open", { tagName: "DIALOG" }), true);
  assert.equal(beforeAttributeUpdated("class", { tagName: "DETAILS" }), true);
});

test("a field that has the focus keeps its value, a button gets its new label", () => {
  const fieldOrButton = (field) => ({ matches: () => field });
  const push = () => morph(new FakeElement(), new FakeElement());
  document.activeElement = fieldOrButton(true);
  push();
  document.activeElement = fieldOrButton(false);
  push();
  assert.deepEqual(morphs.map(({ options }) => options.ignoreActiveValue), [true, false]);
});
