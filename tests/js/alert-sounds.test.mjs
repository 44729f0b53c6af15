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

test("alerts of one line are heard once a minute, and those of another line at once", () => {
  const { sounds, heard } = listen();
  const inLine = (number, joins, says) => ({ dataset: { level: "warn", sounds: number, joins, ...(says && { says }) } });
  const first = inLine("1", "Pit 3, Tablet offline"), second = inLine("2", "Pit 3, Tablet offline");
  sounds.update([], 0);
  sounds.update([first], 1_000);
  sounds.update([first, second], 4_000);
  assert.equal(heard.length, 2);  // a chime and its vibration
  sounds.update([first, second, inLine("3", "Pit 1, Tablet offline")], 6_000);
  assert.equal(heard.length, 4);
  sounds.update([first, second, inLine("4", "Pit 3, Tablet offline")], 61_000);
  assert.equal(heard.length, 6);
  sounds.update([inLine("5", "Clock", "went back")], 62_000);
  sounds.update([inLine("6", "Clock", "jumped")], 63_000);
  assert.equal(heard.length, 10);
});
