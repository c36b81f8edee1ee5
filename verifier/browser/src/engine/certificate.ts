/**
 * The certificate of the reviewed, under `spot-check`: the boundary, the budget, how many can be hidden at most, and the
 * chance with which an escalation draws again.
 */

import { ceilLn, cost, decimal, floorDiv, leastChance, threshold, TWO64, type Fraction } from "./numbers.ts";

const LAST_EXACT = 500;

/** The boundary b_d for one doubt, computed as far as it is asked for. */
export class Boundary {
  private readonly b: bigint[] = [];
  /** v_d of the last d. */
  private v = 1n;
  private readonly terms: bigint[] = [];
  private factorial = 1n;
  private readonly large = new Map<number, bigint>();

  constructor(private readonly doubt: Fraction) {}

  at(hits: number): bigint {
    if (hits > LAST_EXACT) return this.beyond(hits);
    while (this.b.length <= hits) this.next();
    return this.b[hits]!;
  }

  private next(): void {
    const d = this.b.length;
    if (d > 0) {
      this.factorial *= BigInt(d);
      // Each term binom(d, k) v_k b_k^(d-k) grows from the one before, so that only small factors are multiplied.
      this.terms.push(this.v);
      let sum = 0n;
      for (let k = 0; k < d; k++) {
        const term = (this.terms[k]! * this.b[k]! * BigInt(d)) / BigInt(d - k);
        this.terms[k] = term;
        sum += (d - k) % 2 === 1 ? term : -term;
      }
      this.v = sum;
    }
    const share = BigInt(d + 1) * BigInt(d + 2);
    const value = ceilLn(
      this.v * share * this.doubt.den,
      (this.factorial * this.doubt.num) << BigInt(32 * d),
      32,
    );
    const before = d === 0 ? 0n : this.b[d - 1]!;
    this.b.push(value > before ? value : before);
  }

  private beyond(d: number): bigint {
    let found = this.large.get(d);
    if (found !== undefined) return found;
    let factorial = 1n;
    for (let i = 2; i <= d; i++) factorial *= BigInt(i);
    const share = BigInt(d + 1) * BigInt(d + 2);
    const below = (factorial * this.doubt.num) << BigInt(32 * d);
    const holds = (b: bigint): boolean => b >= ceilLn(b ** BigInt(d) * share * this.doubt.den, below, 32);
    let low = BigInt(d) << 32n;
    let high = low;
    while (!holds(high)) high *= 2n;
    while (low < high) {
      const middle = (low + high) >> 1n;
      if (holds(middle)) high = middle;
      else low = middle + 1n;
    }
    this.large.set(d, low);
    found = low;
    return found;
  }
}

/** How many withheld documents have each exposure. */
export type Exposures = ReadonlyMap<bigint, number>;

export interface Books {
  /** F: shown to Bob and settled as responsive. */
  readonly found: number;
  /** D: hits. */
  readonly hits: number;
  /** K: the credit. */
  readonly credit: bigint;
  readonly exposures: Exposures;
}

export interface Certified {
  readonly budget: bigint;
  readonly atMost: number;
  readonly met: boolean;
  readonly withheld: number;
}

function ascending(exposures: Exposures): readonly (readonly [bigint, number])[] {
  return [...exposures].sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

export function certify(books: Books, target: Fraction, boundary: Boundary): Certified {
  const budget = (boundary.at(books.hits) << 32n) - books.credit;
  let withheld = 0;
  for (const count of books.exposures.values()) withheld += count;
  let atMost = withheld;
  if (budget >= 0n) {
    let left = budget;
    atMost = 0;
    for (const [exposure, count] of ascending(books.exposures)) {
      const fit = exposure === 0n ? BigInt(count) : left / exposure;
      const take = fit < BigInt(count) ? Number(fit) : count;
      atMost += take;
      left -= exposure * BigInt(take);
      if (take < count) break;
    }
  }
  const found = BigInt(books.found);
  const met = found * target.den >= target.num * (found + BigInt(atMost));
  return { budget, atMost, met, withheld };
}

const MOST_COST = cost(threshold(decimal("0.98")!));
const LEAST_STEP = TWO64 / 200n;

/** The chance that an escalation needs, before the limit; null if nothing more is due. */
export function chanceNeeded(books: Books, target: Fraction, boundary: Boundary): bigint | null {
  const { budget, met, withheld } = certify(books, target, boundary);
  if (met || withheld === 0) return null;
  if (budget < 0n) return TWO64;
  const allowed = floorDiv(BigInt(books.found) * (target.den - target.num), target.num);
  let left = allowed + 1n;
  let sum = 0n;
  for (const [exposure, count] of ascending(books.exposures)) {
    const take = left < BigInt(count) ? left : BigInt(count);
    sum += exposure * take;
    left -= take;
    if (left === 0n) break;
  }
  const step = floorDiv(budget - sum, allowed + 1n) + 1n;
  const x = step > LEAST_STEP ? step : LEAST_STEP;
  return x > MOST_COST ? TWO64 : leastChance(x);
}

/** The chance within what the limit still allows, and whether the limit lowered it. */
export function withinLimit(chance: bigint, withheld: number, allowance: bigint): { chance: bigint; lowered: boolean } {
  if (chance * BigInt(withheld) <= allowance * TWO64) return { chance, lowered: false };
  return { chance: ((allowance > 0n ? allowance : 0n) * TWO64) / BigInt(withheld), lowered: true };
}

