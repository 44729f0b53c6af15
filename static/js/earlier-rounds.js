/* Rounds before the last ones, on the page of a table: they are read when somebody asks for them, and the screen above goes
   on. So what is read begins after the oldest round that is listed now, and a round that leaves the list above, because
   another one has ended, goes to the top of these: from the moment when somebody asks, because a round may end before the
   answer comes. */

const LISTED = 20;  // rounds that the screen lists (LAST_ROUNDS of tables/screens/table_history.py)
const listedRows = () => [...document.querySelectorAll("#screen .rounds tbody tr")];
const numberOf = (row) => Number.parseInt(row.querySelector("th a")?.textContent, 10);

export class EarlierRounds {
  static watch(section) {
    return new EarlierRounds(section);
  }

  constructor(section) {
    Object.assign(this, { section, rows: [], isAsked: false });
    addEventListener("screen:applying", () => { this.rows = listedRows().map((row) => row.cloneNode(true)); });
    addEventListener("screen:applied", () => this.screenApplied());
    section.addEventListener("htmx:configRequest", ({ detail }) => {
      detail.parameters.before = this.oldest;
      this.isAsked = true;
    });
  }

  /* Every row that was read or has left the list, the oldest last; none before somebody has asked. */
  get rowsHere() {
    return [...this.section.querySelectorAll("tr:not(#more-rounds)")];
  }

  get oldest() {
    return Math.min(...[...listedRows(), ...this.rowsHere].map(numberOf).filter(Boolean));
  }

  screenApplied() {
    const listed = listedRows(), numbers = new Set(listed.map(numberOf));
    this.section.hidden = listed.length < LISTED;
    if (!this.isAsked) return;
    const top = this.section.querySelector("tr");
    top.before(...this.rows.filter((row) => !numbers.has(numberOf(row))));
  }
}
