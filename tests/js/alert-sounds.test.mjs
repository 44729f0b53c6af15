import assert from "node:assert/strict";
import { test } from "node:test";
import { AlertSounds } from "../../static/js/alert-sounds.js";

const alert = (level, sounds, mutedUntil) => ({ dataset: { level, sounds, mutedUntil } });
const answered = { dataset: { level: "stop" } };
const MINUTE = 60_000;

function listen() {
  const heard = [];
  const sounds = new AlertSounds({ play: (level) => heard.push(level), vibrate: (level) => heard.push(`${level} vibrates`) });
  return { sounds, heard };
}

test("an alert is heard once, the most urgent of several, and not those that the page showed at first", () => {
  const { sounds, heard } = listen();
  sounds.update([alert("warn", "1")]);
  sounds.update([alert("warn", "1"), alert("info", "2"), alert("stop", "3"), answered]);
  sounds.update([alert("warn", "1"), alert("info", "2"), alert("stop", "3"), answered]);
  assert.deepEqual(heard, ["stop", "stop vibrates"]);
});

test("an alert is heard again when it is passed on to the next role", () => {
  const { sounds, heard } = listen();
  sounds.update([alert("warn", "1")]);
  sounds.update([alert("warn", "1-Pit manager")]);
  assert.deepEqual(heard, ["warn", "warn vibrates"]);
});

test("a muted alert is heard again once its minutes are over", () => {
  const { sounds, heard } = listen(), until = new Date(10 * MINUTE).toISOString();
  sounds.update([alert("stop", "1")], 0);
  sounds.update([alert("stop", "1", until)], 9 * MINUTE);
  assert.deepEqual(heard, []);
  sounds.update([alert("stop", "1", until)], 11 * MINUTE);
  assert.deepEqual(heard, ["stop", "stop vibrates"]);
});
