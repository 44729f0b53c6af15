/* A dialog that leaves the felt in sight: its panel and the strip of its fields are placed in the room that the felt
   leaves. `data-beside` says where the panel is; the style sheet does the rest with what was measured. */

const GAP = 8;
const LEAST = { width: 56, height: 44 }, LEAST_UPRIGHT = { width: 48 };
const FALLBACK = .6;  // of the screen, where it has no felt now

/* Whether the felt and the panel fit beside each other: not where the page is enlarged so far that they would not (rem). */
export function hasRoomBesideFelt() {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [width, height] = [innerWidth / rem, innerHeight / rem];
  return height > width ? width >= LEAST_UPRIGHT.width : width >= LEAST.width && height >= LEAST.height;
}

export function placeBesideFelt(box) {
  const [top, ribbon] = [".top", ".ribbon"].map((name) => document.querySelector(`#screen ${name}`).getBoundingClientRect());
  const cloth = document.getElementById("felt").getBoundingClientRect();
  const felt = cloth.width ? cloth : new DOMRect(GAP, ribbon.bottom + GAP, FALLBACK * innerWidth, FALLBACK * innerHeight);
  const isUpright = innerHeight > innerWidth;
  const above = felt.top - ribbon.bottom, below = innerHeight - felt.bottom;
  const side = isUpright ? (above > below ? "above" : "below") : "right";
  const isUnderRibbon = isUpright || (ribbon.right > felt.right && innerHeight >= 800);
  box.dataset.beside = side;
  const lengths = {
    "panel-top": side === "below" ? felt.bottom + GAP : (isUnderRibbon ? ribbon : top).bottom + GAP,
    "panel-left": side === "right" ? felt.right + GAP : GAP,
    "panel-bottom": side === "above" ? innerHeight - felt.top + GAP : GAP,
    "strip-top": felt.bottom + GAP,
    "strip-right": side === "right" ? innerWidth - felt.right : GAP,
  };
  for (const [name, length] of Object.entries(lengths)) box.style.setProperty(`--${name}`, `${Math.round(length)}px`);
}
