/* At a game whose people share the acts, each tablet offers the acts of the post of the person at it. Where the tablet of
   another post is lost, this tablet may act for that post: it then offers the acts of that post, and each of them asks
   for the PIN of the person there, and why. Acts that belong to no post are offered everywhere. */

import { setText } from "./taps.js";

const POST_NAMES = { "dealer": "dealer on the right", "dealer-left": "dealer on the left", "stick": "stickperson" };

/* A button of an act, or a part of the page that is only for those who do the act. */
const PARTS = "button[data-act], button[data-ask], [data-act-of]";

export class Posts {
  constructor(state, personCode) {
    Object.assign(this, { state, storageKey: `pitside.post.${personCode}`, personCode });
    this.selected = sessionStorage.getItem(this.storageKey);
  }

  /* The post of the person at this tablet; none for a floorperson. */
  get own() {
    return Object.keys(this.state.posts).find((post) => this.state.posts[post]?.code === this.personCode) ?? null;
  }

  /* The post whose acts this tablet offers. */
  get post() {
    return this.selected ?? this.own;
  }

  select(post) {
    this.selected = post === this.own ? null : post;
    if (this.selected) sessionStorage.setItem(this.storageKey, post);
    else sessionStorage.removeItem(this.storageKey);
  }

  selectNext() {
    const posts = Object.keys(this.state.posts);
    this.select(posts[(posts.indexOf(this.post) + 1) % posts.length]);
  }

  /* The post at which this tablet does an act: null where it belongs to another post, undefined where it belongs to none. */
  postOf(act) {
    const posts = this.state.post_acts[act];
    if (!posts || posts.includes(this.post)) return posts && this.post;
    return this.post === null ? posts[0] : null;
  }

  /* The post for which this tablet acts, if the act is not that of the person at it. */
  actsFor(act) {
    const post = this.postOf(act);
    return post && post !== this.own ? { name: POST_NAMES[post], person: this.state.posts[post] } : null;
  }

  /* `stickperson, Ada Reyes` */
  describe(act) {
    return this.state.post_acts[act].map((post) => {
      const person = this.state.posts[post]?.name;
      return person ? `${POST_NAMES[post]}, ${person}` : POST_NAMES[post];
    }).join(" or the ");
  }

  /* What is said about the silent tablets of other posts, as heading and sentences; empty where all are heard. */
  adviceOfSilent(silent) {
    const others = silent.filter((post) => post !== this.own);
    if (!others.length) return ["", ""];
    const names = others.map((post) => POST_NAMES[post]).join(" and the "), { bets_open: betsOpen } = this.state.round;
    const heading = `The tablet of the ${names} is offline.`;
    if (!betsOpen) return [heading, "What is done there does not show here yet."];
    return [heading, others.includes("stick")
      ? "Bets that are closed there stay open here: once that is called, place nothing. It would be taken and count."
      : "Its chips may not show here. Ask before bets are closed: what waits there is refused afterward."];
  }

  paint() {
    if (!Object.keys(this.state.post_acts).length) return;
    for (const part of document.querySelectorAll(PARTS)) {
      const { act, ask, actOf } = part.dataset, isElsewhere = this.postOf(act ?? ask ?? actOf) === null;
      if (part.id === "next") this.paintNext(part, isElsewhere);
      else part.toggleAttribute("data-elsewhere", isElsewhere);
    }
    for (const part of document.querySelectorAll("[data-unless-act-of]"))
      part.hidden = this.postOf(part.dataset.unlessActOf) !== null;
  }

  /* The next step is shown at every post, and says who does it. What the server wrote comes back with the post. */
  paintNext(next, isElsewhere) {
    const detail = next.querySelector(".next-s");
    if (!isElsewhere && next.dataset.waits === undefined) return;
    if (isElsewhere) {
      next.dataset.waits ??= JSON.stringify([detail.textContent, next.getAttribute("aria-disabled"), next.className]);
      next.classList.add("next--off");
      next.setAttribute("aria-disabled", "true");
      if (next.dataset.label) setText(next.querySelector(".next-l"), next.dataset.label);
      setText(detail, `By the ${this.describe(next.dataset.act)}`);
    } else {
      const [text, disabled, className] = JSON.parse(next.dataset.waits);
      delete next.dataset.waits;
      next.className = className;
      if (disabled === null) next.removeAttribute("aria-disabled");
      else next.setAttribute("aria-disabled", disabled);
      setText(detail, text);
    }
  }
}
