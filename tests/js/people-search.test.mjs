import assert from "node:assert/strict";
import test from "node:test";

import { badgeMatches, lettersAfter, matchOf, personOfBadge } from "../../static/js/people-search.js";

test("a name is found by the beginning of any of its words", () => {
  assert.equal(matchOf("Zara Malik", "ma"), 5);
  assert.equal(matchOf("Zara Malik", "z"), 0);
  assert.equal(matchOf("Zara Malik", "lik"), -1);
  assert.equal(matchOf("Mary-Ann O'Neil", "nei"), 11);
  assert.equal(matchOf("Zara Malik", "zara m"), 0);
});

test("accents and capitals do not matter", () => {
  assert.equal(matchOf("Élodie Ångström", "ang"), 7);
  assert.equal(matchOf("Elodie", "É"), 0);
});

test("only letters that lead to somebody are offered", () => {
  assert.deepEqual([...lettersAfter(["Mei Tran", "Marta Duarte"], "M")], ["A", "E"]);
  assert.deepEqual([...lettersAfter(["Mei Tran", "Marta Duarte"], "")], ["D", "M", "T"]);
  assert.deepEqual([...lettersAfter(["Mei Tran"], "Q")], []);
});

test("a badge is found by its first digits, and a whole one chooses its person", () => {
  const people = ["441", "4417", "3471", ""].map((badge) => ({ dataset: { badge } }));
  assert.deepEqual(people.map(({ dataset }) => badgeMatches(dataset.badge, "44")), [true, true, false, false]);
  assert.equal(badgeMatches("4417", "4a"), false);
  assert.equal(badgeMatches("4417", ""), false);
  assert.equal(personOfBadge(people, "441"), undefined, "it may go on to 4417");
  assert.equal(personOfBadge(people, "4417"), people[1]);
  assert.equal(personOfBadge(people, "3471"), people[2]);
  assert.equal(personOfBadge(people, "347"), undefined);
});
