/** The four rules of label verification: what is due, what coins draw, and when a round is compelled. */

import { ceilDiv, ceilLn, TWO64, type Fraction } from "./numbers.ts";

export type Protocol = "spot-check" | "reveal-all" | "label" | "classifier";

export interface RuleTerms {
  readonly protocol: Protocol;
  /** Under `label` and `classifier`. */
  readonly delta: Fraction | null;
  readonly k: number | null;
  /** Under `spot-check`: threshold(rate), and the penalty. */
  readonly rate: bigint | null;
  readonly penalty: "none" | "batch" | null;
}

/** Alice's labels by position (index 0 is position 1); null where none is asked for. */
export type Labels = readonly (boolean | null)[];

export interface Ruled {
  /** r: the rank down to which everything is due. */
  readonly threshold: number;
  readonly error: number;
  /** For each position whether it is due. */
  readonly due: Uint8Array;
  /** For each position whether it was drawn. */
  readonly drawn: Uint8Array;
  /** The chances of the positions that a coin decides about, by position. */
  readonly chances: ReadonlyMap<number, bigint>;
  readonly compelledAt: number | null;
}

/** The largest rank of least error, and that error. */
export function bestRank(labels: Labels): { threshold: number; error: number } {
  let error = 0;
  for (const label of labels) if (label === true) error++;
  let least = error;
  let best = 0;
  labels.forEach((label, i) => {
    error += label === true ? -1 : 1;
    if (error <= least) {
      least = error;
      best = i + 1;
    }
  });
  return { threshold: best, error: least };
}

const constants = new Map<string, bigint>();
function constant(key: string, compute: () => bigint): bigint {
  let value = constants.get(key);
  if (value === undefined) {
    value = compute();
    constants.set(key, value);
  }
  return value;
}

/** C of the rule `label`: ceil(2 (k + err) L / k). */
function labelConstant(delta: Fraction, k: number, error: number): bigint {
  const L = constant(`label ${delta.num}/${delta.den}`, () => ceilLn(delta.den, delta.num, 32));
  return ceilDiv(2n * BigInt(k + error) * L, BigInt(k));
}

/** C of the rule `classifier`: 2 ceil(2^32 ln(N / delta)). */
function classifierConstant(delta: Fraction, size: number): bigint {
  const key = `classifier ${delta.num}/${delta.den} ${size}`;
  return constant(key, () => 2n * ceilLn(BigInt(size) * delta.den, delta.num, 32));
}

function chanceOf(C: bigint, j: number): bigint {
  const chance = ceilDiv(C << 32n, BigInt(j));
  return chance < TWO64 ? chance : TWO64;
}

/** What a position's coin is; asked only where a coin decides. */
export type Coins = (position: number) => bigint;

/**
 * Applies the rule of a batch round with a report.
 *
 * `settled` gives the settled label of a position, or null. `counted` are the positions that count as drawn whatever their coin,
 * since Alice claims them late.
 */
export function applyRule(
  terms: RuleTerms,
  labels: Labels,
  reportedThreshold: number | null,
  coins: Coins,
  settled: (position: number) => boolean | null,
  counted: ReadonlySet<number>,
): Ruled {
  const size = labels.length;
  const due = new Uint8Array(size + 1);
  const drawn = new Uint8Array(size + 1);
  const chances = new Map<number, bigint>();
  let compelledAt: number | null = null;
  const done = (r: number, error: number): Ruled => {
    if (compelledAt !== null) due.fill(1, 1);
    return { threshold: r, error, due, drawn, chances, compelledAt };
  };

  if (terms.protocol === "reveal-all") {
    const best = bestRank(labels);
    due.fill(1, 1);
    return done(best.threshold, best.error);
  }
  if (terms.protocol === "spot-check") {
    for (let position = 1; position <= size; position++) {
      if (labels[position - 1] === true) {
        due[position] = 1;
        continue;
      }
      chances.set(position, terms.rate!);
      if (!counted.has(position) && coins(position) >= terms.rate!) continue;
      due[position] = drawn[position] = 1;
      if (terms.penalty === "batch" && compelledAt === null && settled(position) === true) compelledAt = position;
    }
    return done(0, 0);
  }
  if (terms.protocol === "label") {
    const best = bestRank(labels);
    const C = labelConstant(terms.delta!, terms.k!, best.error);
    let j = 0;
    for (let position = 1; position <= size; position++) {
      if (position <= best.threshold || labels[position - 1] === true) {
        due[position] = 1;
        continue;
      }
      j++;
      chances.set(position, chanceOf(C, j));
      if (!counted.has(position) && coins(position) * BigInt(j) >= C << 32n) continue;
      due[position] = drawn[position] = 1;
      if (compelledAt === null && settled(position) === true) compelledAt = position;
    }
    return done(best.threshold, best.error);
  }

  const r = reportedThreshold!;
  const C = classifierConstant(terms.delta!, size);
  let error = 0;
  for (let position = 1; position <= r; position++) {
    due[position] = 1;
    if (labels[position - 1] === false) error++;
  }
  let W = 1;
  let plus = 0;
  let minus = 0;
  for (let position = r + 1; position <= size; position++) {
    chances.set(position, chanceOf(C, W));
    const isDrawn = counted.has(position) || coins(position) * BigInt(W) < C << 32n;
    if (isDrawn) due[position] = drawn[position] = 1;
    if (isDrawn && settled(position) === true) {
      plus++;
      W = 1;
    } else {
      minus++;
      W++;
    }
    if (plus > minus) {
      compelledAt = position;
      break;
    }
  }
  return done(r, error);
}
