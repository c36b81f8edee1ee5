/**
 * Forges copies: a genuine one is changed in one or two places by a rule of the specification, and all that rests on the
 * change is made anew under keys of the forger's own. So what a verifier finds is the broken rule, and no broken signature.
 */
import { COINS } from "./changes-coins.ts";
import { EDGES } from "./changes-edges.ts";
import { END } from "./changes-end.ts";
import { OPENING } from "./changes-opening.ts";
import { RANDOM } from "./changes-random.ts";
import { RECORD } from "./changes-record.ts";
import { ROUNDS } from "./changes-rounds.ts";
import { WAVES } from "./changes-waves.ts";
import { renewAndHeal, untilRight } from "./heal.ts";
import { type Matter, renew } from "./matter.ts";
import { Random } from "./random.ts";
import { matterOf, names } from "./sources.ts";
import type { Change } from "./tools.ts";

export const CHANGES: readonly Change[] = [...RECORD, ...OPENING, ...ROUNDS, ...WAVES, ...END, ...EDGES, ...COINS, ...RANDOM];

export interface Forged {
  readonly seed: number;
  readonly source: string;
  readonly change: string;
  /** The check that the change should break; "" if none, or if it depends on the copy. */
  readonly aim: string;
  readonly copy: Uint8Array;
}

const right = names.filter((name) => name.includes("/valid-"));
const TRIES = 60;

/** The copy with its change and others that go with it; null if the change does not fit this matter. */
async function changed(matter: Matter, [aim, words, act]: Change, random: Random, seed: string): Promise<Omit<Forged, "seed" | "source"> | null> {
  if (act({ matter, random }) === false) return null;
  const [, more, second] = random.pick(random.isOneIn(2) ? RECORD : CHANGES);
  random.stays = random.isOneIn(2);
  const twice = random.isOneIn(5) ? structuredClone(matter) : null;
  const isTwice = twice !== null && second({ matter: twice, random }) !== false;
  const isHealed = random.isOneIn(3);
  const copy = await (isHealed ? renewAndHeal : renew)(isTwice ? twice : matter, seed);
  const change = [words, ...(isTwice ? [more] : []), ...(isHealed ? ["the numbers follow"] : [])].join("; ");
  return { change, aim: isTwice || isHealed ? "" : aim, copy };
}

/** The same with other coins, which go by themselves. */
async function withOtherCoins(matter: Matter, [aim, change, act]: Change, random: Random, seed: string): Promise<Omit<Forged, "seed" | "source"> | null> {
  const copy = await untilRight(matter, seed, random, act);
  return copy === null ? null : { change, aim, copy };
}

/**
 * The change of a seed, on the first copy that it fits. A second change goes with every fifth, half of these at the same
 * entry; and in every third the numbers follow.
 */
export async function forge(seed: number): Promise<Forged> {
  const random = new Random(`forge/${seed}`);
  const change = CHANGES[seed % CHANGES.length]!;
  const make = COINS.includes(change) ? withOtherCoins : changed;
  const sources = Array.from({ length: TRIES }, () => random.pick(random.isOneIn(8) ? names : right));
  for (const source of [...sources, ...names]) {
    const matter = matterOf(source);
    const forged = matter === null ? null : await make(matter, change, random, `forge/${seed}`);
    if (forged !== null) return { seed, source: source.slice(source.lastIndexOf("/") + 1), ...forged };
  }
  throw new Error(`no copy has what the change "${change[1]}" needs (seed ${seed})`);
}
