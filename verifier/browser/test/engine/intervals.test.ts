import assert from "node:assert/strict";
import { test } from "node:test";
import { least, most } from "../../src/engine/estimate.ts";
import { oneStage, twoStages } from "../../src/engine/intervals.ts";
import { type Fraction, TWO64, threshold } from "../../src/engine/numbers.ts";

const decimal = (num: bigint, den: bigint): Fraction => ({ num, den });
const HALF = decimal(1n, 2n);
const TWENTIETH = decimal(1n, 20n);
const none = { documents: 0, shown: 0, hits: 0 };

function among(documents: number, shown: number, hits: number, unread: number, chance: Fraction, doubt: Fraction): unknown {
  return oneStage({ never: { documents, shown, hits }, withheld: none, unread }, threshold(chance), doubt).never;
}

test("in one stage the estimates are those of the text", () => {
  assert.deepEqual(among(366, 77, 0, 0, decimal(1n, 5n), TWENTIETH), { point: 0, low: 0, high: 16 });
  assert.deepEqual(among(1020, 209, 3, 0, decimal(1n, 5n), TWENTIETH), { point: 15, low: 4, high: 40 });
  // 17.5 less a hair, since the chance is rounded up.
  assert.deepEqual(among(32, 14, 7, 0, decimal(2n, 5n), HALF), { point: 17, low: 14, high: 22 });
});

test("what Bob left unread may all be responsive, or none of it", () => {
  assert.deepEqual(among(32, 14, 0, 14, decimal(2n, 5n), HALF), { point: 0, low: 0, high: 32 });
  assert.deepEqual(among(18, 4, 0, 4, decimal(1n, 4n), HALF), { point: 0, low: 0, high: 18 });
});

test("both strata together have an interval of their own", () => {
  const { never, withheld, both } = oneStage({ never: { documents: 1020, shown: 209, hits: 3 }, withheld: { documents: 366, shown: 77, hits: 2 }, unread: 0 }, threshold(decimal(1n, 5n)), TWENTIETH);
  assert.deepEqual([never, withheld, both], [{ point: 15, low: 4, high: 40 }, { point: 10, low: 2, high: 33 }, { point: 25, low: 10, high: 54 }]);
});

test("in two stages the example of docs/certificates.md comes out", () => {
  const strata = { never: { documents: 32, shown: 12, hits: 7 }, withheld: { documents: 2, shown: 1, hits: 0 }, unread: 0 };
  const found = twoStages(strata, { reported: 4, others: 3 }, threshold(decimal(2n, 5n)), threshold(decimal(3n, 5n)), HALF);
  assert.deepEqual(found, { never: { point: 22, low: 12, high: 27 }, withheld: { point: 0, low: 0, high: 1 }, both: { point: 22, low: 11, high: 28 } });
});

/** The chance of at least h hits among M, with the denominator 2^(64 M). */
function atLeast(M: number, h: number, t: bigint): bigint {
  let sum = 0n;
  let binomial = 1n;
  for (let j = 0; j <= M; j++) {
    if (j >= h) sum += binomial * t ** BigInt(j) * (TWO64 - t) ** BigInt(M - j);
    binomial = (binomial * BigInt(M - j)) / BigInt(j + 1);
  }
  return sum;
}

test("the ends are the first and the last number under which the hits are not too unlikely, to the last digit", () => {
  for (const t of [TWO64 / 2n, TWO64 / 3n, threshold(decimal(1n, 10n)), TWO64 - 1n]) {
    for (let h = 0; h < 6; h++) {
      for (const beta of [decimal(1n, 2n), decimal(1n, 4n), TWENTIETH]) {
        const isLikely = (M: number): boolean => atLeast(M, h, t) * beta.den > beta.num << BigInt(64 * M);
        const low = least(h, t, beta);
        assert.ok(isLikely(low), `${h} hits with ${t}: ${low}`);
        assert.ok(low === 0 || !isLikely(low - 1), `${h} hits with ${t}: ${low} is not the least`);
        assert.ok(most(h, t, beta) >= low);
      }
    }
  }
  assert.equal(least(3, TWO64, TWENTIETH), 3);
});
