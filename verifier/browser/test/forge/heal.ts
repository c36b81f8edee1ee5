/**
 * Makes the numbers of a forged copy follow from what was changed: what the close of a round, the size of an escalation and
 * the claims state. They are what this verifier says that they must be, so the other one has to compute the same.
 */
import { verifyCopy } from "../../src/engine/index.ts";
import { type Entry, type Free, type Matter, renew } from "./matter.ts";
import type { Random } from "./random.ts";
import { type Act, contentOf, isKeyed, kindOf } from "./tools.ts";

const STEPS = 60;

/** A number or a word as findings write them. */
function valueOf(text: string): Free {
  try {
    return JSON.parse(text) as Free;
  } catch {
    return text;
  }
}

/** The place that a finding names, such as `rounds[0].sampled`, and its new value. */
function setAt(content: Record<string, Free>, path: string, value: Free): boolean {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  let holder: Free = content;
  for (const key of keys.slice(0, -1)) holder = holder?.[key];
  const last = keys.at(-1)!;
  if (typeof holder !== "object" || holder === null || !(last in holder)) return false;
  holder[last] = value;
  return true;
}

/** Puts right what a finding says of a number; false if it says nothing of one. */
function mended(entry: Entry, check: string, expected: string): boolean {
  const content = contentOf(entry);
  if (!isKeyed(content)) return false;
  const kind = kindOf(entry);
  if (kind === "closed" && check === "V16") {
    const [name, value] = expected.split(" ");
    return value !== undefined && ["compelled", "error", "sampled", "threshold"].includes(name!) && setAt(content, name!, valueOf(value));
  }
  if (kind === "escalation" && check === "V27") return /^\d+$/.test(expected) && setAt(content, "size", Number(expected));
  if (kind !== "claims") return false;
  if (check === "V29") return setAt(content, "ended", expected);
  const [path, text] = expected.split(/: (.*)/s);
  return text !== undefined && setAt(content, path!, valueOf(/^\d+ to \d+$/.test(text) ? text.split(" ")[0]! : text));
}

/** The bytes of a matter whose numbers follow, as far as they can, and whether nothing is wrong with them then. */
async function healed(matter: Matter, seed: string): Promise<{ copy: Uint8Array; isRight: boolean }> {
  for (let step = 0; ; step++) {
    const copy = renew(structuredClone(matter), seed);
    const { findings, damage } = await verifyCopy([copy], { withoutPositions: true });
    const [finding] = findings;
    const entry = finding?.entry == null ? undefined : matter.entries[finding.entry];
    const canGoOn = step < STEPS && findings.length === 1 && damage === null && entry?.isShaped === true && finding!.expected !== null;
    if (!canGoOn || !mended(entry, finding!.check, finding!.expected!)) return { copy, isRight: findings.length === 0 && damage === null };
  }
}

/** The bytes of a matter whose numbers follow, as far as they can. The matter is used up. */
export async function renewAndHeal(matter: Matter, seed: string): Promise<Uint8Array> {
  return (await healed(matter, seed)).copy;
}

const TRIES = 24;

/** Makes the change again and again, as chance has it, until the copy is right; else it is the last try. */
export async function untilRight(genuine: Matter, seed: string, random: Random, act: Act): Promise<Uint8Array | null> {
  let last: Uint8Array | null = null;
  for (let i = 0; i < TRIES; i++) {
    const matter = structuredClone(genuine);
    if (act({ matter, random }) === false) return null;
    const { copy, isRight } = await healed(matter, seed);
    if (isRight) return copy;
    last = copy;
  }
  return last;
}
