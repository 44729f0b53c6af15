/* The payment that this tablet has seen last: after a tap that was not taken, the list says which one was. It is marked until
   the next payment, with the time of the screen that showed it; a page that was loaded since does not know it. */

import { formatTime, serverTime } from "./facility-time.js";

const paidLines = () => new Set([...document.querySelectorAll("[data-paid]")].map(({ dataset }) => dataset.paid));

export class LastPayment {
  constructor() {
    this.paid = paidLines();
    this.last = "";
  }

  /* Called for each screen: marks the line that is paid now and was not before. */
  apply() {
    const paid = paidLines(), fresh = [...paid].filter((line) => !this.paid.has(line));
    if (!paid.size) this.last = "";
    if (fresh.length) Object.assign(this, { last: fresh.at(-1), time: serverTime() });
    this.paid = paid;
    for (const line of document.querySelectorAll("[data-paid]")) {
      const isLast = line.dataset.paid === this.last;
      line.classList.toggle("due--last", isLast);
      line.querySelector(".due-when").textContent = isLast ? `paid ${formatTime(this.time, true)}` : "";
    }
  }
}
