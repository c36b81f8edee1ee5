/**
 * Forges copies: a genuine one is changed in one or two places by a rule of the specification, and all that rests on the
 * change is made anew under keys of the forger's own. So what a verifier finds is the broken rule, and no broken signature.
 */
import { EDGES } from "./changes-edges.ts";
import { END } from "./changes-end.ts";
import { OPENING } from "./changes-opening.ts";
import { RANDOM } from "./changes-random.ts";
import { RECORD } from "./changes-record.ts";
import { ROUNDS } from "./changes-rounds.ts";
import { WAVES } from "./changes-waves.ts";
import { renewAndHeal } from "./heal.ts";
import { renew } from "./matter.ts";
import { Random } from "./random.ts";
import { matterOf, names } from "./sources.ts";
import type { Change } from "./tools.ts";

export const CHANGES: readonly Change[] = [...RECORD, ...OPENING, ...ROUNDS, ...WAVES, ...END, ...EDGES, ...RANDOM];

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

/** The change of a seed, on the first copy that it fits; a second change goes with every fifth, and in every third the numbers follow. */
export async function forge(seed: number): Promise<Forged> {
  const random = new Random(`forge/${seed}`);
  const [aim, first, act] = CHANGES[seed % CHANGES.length]!;
  const sources = Array.from({ length: TRIES }, () => random.pick(random.isOneIn(8) ? names : right));
  for (const source of [...sources, ...names]) {
    const matter = matterOf(source);
    if (matter === null) continue;
    if (act({ matter, random }) === false) continue;
    const [, more, second] = random.pick(random.isOneIn(2) ? RECORD : CHANGES);
    random.stays = random.isOneIn(2);
    const twice = random.isOneIn(5) ? structuredClone(matter) : null;
    const isTwice = twice !== null && second({ matter: twice, random }) !== false;
    const isHealed = random.isOneIn(3);
    const words = [first, ...(isTwice ? [more] : []), ...(isHealed ? ["the numbers follow"] : [])].join("; ");
    const copy = await (isHealed ? renewAndHeal : renew)(isTwice ? twice : matter, `forge/${seed}`);
    return { seed, source: source.slice(source.lastIndexOf("/") + 1), change: words, aim: isTwice || isHealed ? "" : aim, copy };
  }
  throw new Error(`no copy has what the change "${first}" needs (seed ${seed})`);
}
