/* Taps every control of a phase of the round and then, before a second has passed, the same place and each control next
   to it. The server is replaced by fragments that the test has taken from it, one for each phase. Returns the acts that
   went out without having been on the screen, in that place, before the first tap; and how many pairs were tried.

   `fragments`: {phase: html}. `next`: {act: phase}, the phase that an act leads to. */
export async function tapPairs({ phase, fragments, next }) {
  const NEIGHBOR = 16, SAMPLES = 6;  // pixels between neighbors; areas of the felt that stand for all of them
  const STEPS = ["shake", "no_more_bets", "call_dice", "take_losers", "clear_layout"];  // each once
  const CALLS = ["call_floor", "call_security", "end_call"];  // no money
  const root = document.documentElement, screen = document.querySelector("live-screen");
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  let version = Number(document.querySelector("[data-version]").dataset.version) + 1, acts = [], isChanged = true;

  function fragmentOf(name) {
    version += 1;
    return { version, html: fragments[name].replace(/data-version="\d+"/, `data-version="${version}"`) };
  }
  const { fetch } = window;
  window.fetch = async (url, options) => {
    const act = String(url).match(/acts\/(\w+)/)?.[1];
    if (!act) return fetch(url, options);
    acts.push([act, JSON.stringify(JSON.parse(options.body).params)]);
    isChanged ||= act in next;
    return Response.json({ version, answer: {}, screen: next[act] ? fragmentOf(next[act]) : null });
  };

  function reset() {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    document.getElementById("refusal").hidden = true;
    if (isChanged) screen.apply(fragmentOf(phase));
    acts = [];
    isChanged = false;
  }

  function click(x, y) {
    const target = document.elementFromPoint(x, y);
    const fields = { bubbles: true, cancelable: true, clientX: x, clientY: y, detail: 1, button: 0 };
    for (const name of ["pointerdown", "pointerup"]) target.dispatchEvent(new PointerEvent(name, fields));
    target.dispatchEvent(new MouseEvent("click", fields));
  }

  const actOf = ({ dataset }) => (dataset.wager ? "place_wagers" : dataset.act);
  const controls = () => {
    const areas = [...screen.querySelectorAll("button[data-wager]")];
    const others = [...screen.querySelectorAll("button:not([data-wager])")];
    const sampled = areas.filter((area, i) => i % Math.ceil(areas.length / SAMPLES) === 0 || i > areas.length - 3);
    return [...sampled, ...others].filter((button) => button.checkVisibility() && !button.disabled).map((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect(), { params, "do": action } = button.dataset;
      const name = button.dataset.wager ?? (button.textContent.trim().slice(0, 24) || button.id);
      return { name, act: actOf(button), params, action, hold: "hold" in button.dataset, left, right, top, bottom,
        x: (left + right) / 2, y: (top + bottom) / 2 };
    }).filter(({ x, y }) => document.elementFromPoint(x, y)?.closest("button"));
  };
  const isNext = (a, b) => a.left - NEIGHBOR < b.right && b.left - NEIGHBOR < a.right
    && a.top - NEIGHBOR < b.bottom && b.top - NEIGHBOR < a.bottom;

  const surprises = [];
  let pairs = 0;
  reset();
  await wait(50);
  const all = controls();
  for (const first of all) for (const second of all.filter((button) => isNext(first, button))) {
    root.style.setProperty("--read-time", "0.001");
    reset();
    await wait(2);
    click(first.x, first.y);
    await wait(2);
    root.style.setProperty("--read-time", "1000");
    click(second.x, second.y);
    dispatchEvent(new Event("pagehide"));  // taps on the felt go out
    await wait(2);
    pairs += 1;
    const visible = [first, second].map(({ act, action, hold }) => (hold ? null : act ?? (action ? "place_wagers" : null)));
    const params = [first, second].map((button) => button.params);
    const unseen = acts.filter(([act]) => !CALLS.includes(act)).filter(([act, sent]) => !visible.includes(act) || (act === "pay_seats" && !params.includes(sent)));
    if (unseen.length || acts.filter(([act]) => STEPS.includes(act)).length > 1)
      surprises.push([phase, first.name, second.name, acts.map(([act]) => act)]);
  }
  window.fetch = fetch;
  return { pairs, surprises };
}

/* Taps every button that opens a dialog of a list page (dialogs.js) and then, before a second has passed, the same place
   and the button of the dialog that sends. Returns what went out, and the dialogs that were tried. */
export async function dialogPairs() {
  const root = document.documentElement, { fetch } = window, surprises = [], tried = new Set();
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const middleOf = (button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    return [(left + right) / 2, (top + bottom) / 2];
  };
  function click([x, y]) {
    const fields = { bubbles: true, cancelable: true, clientX: x, clientY: y, detail: 1, button: 0 };
    document.elementFromPoint(x, y)?.dispatchEvent(new MouseEvent("click", fields));
  }
  for (const opener of [...document.querySelectorAll("main button[data-open]")].filter((button) => button.checkVisibility())) {
    for (const isSamePlace of [true, false]) {
      const box = document.getElementById(opener.dataset.open);
      window.fetch = async (url, options) => {
        if (options?.method === "POST") surprises.push([opener.dataset.open, isSamePlace, String(url)]);
        return Response.json({ refusal: { code: "test", title: "", message: "" } }, { status: 409 });
      };
      opener.scrollIntoView({ block: "center" });
      const place = middleOf(opener);
      root.style.setProperty("--read-time", "0.001");
      click(place);
      root.style.setProperty("--read-time", "10000");
      if (box.open) tried.add(box.id);
      click(isSamePlace || !box.open ? place : middleOf(box.querySelector("[data-go]")));
      root.style.setProperty("--read-time", "0.001");
      await wait(5);
      box.close();
      for (const button of document.querySelectorAll(".too-quick")) button.classList.remove("too-quick");
      window.fetch = fetch;
    }
  }
  return { tried: [...tried].sort(), surprises };
}
