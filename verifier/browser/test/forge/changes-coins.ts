/**
 * Other coins, and other terms: Alice salts a report anew, so its words are others, and with them every coin of its round.
 * The forger salts until the waves are due again, and the numbers follow. So a copy can be right, with numbers that nobody
 * has computed before.
 */
import type { Entry, Free } from "./matter.ts";
import type { Random } from "./random.ts";
import { type Act, type Change, decimalMoved, type Forge, isKeyed, isShown, ofKind, openedIn, terms } from "./tools.ts";

const salted = (forge: Forge): Entry[] => ofKind(forge.matter, "report").filter((entry) => !entry.keep.has("openings") && isShown(entry, "labels"));

function saltAnew(entry: Entry, random: Random): void {
  for (const opening of openedIn(entry, "labels")) opening.salt = random.hash();
}

const oneRound: Act = (forge) => {
  const reports = salted(forge);
  if (reports.length === 0) return false;
  saltAnew(forge.random.pick(reports), forge.random);
  return true;
};

/** Other terms, that change the chances or what the numbers prove. */
const MOVES: Readonly<Record<string, (all: Record<string, Free>, random: Random) => void>> = {
  delta: (all, random) => { all["delta"] = decimalMoved(all["delta"], random); },
  doubt: (all, random) => { all["doubt"] = decimalMoved(all["doubt"], random); },
  k: (all, random) => { all["k"] = 1 + random.below(4); },
  limit: (all, random) => { all["limit"] = decimalMoved(all["limit"], random); },
  penalty: (all) => { all["penalty"] = all["penalty"] === "none" ? "batch" : "none"; },
  rate: (all, random) => { all["rate"] = decimalMoved(all["rate"], random); },
  target: (all, random) => { all["target"] = decimalMoved(all["target"], random); },
};

const moved = (name: string): Act => (forge) => {
  const all = terms(forge.matter);
  if (!isKeyed(all) || !(name in all)) return false;
  MOVES[name]!(all, forge.random);
  return oneRound(forge);
};

export const COINS: readonly Change[] = [
  ["", "the coins of a round are others", oneRound],
  ["", "the coins of every round are others", (forge) => {
    const reports = salted(forge);
    for (const report of reports) saltAnew(report, forge.random);
    return reports.length > 0;
  }],
  ...Object.keys(MOVES).map((name): Change => ["", `\`${name}\` of the terms is another, and the coins of a round`, moved(name)]),
  ["", "the target of the validations is another, and the coins of a round", (forge) => {
    const so = terms(forge.matter)?.["validation"];
    if (!isKeyed(so)) return false;
    so["target"] = decimalMoved(so["target"], forge.random);
    return oneRound(forge);
  }],
];
