/** What a validation proves: the most documents that a draw with few hits leaves possible, in one stage and in two. */

import { bitLength, ceilLn, ceilMinusLn, cost, threshold, TWO64, type Fraction } from "./numbers.ts";

/** α_k = 4 doubt / 5^k: the share of the doubt that validation k has. */
export function shareOfDoubt(doubt: Fraction, number: number): Fraction {
  return { num: 4n * doubt.num, den: doubt.den * 5n ** BigInt(number) };
}

const DIGITS = 256;

/** A number m 2^e with m of about 256 bits, rounded down. */
interface Float {
  readonly m: bigint;
  readonly e: number;
}
function float(m: bigint, e: number): Float {
  const excess = bitLength(m) - DIGITS;
  return excess > 0 ? { m: m >> BigInt(excess), e: e + excess } : { m, e };
}
const times = (a: Float, b: Float): Float => float(a.m * b.m, a.e + b.e);

/** The chance of at most `hits` hits among M, against α: -1 below it, 1 above, 0 if the digits do not tell. */
function compareRoughly(M: number, hits: number, t: bigint, alpha: Fraction): number {
  const rest = TWO64 - t;
  let power: Float = { m: 1n, e: 0 };
  let square: Float = float(rest << BigInt(DIGITS - 64), -DIGITS);
  for (let n = M; n > 0; n = Math.floor(n / 2)) {
    if (n % 2 === 1) power = times(power, square);
    square = times(square, square);
  }
  let term = power;
  let parts: Float = power;
  for (let j = 0; j < hits; j++) {
    const grown = term.m * BigInt(M - j) * t;
    const below = BigInt(j + 1) * rest;
    term = float((grown << BigInt(DIGITS)) / below, term.e - DIGITS);
    const shift = term.e - parts.e;
    parts = float(shift >= 0 ? parts.m + (term.m << BigInt(shift)) : (parts.m << BigInt(-shift)) + term.m, Math.min(parts.e, term.e));
  }
  // Far below α no digits are needed, and there could be billions of them.
  const magnitude = bitLength(parts.m) + parts.e;
  if (magnitude + 1 < bitLength(alpha.num) - 1 - bitLength(alpha.den)) return -1;
  // Each rounding takes less than 2^-250 of the value, and there are fewer than 2^30 of them.
  const scale = BigInt(-parts.e);
  const low = parts.m * alpha.den;
  const high = (parts.m + (parts.m >> 200n) + 1n) * alpha.den;
  const bound = alpha.num << scale;
  if (low > bound) return 1;
  return high <= bound ? -1 : 0;
}

function compareExactly(M: number, hits: number, t: bigint, alpha: Fraction): number {
  const rest = TWO64 - t;
  let sum = 0n;
  let binomial = 1n;
  for (let j = 0; j <= Math.min(hits, M); j++) {
    sum += binomial * t ** BigInt(j) * rest ** BigInt(M - j);
    binomial = (binomial * BigInt(M - j)) / BigInt(j + 1);
  }
  const [own, bound] = [sum * alpha.den, alpha.num << BigInt(64 * M)];
  return own > bound ? 1 : own < bound ? -1 : 0;
}

/** The sign of the chance of at most `hits` hits among M, less α, which is below 1. */
function compare(M: number, hits: number, t: bigint, alpha: Fraction): number {
  return M <= hits ? 1 : compareRoughly(M, hits, t, alpha) || compareExactly(M, hits, t, alpha);
}

function isAbove(M: number, hits: number, t: bigint, alpha: Fraction): boolean {
  return compare(M, hits, t, alpha) > 0;
}

/** No collection has more documents than this, and no bound says more than the collection has. */
const MOST_DOCUMENTS = 2 ** 32;

/** most(d, τ, α): the largest M of which at most d hits are not too unlikely, or 2^32 if it is larger. */
export function most(hits: number, t: bigint, alpha: Fraction): number {
  return t >= TWO64 ? hits : lastWith(hits, (M) => isAbove(M, hits, t, alpha));
}

/** low(h, t, β) of docs/certificates.md: the least M of which at least h hits are not too unlikely, or 2^32 if it is larger. */
export function least(hits: number, t: bigint, beta: Fraction): number {
  if (t >= TWO64 || hits === 0) return hits;
  const rest = { num: beta.den - beta.num, den: beta.den };
  return lastWith(hits - 1, (M) => compare(M, hits - 1, t, rest) >= 0) + 1;
}

/** The largest M for which something holds that holds up to it and for `first`, or 2^32 if it is larger. */
function lastWith(first: number, holds: (M: number) => boolean): number {
  if (holds(MOST_DOCUMENTS)) return MOST_DOCUMENTS;
  let low = first;
  let high = first + 1;
  while (holds(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The chance of a validation in one stage whose terms have `hits`. */
export function chanceByHits(found: number, hits: number, target: Fraction, alpha: Fraction, show: bigint): bigint {
  // (F + hits) den >= num (F + most) holds if and only if most is at most this.
  const allowed = Number((BigInt(found + hits) * target.den) / target.num) - found;
  const enough = (t: bigint): boolean => (t >= TWO64 ? hits <= allowed : !isAbove(allowed + 1, hits, t, alpha));
  // The larger the chance, the smaller most(): so the least m is found by halving.
  let low = 0;
  let high = 1;
  while (high <= 1000 && threshold({ num: BigInt(high), den: 1000n }) <= show) high++;
  const last = high - 1;
  if (last < 1 || !enough(threshold({ num: BigInt(last), den: 1000n }))) return show;
  high = last;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (enough(threshold({ num: BigInt(middle), den: 1000n }))) high = middle;
    else low = middle;
  }
  return threshold({ num: BigInt(high), den: 1000n });
}

/** How many can be missing after two stages: the least that one of two bets allows. */
export function missingAfterTwoStages(
  R: bigint,
  S: bigint,
  alpha: Fraction,
  reported: number,
  hits: number,
  withheldHits: number,
): bigint {
  const X = (R * S) / TWO64;
  if (X >= TWO64) return 0n; // All of it was called and drawn.
  let least: bigint | null = null;
  const bets = [
    { num: 4n, den: 5n, g: cost(X) },
    { num: 1n, den: 5n, g: cost(X) / 2n },
  ];
  bets.forEach(({ num, den, g }, i) => {
    if (i === 0 && hits + withheldHits > 0) return;
    let budget = ceilLn(den * alpha.den, num * alpha.num, 64);
    if (reported > 0) budget += BigInt(reported) * ceilMinusLn(TWO64, TWO64 - R, R, g);
    if (hits > 0) budget += BigInt(hits) * ceilMinusLn(TWO64 * TWO64, TWO64 * TWO64 - R * S, R * S, g);
    if (withheldHits > 0) budget += BigInt(withheldHits) * ceilMinusLn(TWO64, TWO64 - X, X, g);
    const missing = budget / g;
    if (least === null || missing < least) least = missing;
  });
  return least ?? 0n;
}
