import assert from "node:assert/strict";
import { test } from "node:test";
import { agreeAlone, needDrawnAlone, needDueAlone } from "../../src/engine/alone.ts";
import type { Entry } from "../../src/engine/chain.ts";
import { DamageFound, FaultFound } from "../../src/engine/failures.ts";
import { coin } from "../../src/engine/hash.ts";
import { Matter } from "../../src/engine/matter.ts";
import { TWO64 } from "../../src/engine/numbers.ts";
import { Doc, Round } from "../../src/engine/round.ts";
import type { Terms } from "../../src/engine/verdict.ts";

const isFault = (error: unknown): boolean => error instanceof FaultFound && error.check === "V13" && error.blamed === "trent";

function matter(position: number): Matter {
  const m = new Matter("court", {});
  m.alone = { document: 7, name: "a document", position, positions: position };
  return m;
}

/** An escalation of eight positions, and these by their coins, the smallest first. */
function escalation(): { round: Round; byCoin: number[] } {
  const round = new Round(2, "escalation", 10, 8);
  round.seed = new Uint8Array(32).fill(1);
  round.givenUp = new Set();
  const byCoin = [1, 2, 3, 4, 5, 6, 7, 8].sort((a, b) => (round.coin(a) < round.coin(b) ? -1 : 1));
  return { round, byCoin };
}

test("in an escalation by itself, the smallest coins may be shown", () => {
  const { round, byCoin } = escalation();
  round.happen({ kind: "wave", entry: 12, positions: byCoin.slice(0, 3) });
  needDueAlone(matter(1), round);
});

test("in an escalation by itself, nothing may be shown while a smaller coin is left", () => {
  const { round, byCoin } = escalation();
  round.happen({ kind: "wave", entry: 12, positions: [byCoin[0]!, byCoin[2]!] });
  assert.throws(() => needDueAlone(matter(1), round), isFault);
});

test("in an escalation by itself, what went to the court counts as drawn", () => {
  const { round, byCoin } = escalation();
  round.happen({ kind: "camera", entry: 12, positions: [byCoin[2]!] });
  assert.throws(() => needDueAlone(matter(1), round), isFault);
});

test("in an escalation by itself, what Alice gave up or claimed late needs no coin", () => {
  const { round, byCoin } = escalation();
  round.givenUp = new Set([byCoin[6]!]);
  round.happen({ kind: "late", claims: new Map([[byCoin[7]!, { claim: undefined, place: { entry: 11, index: 0 } }]]) });
  round.happen({ kind: "wave", entry: 12, positions: [byCoin[6]!, byCoin[7]!] });
  needDueAlone(matter(1), round);
});

/** A call whose document was shown: `over` is how far above its coin the chance is that the terms give it. */
function call(position: number, over: bigint): { m: Matter; round: Round } {
  const round = new Round(2, "validation", 10, 4);
  const doc = new Doc(10, position - 1, true);
  doc.number = 7;
  round.docs[position - 1] = doc;
  round.seed = new Uint8Array(32).fill(1);
  round.labels = [false, false, false, false];
  round.validation = { number: 1, stages: 2, chance: null, called: 2, never: 9, population: 9, found: 0 };
  round.happen({ kind: "wave", entry: 12, positions: [position] });
  const m = matter(position);
  const chance = round.coin(position) + over;
  const isCalled = position <= 2;
  // The product of the two chances, rounded down, is the one for what was withheld before.
  m.numbers = { validation: { show: isCalled ? chance : TWO64, review: isCalled ? TWO64 : chance } } as unknown as Matter["numbers"];
  return { m, round };
}

for (const [position, what] of [[1, "called"], [3, "withheld before"]] as const) {
  test(`in a call by itself, a document that was ${what} is shown only if its coin draws it`, () => {
    const drawn = call(position, 1n);
    needDueAlone(drawn.m, drawn.round);
    const other = call(position, 0n);
    assert.throws(() => needDueAlone(other.m, other.round), isFault);
  });
}

test("in a call by itself, what Alice reported as responsive needs no coin", () => {
  const { m, round } = call(1, 0n);
  round.labels = [true, false, false, false];
  needDueAlone(m, round);
});

test("what a validation lists has a coin that the largest chance of the terms draws", () => {
  const seed = new Uint8Array(32).fill(1);
  const own = coin(seed, 7);
  needDrawnAlone(matter(1), [3, 7], seed, own + 1n);
  needDrawnAlone(matter(1), [3, 8], seed, 0n);
  assert.throws(() => needDrawnAlone(matter(1), [3, 7], seed, own), (error: unknown) => error instanceof FaultFound && error.check === "V28");
});

const entry = (kind: string, content: object): Entry => ({ body: { sequence: 1 }, statement: { kind, content } }) as unknown as Entry;

test("the terms have a round's first draw, and all who give links for a draw agree on its number", () => {
  const m = matter(1);
  m.terms = { draws: 3 } as unknown as Terms;
  const agree = (...entries: Entry[]): void => agreeAlone(m, entries);
  // Whether the terms have a later draw, its own entry tells.
  agree(entry("draw", { draw: 3 }), entry("link", { draw: 3 }), entry("batch", { drawn: { draw: 3 } }), entry("report", { draw: 4 }), entry("link", { draw: 4 }), entry("closed", { draw: 4 }));
  agree(entry("batch", { drawn: null }), entry("closed", { draw: null }));
  for (const [kind, content] of [["link", { draw: 4 }], ["batch", { drawn: { draw: 2 } }], ["closed", { draw: 5 }]] as const) {
    assert.throws(() => agree(entry("draw", { draw: 3 }), entry(kind, content)), DamageFound);
  }
  assert.throws(() => agree(entry("draw", { draw: 4 }), entry("link", { draw: 4 })), DamageFound);
});
