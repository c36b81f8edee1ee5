/**
 * The estimates of a validation: how many documents of each stratum are responsive, with an interval that misses the truth
 * with at most the doubt of the terms (docs/certificates.md, The estimates). The certificate decides; these only inform.
 */
import { least, most } from "./estimate.ts";
import { type Fraction, TWO64 } from "./numbers.ts";
import type { Count, Estimates } from "./verdict.ts";

/** N, s and h of the text. */
export interface Looked {
  readonly documents: number;
  readonly shown: number;
  readonly hits: number;
}

/** The same of a validation, with what Bob left unread (u). */
export interface Strata {
  readonly never: Looked;
  readonly withheld: Looked;
  readonly unread: number;
}

/** Of the called documents that proved responsive, those that Alice labelled so (a), and the others (q). */
export interface Called {
  readonly reported: number;
  readonly others: number;
}

export function oneStage({ never, withheld, unread }: Strata, chance: bigint, doubt: Fraction): Estimates {
  const of = (stratum: Looked): Count => fitted(draw(stratum.hits, unread, chance, doubt), stratum, unread);
  const sum = (field: keyof Looked): number => never[field] + withheld[field];
  return { never: of(never), withheld: of(withheld), both: of({ documents: sum("documents"), shown: sum("shown"), hits: sum("hits") }) };
}

export function twoStages({ never, withheld, unread }: Strata, { reported, others }: Called, review: bigint, show: bigint, doubt: Fraction): Estimates {
  const both = (review * show) / TWO64; // X
  const neverWith = (beta: Fraction): Count => {
    const [half, quarter] = [part(beta, 2n), part(beta, 4n)];
    const labelledFalse = draw(others, unread, show, half);
    const low = least(reported + labelledFalse.low, review, quarter);
    const high = most(reported + labelledFalse.high, review, quarter);
    return fitted({ point: near(reported, review) + near(others, both), low, high }, never, unread);
  };
  const withheldWith = (beta: Fraction): Count => fitted(draw(withheld.hits, unread, both, beta), withheld, unread);
  const [a, b] = [neverWith(part(doubt, 2n)), withheldWith(part(doubt, 2n))];
  return {
    never: neverWith(doubt),
    withheld: withheldWith(doubt),
    both: { point: a.point + b.point, low: a.low + b.low, high: a.high + b.high },
  };
}

/** draw(h, t, β): u more may be hits, and raise the upper end. */
function draw(hits: number, unread: number, chance: bigint, doubt: Fraction): Count {
  const half = part(doubt, 2n);
  return { point: near(hits, chance), low: least(hits, chance, half), high: most(hits + unread, chance, half) };
}

/** near(h, t): each hit stands for 2^64 / t documents. */
function near(hits: number, chance: bigint): number {
  return Number((2n * BigInt(hits) * TWO64 + chance) / (2n * chance));
}

/** What was looked at is known, so that only the rest of the stratum is open. */
function fitted({ point, low, high }: Count, { documents, shown, hits }: Looked, unread: number): Count {
  const m = Math.max(hits, Math.min(high, documents - shown + hits + unread, documents));
  const l = Math.max(hits, Math.min(low, m));
  return { point: Math.max(l, Math.min(point, m)), low: l, high: m };
}

function part({ num, den }: Fraction, share: bigint): Fraction {
  return { num, den: den * share };
}
