/* What scrolls though it should not, what lies on another part, keys out of reach or too small for a finger, areas that no
   scrolling of the cloth brings under it, and a next step that is not whole. `least`: of a target, in pixels. */
export function findFaults(least) {
  const PARTS = [".top", ".ribbon", ".felt", ".fb-areas", ".tub", ".side", ".fb-run", ".fb-entry", ".dock", ".next-wrap"];
  const KEYS = ".dock button:not([disabled]), .die-face-key, .hr-entry button:not([disabled]), button.seat, button.hr-seat, "
    + ".top button, [data-inspect-face], #next, #all";
  const faults = [], root = document.documentElement;
  const nameOf = (part) => `${part.className} "${part.textContent.trim().replace(/\s+/g, " ").slice(0, 24)}"`;
  const boxOf = (part) => part.getBoundingClientRect();
  const isSeen = (part) =>
    part.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && boxOf(part).width > 1;
  const seen = (parts) => [...document.querySelectorAll(parts)].filter(isSeen);
  const isOver = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const isOut = ({ top, left, bottom, right }) => top < -1 || left < -1 || bottom > innerHeight + 1 || right > innerWidth + 1;
  const isHit = (part) => {
    const { x, y, width, height } = boxOf(part), hit = document.elementFromPoint(x + width / 2, y + height / 2);
    return hit !== null && (part.contains(hit) || hit.contains(part));
  };
  const askTarget = (part, name) => {
    const { width, height } = boxOf(part);
    if (width < least - .5 || height < least - .5) faults.push(`${name} has ${Math.round(width)}×${Math.round(height)}`);
    if (!isHit(part)) faults.push(`${name} is out of reach`);
  };
  const askApart = (parts) => {
    for (const [place, part] of parts.entries()) {
      if (isOut(boxOf(part))) faults.push(`${nameOf(part)} leaves the glass`);
      for (const other of parts.slice(place + 1))
        if (isOver(boxOf(part), boxOf(other))) faults.push(`${nameOf(part)} lies on ${nameOf(other)}`);
    }
  };

  if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth)
    faults.push(`the page is ${root.scrollWidth}×${root.scrollHeight}`);
  askApart(seen(PARTS.map((part) => `.frame > ${part}`).join()).filter((part) => !part.matches(".ribbon, .top")));
  askApart(seen(".top > *, .ribbon > *, .frame > :is(.felt, .tub, .side)"));
  for (const key of seen(KEYS)) askTarget(key, nameOf(key));
  const next = document.getElementById("next");
  for (const part of seen("#next :is(.next-l, .next-s)")) {
    const range = document.createRange();
    range.selectNodeContents(part);
    const text = range.getBoundingClientRect(), box = boxOf(next);
    if (text.left < box.left || text.right > box.right + 1 || text.top < box.top - 1 || text.bottom > box.bottom + 1)
      faults.push(`the next step cuts ${nameOf(part)}`);
  }
  for (const area of document.querySelectorAll("button.area")) {
    area.scrollIntoView({ block: "center", inline: "center" });
    askTarget(area, area.dataset.wager);
  }
  document.getElementById("felt").scrollTop = 0;
  if (scrollX || scrollY) faults.push("the page was scrolled");
  return [...new Set(faults)];
}
