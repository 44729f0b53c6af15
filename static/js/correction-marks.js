/* What a correction would change, on the felt: while its preview is on the screen, every area whose result changes is
   dashed and carries a word and its chips, as the server drew them. Areas that win either way are marked too, and nothing is
   lit: what is lit is recorded, and this is not. A push draws the felt again, so `paint` follows every push. */

export class CorrectionMarks {
  constructor(slot) {
    Object.assign(this, { slot });
  }

  paint() {
    this.clear();
    const felt = document.getElementById("felt"), preview = this.slot.querySelector("[data-version]");
    if (!felt || !preview) return;
    felt.toggleAttribute("data-previewed", true);
    for (const area of felt.querySelectorAll(".area[data-lit]")) {
      area.dataset.wasLit = area.dataset.lit;
      delete area.dataset.lit;
    }
    for (const template of preview.querySelectorAll("template[data-area]"))
      for (const area of felt.querySelectorAll(`.area[data-wager="${CSS.escape(template.dataset.area)}"]`)) mark(area, template);
  }

  clear() {
    document.getElementById("felt")?.removeAttribute("data-previewed");
    for (const area of document.querySelectorAll(".area[data-was-lit]")) {
      area.dataset.lit = area.dataset.wasLit;
      delete area.dataset.wasLit;
    }
    for (const area of document.querySelectorAll(".area[data-would]")) {
      delete area.dataset.would;
      area.removeAttribute("data-quiet");
      for (const part of area.querySelectorAll(".would-word, .would-chips")) part.remove();
      for (const tier of area.querySelectorAll(".tier--would")) tier.classList.remove("tier--would");
    }
  }
}

function mark(area, { content, dataset }) {
  area.dataset.would = dataset.mark;
  area.toggleAttribute("data-quiet", "quiet" in dataset);
  area.append(...content.cloneNode(true).children);
  const word = area.querySelector(".would-word");
  word?.toggleAttribute("data-tight", word.scrollWidth > word.clientWidth);
  area.querySelector(`.tier[data-hits="${dataset.hits}"]`)?.classList.add("tier--would");
}
