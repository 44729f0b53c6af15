import assert from "node:assert/strict";
import test from "node:test";

import { lettersAfter, matchOf } from "../../static/js/people-search.js";

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
