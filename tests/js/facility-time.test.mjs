import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { clockWarning, formatDate, formatTime, noteServerTime, serverTime } from "../../static/js/facility-time.js";
import { installBrowser } from "./browser.mjs";

let clock, document;
const MOMENT = Date.UTC(2026, 10, 23, 3, 15, 2);

beforeEach(() => { ({ clock, document } = installBrowser()); });

test("a moment has the day and the hour of the facility, whatever the zone of the browser", () => {
  document.documentElement.dataset.zone = "America/New_York";
  assert.deepEqual([formatDate(MOMENT), formatTime(MOMENT), formatTime(MOMENT, true)], ["Sun 22 Nov 2026", "22:15", "22:15:02"]);
  document.documentElement.dataset.zone = "Asia/Macau";
  assert.deepEqual([formatDate(MOMENT), formatTime(MOMENT)], ["Mon 23 Nov 2026", "11:15"]);
});

test("a device whose clock is wrong by more than a minute is told, and shows the server's time", () => {
  assert.equal(clockWarning(), "");
  noteServerTime(new Date(clock.now - 30_000).toISOString());
  assert.equal(clockWarning(), "");
  noteServerTime(new Date(clock.now + 300_000).toISOString());
  assert.match(clockWarning(), /5 min slow/);
  assert.equal(serverTime(), clock.now + 300_000);
  noteServerTime(new Date(clock.now).toISOString());  // it was on its way for five minutes
  assert.match(clockWarning(), /5 min slow/);
});
