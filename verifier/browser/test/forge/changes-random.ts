/** Changes that no rule has chosen: one value somewhere in a content or an opening is another. */
import type { Free } from "./matter.ts";
import { type Act, type Change, contentOf, fit, type Forge, listChanged, nudged, openedIn, remove, shaped, toOne } from "./tools.ts";

function other(value: Free, { random }: Forge): Free {
  if (typeof value === "number") return nudged(value, random);
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return listChanged(value, random, value[0] ?? 1);
  if (typeof value === "string") return /^[0-9a-f]{64}$/.test(value) ? random.hash() : random.pick([`${value}x`, value.slice(1), ""]);
  return value === null ? random.pick<Free>([0, "", []]) : null;
}

/** Every place in a value, from the outside in. */
function places(holder: Free): [Free, string | number][] {
  const keys: (string | number)[] = Array.isArray(holder) ? holder.map((_, i) => i) : Object.keys(holder);
  return keys.flatMap((key): [Free, string | number][] => [[holder, key], ...(typeof holder[key] === "object" && holder[key] !== null ? places(holder[key]) : [])]);
}

function changeIn(holder: Free, forge: Forge): boolean {
  const all = places(holder);
  if (all.length === 0) return false;
  const [where, key] = forge.random.pick(all);
  where[key] = other(where[key], forge);
  return true;
}

const content: Act = (forge) => toOne(shaped(forge.matter), forge.random, (entry) => changeIn(contentOf(entry), forge));

export const RANDOM: readonly Change[] = [
  ["", "one value of a content is another", content],
  ["", "two values of contents are others", (forge) => content(forge) !== false && content(forge)],
  ["", "one value that is opened is another", (forge) => toOne(shaped(forge.matter).filter((entry) => Object.keys(entry.opened!).length > 0), forge.random, (entry) => {
    const field = forge.random.pick(Object.keys(entry.opened!));
    return changeIn(openedIn(entry, field).map((one) => one), forge);
  })],
  ["", "two entries change places", (forge) => {
    const { entries } = forge.matter;
    if (entries.length < 3) return false;
    const i = 1 + forge.random.below(entries.length - 2);
    [entries[i], entries[i + 1]] = [entries[i + 1]!, entries[i]!];
    return true;
  }],
  ["", "an entry is missing", (forge) => toOne(shaped(forge.matter).slice(1), forge.random, (entry) => { remove(forge.matter, entry); fit(forge); })],
];
