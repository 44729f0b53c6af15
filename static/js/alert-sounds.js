/* The sound of a new alert that nobody has answered, at a pit screen: each level has its own chime, and on a phone its own
   vibration. It sounds again when the alert is passed on to the next role. What joins a line that sounded within a minute
   is heard with it: eight tablets behind one switch are one chime. A browser plays only after somebody has touched the page.

   A chime is [hertz, seconds from the start] for each tone: a stop falls three times, a warning rises, a notice is one. */

import { lineKey } from "./alert-groups.js";

const CHIMES = {
  stop: [[880, 0], [587, 0.18], [880, 0.5], [587, 0.68], [880, 1], [587, 1.18]],
  warn: [[523, 0], [784, 0.16]],
  info: [[659, 0]],
};
const VIBRATIONS = { stop: [400, 120, 400, 120, 400], warn: [200, 100, 200], info: [120] };
const TONE_SECONDS = 0.16, LOUDNESS = 0.25;
const CHECK_INTERVAL = 2_000, HEARD_TOGETHER = 60_000;
const LEVELS = ["stop", "warn", "info"];

/* The alerts that call now: not answered, not muted. `alerts` are list items of tables/parts/alert.jinja. */
function soundingAlerts(alerts, now = Date.now()) {
  return alerts.filter(({ dataset }) => dataset.sounds && !(Date.parse(dataset.mutedUntil) > now));
}

/* Remembers which alerts call, so that each is heard once, and again when it is passed on or its mute is over. What the
   page shows at first was heard before. */
export class AlertSounds {
  constructor({ play = playChime, vibrate = vibratePhone } = {}) {
    Object.assign(this, { play, vibrate, heard: null, lines: new Map() });  // when each line was last heard
  }

  update(alerts, now = Date.now()) {
    const sounding = soundingAlerts(alerts, now);
    const fresh = sounding.filter(({ dataset }) => this.heard && !this.heard.has(this.keyOf(dataset)));
    this.heard = new Set(sounding.map(({ dataset }) => this.keyOf(dataset)));
    const audible = fresh.filter((alert) => !(now - this.lines.get(lineKey(alert)) < HEARD_TOGETHER));
    for (const line of audible.map(lineKey).filter(Boolean)) this.lines.set(line, now);
    const level = LEVELS.find((name) => audible.some(({ dataset }) => dataset.level === name));
    if (!level) return null;
    this.play(level);
    this.vibrate(level);
    return level;
  }

  keyOf({ sounds, level }) {
    return `${level} ${sounds}`;
  }
}

let context = null;

/* Lets the alerts of a page be heard. `readAlerts` returns them; a mute may end while nothing else changes. */
export function watchAlerts(readAlerts) {
  const sounds = new AlertSounds();
  addEventListener("pointerdown", allowSound);
  addEventListener("click", testSound);
  setInterval(() => sounds.update(readAlerts()), CHECK_INTERVAL);
  sounds.update(readAlerts());
  return sounds;
}

/* Browsers allow sound only after a touch. */
function allowSound() {
  context ??= window.AudioContext && new AudioContext();
  context?.resume?.();
  document.documentElement.dataset.sound = context ? "on" : "none";
}

/* Plays the chime of a warning, so that a person hears how loud this device is before it matters. */
async function testSound({ target }) {
  if (!target.closest?.("[data-sound-test]")) return;
  allowSound();
  await context?.resume?.();
  playChime("warn");
  vibratePhone("warn");
}

function playChime(level) {
  if (context?.state !== "running") return;
  for (const [hertz, delay] of CHIMES[level]) {
    const start = context.currentTime + delay, end = start + TONE_SECONDS;
    const tone = context.createOscillator(), volume = context.createGain();
    tone.frequency.value = hertz;
    tone.type = level === "stop" ? "square" : "sine";
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + 0.02);
    volume.gain.linearRampToValueAtTime(0, end);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(end);
  }
}

const vibratePhone = (level) => navigator.vibrate?.(VIBRATIONS[level]);
