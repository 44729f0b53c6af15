/* The relief view of the dealer's tablet is read each time it opens: rest and breaks change without an act at this table.
   Who is planned here is chosen already, so that a tap on the name and the six digits of the PIN relieve. */

import { FetchedView } from "./fetched-view.js";
import { storedHeads } from "./heads.js";
import { PinPad } from "./pin-pad.js";

const NOT_READ = "Times and free dealers cannot be read now. You can still find a dealer by name.";
const NO_LINE = "Offline: nobody can be relieved here until the connection is back.";

/* `prepare` is awaited before the PIN goes out: what was tapped at this table is on its way first. */
export class ReliefView extends FetchedView {
  constructor(box, address, prepare) {
    super(box, address, NOT_READ);
    Object.assign(this, { prepare, pad: null, form: null });
    box.addEventListener("click", ({ target }) => this.pad?.click(target));
    box.addEventListener("keydown", (event) => { if (!event.ctrlKey && !event.metaKey) this.pad?.key(event); });
    box.addEventListener("change", () => this.choose());
  }

  async show() {
    await super.show();
    const form = this.box.querySelector("form");
    if (form !== this.form) this.begin(form);
  }

  begin(form) {
    this.form = form;
    this.pad = form && new PinPad(form, { field: form.elements.pin, complete: () => this.send() });
    if (form) this.choose();
  }

  get person() {
    return this.form.querySelector("[name=person]:checked");
  }

  /* Another name takes no digits that were typed for the one before. A plan says which post, too. */
  choose() {
    if (this.pad.isSending) return;
    const { person } = this, planned = person?.dataset.post;
    if (person !== this.lastPerson && planned) {
      const post = this.form.querySelector(`[name=post][value="${CSS.escape(planned)}"]`);
      if (post) post.checked = true;
    }
    this.lastPerson = person;
    this.form.querySelector("[data-relief-who]").textContent = person ? `${person.dataset.name}’s PIN` : "Who takes over?";
    this.pad.reset();
    this.pad.setHint(person ? "The sixth digit takes over." : "Tap the name first.");
  }

  /* The page that answers takes the place of this one. */
  send() {
    if (!this.person) return this.refuse("Tap the name of who takes over.");
    if (document.documentElement.dataset.live === "dead") return this.refuse(NO_LINE);
    return this.pad.sendOnce(async () => {
      await this.prepare();
      this.form.elements.heads.value = JSON.stringify(storedHeads());
      this.form.requestSubmit();
      return new Promise(() => {});
    });
  }

  refuse(text) {
    this.pad.reset();
    this.pad.say(text, true);
  }
}
