/** The bound of the paper's rules: how many responsive documents can be hidden among the reviewed, by the coins. */

import { ceilLn, ceilMinusLn, cost, TWO64, type Fraction } from "./numbers.ts";
import { applyRule, type Coins, type Labels, type Protocol, type Ruled, type RuleTerms } from "./rules.ts";

export interface RoundEvidence {
  readonly compelled: boolean;
  readonly missed: readonly bigint[];
  readonly found: readonly bigint[];
  readonly unproven: number;
}

/** A closed round as the bound sees it. */
export interface ClosedRound {
  readonly labels: Labels;
  readonly reportedThreshold: number | null;
  readonly coins: Coins;
  /** The settled label: also of what Bob left unread. */
  readonly settled: (position: number) => boolean | null;
  /** Positions that Bob was shown, or that the court labelled in camera. */
  readonly seen: (position: number) => boolean;
  readonly counted: ReadonlySet<number>;
  readonly privileged: ReadonlySet<number>;
  readonly unread: ReadonlySet<number>;
  readonly output: (position: number) => boolean;
  readonly ruled: Ruled;
}

export function evidenceOf(terms: RuleTerms, round: ClosedRound): RoundEvidence {
  const { ruled, unread, privileged } = round;
  const late = round.counted.size > 0;
  // With late claims the chances are those that the coins alone give.
  const alone = late
    ? applyRule(terms, round.labels, round.reportedThreshold, round.coins, round.settled, new Set())
    : ruled;
  const compelled = ruled.compelledAt !== null || unread.size > 0;
  const last = ruled.compelledAt ?? Infinity;
  const lastAlone = alone.compelledAt ?? Infinity;
  const missed: bigint[] = [];
  const found: bigint[] = [];
  for (const [position, chance] of alone.chances) {
    if (privileged.has(position)) continue;
    const drawn = late
      ? position <= lastAlone && (ruled.drawn[position] === 1 || alone.drawn[position] === 1)
      : position <= last && ruled.drawn[position] === 1;
    if (drawn && (round.settled(position) === true || unread.has(position))) found.push(chance);
    if (!compelled && !round.seen(position)) missed.push(chance);
  }
  let unproven = 0;
  if (unread.size > 0) {
    for (let position = 1; position <= round.labels.length; position++) {
      const labelled = round.seen(position) && !unread.has(position);
      if (!labelled && !privileged.has(position) && !round.output(position)) unproven++;
    }
  }
  return { compelled, missed, found, unproven };
}

interface Bet {
  readonly num: bigint;
  readonly den: bigint;
  /** The gain at a cost. */
  readonly gain: (cost: bigint) => bigint;
}

const BETS: readonly Bet[] = [
  { num: 4n, den: 5n, gain: (c) => c },
  { num: 1n, den: 35n, gain: (c) => c / 2n },
  ...[3n, 4n, 5n, 6n, 7n, 8n].map((i) => ({
    num: 1n,
    den: 35n,
    gain: (c: bigint): bigint => {
      const limit = TWO64 >> i;
      const share = (c * 9n) / 10n;
      return share < limit ? share : limit;
    },
  })),
];

/** The largest h such that the h smallest of the amounts sum to at most the budget. */
function fitting(amounts: readonly bigint[], budget: bigint): number {
  const sorted = [...amounts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  let sum = 0n;
  let h = 0;
  for (const amount of sorted) {
    sum += amount;
    if (sum > budget) break;
    h++;
  }
  return h;
}

export function bound(protocol: Protocol, doubt: Fraction, rounds: readonly RoundEvidence[]): number {
  let unproven = 0;
  for (const round of rounds) unproven += round.unproven;
  if (protocol === "reveal-all") return unproven;
  const missed = rounds.flatMap((round) => (round.compelled ? [] : round.missed)).filter((chance) => chance < TWO64);
  if (protocol === "label") {
    const compelled = rounds.filter((round) => round.compelled).length;
    let budget = ceilLn(doubt.den << BigInt(compelled + 1), doubt.num, 64);
    if (compelled > 0) budget *= 2n;
    return fitting(missed.map(cost), budget) + unproven;
  }
  const found = rounds.flatMap((round) => round.found).filter((chance) => chance < TWO64);
  const costs = missed.map(cost);
  let least = Infinity;
  BETS.forEach((bet, i) => {
    if (i === 0 && found.length > 0) return;
    let budget = ceilLn(bet.den * doubt.den, bet.num * doubt.num, 64);
    for (const chance of found) budget += ceilMinusLn(TWO64, TWO64 - chance, chance, bet.gain(cost(chance)));
    least = Math.min(least, fitting(costs.map(bet.gain), budget));
  });
  return least + unproven;
}
