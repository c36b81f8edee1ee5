/** What changes are made of: entries found, added, taken away; values sealed; openings fitted to the releases. */
import type { Role } from "../../src/engine/verdict.ts";
import { audienceOf, type Body, type Entry, type Free, type Matter, type Opening, type Statement } from "./matter.ts";
import type { Random } from "./random.ts";

/** What a change works on. */
export interface Forge {
  readonly matter: Matter;
  readonly random: Random;
}
/** Says with `false` that it does not fit this matter. */
export type Act = (forge: Forge) => boolean | void;
/** The check that it should break ("" if none, or if it depends), what it does, and how. */
export type Change = readonly [check: string, words: string, act: Act];

export const ALL = ["alice", "bob", "court"];
export const ALICE_AND_COURT = ["alice", "court"];

export const statementOf = (entry: Entry): Statement => entry.body.statement;
export const contentOf = (entry: Entry): Record<string, Free> => entry.body.statement.content;
export const kindOf = (entry: Entry): string => entry.body.statement.kind;
export const isTrents = (entry: Entry): boolean => entry.body.statement.author === "trent";

/** The entries that changes may look into. */
export const shaped = (matter: Matter): Entry[] => matter.entries.filter((entry) => entry.isShaped && entry.opened !== null);
export const ofKind = (matter: Matter, ...kinds: readonly string[]): Entry[] => shaped(matter).filter((entry) => kinds.includes(kindOf(entry)));
export const opening = (matter: Matter): Entry => matter.entries[0]!;
export const terms = (matter: Matter): Record<string, Free> => contentOf(opening(matter))["terms"];
export const openedIn = (entry: Entry, field: string): Opening[] => entry.opened?.[field] ?? [];
export const isShown = (entry: Entry, field: string): boolean => {
  const count = statementOf(entry).sealed[field]?.commitments.length ?? 0;
  return count > 0 && openedIn(entry, field).length === count;
};
export const questionOf = (matter: Matter, entry: Entry): Entry | undefined => matter.entries.find(({ id }) => id === statementOf(entry).answers);
export const answersTo = (matter: Matter, entry: Entry): Entry[] => shaped(matter).filter((one) => statementOf(one).answers === entry.id);
export const placeOf = (matter: Matter, entry: Entry): number => matter.entries.indexOf(entry);
export const before = (matter: Matter, entry: Entry): Entry | undefined => matter.entries[placeOf(matter, entry) - 1];
export const isKeyed = (value: unknown): value is Record<string, Free> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Does it to one of these entries; false if there is none, or if it does not fit. */
export function toOne(list: readonly Entry[], random: Random, act: (entry: Entry) => boolean | void): boolean {
  if (list.length === 0) return false;
  const same = random.stays ? list.find(({ id }) => id === random.last) : undefined;
  const entry = same ?? random.pick(list);
  random.last = entry.id;
  return act(entry) !== false;
}

/** The same for an entry of some kinds. */
export function at(kinds: string | readonly string[], act: (entry: Entry, forge: Forge) => boolean | void): Act {
  return (forge) => toOne(ofKind(forge.matter, ...[kinds].flat()), forge.random, (entry) => act(entry, forge));
}

/** The same for its content. */
export function inContent(kinds: string | readonly string[], act: (content: Record<string, Free>, forge: Forge, entry: Entry) => boolean | void): Act {
  return at(kinds, (entry, forge) => act(contentOf(entry), forge, entry));
}

/** The same for the terms. */
export function inTerms(act: (terms: Record<string, Free>, forge: Forge) => boolean | void): Act {
  return (forge) => isKeyed(terms(forge.matter)) && act(terms(forge.matter), forge);
}

export interface Words {
  author: Role;
  kind: string;
  content?: Record<string, Free>;
  round?: number;
  asks?: string[];
  answers?: Entry | null;
  sealed?: Record<string, { audiences: string[]; values: Free[] }>;
  replaces?: string[];
}

/** Seals values in a field of an entry, and opens them where the copy's audience may see them. */
export function seal({ matter, random }: Forge, entry: Entry, field: string, audiences: string[], values: readonly Free[]): void {
  statementOf(entry).sealed[field] = { audiences, commitments: values.map(() => random.hash()) };
  delete entry.opened![field];
  if (audiences.includes(audienceOf(matter))) entry.opened![field] = values.map((value, index) => ({ index, salt: random.hash(), value }));
  for (const part of entry.keep) if (part.startsWith(`commitments/${field}/`)) entry.keep.delete(part);
}

/** Says something new after an entry: behind what hangs on it, but for its checkpoints. */
export function say(forge: Forge, after: Entry, words: Words): Entry {
  const { matter, random } = forge;
  const statement: Statement = {
    answers: words.answers?.id ?? null,
    author: words.author,
    content: words.content ?? {},
    kind: words.kind,
    matter: after.body.matter,
    replaces: words.replaces ?? [],
    round: words.round ?? 0,
    sealed: {},
  };
  const body: Body = { asks: words.asks ?? [], matter: after.body.matter, previous: "", releases: [], sequence: 0, signature: null, statement, time: after.body.time };
  const entry: Entry = {
    id: random.hash(), statementId: random.hash(), number: 1_000_000 + random.below(1_000_000_000), body, signature: "", opened: {}, raw: {},
    keep: new Set(words.author === "trent" ? ["signature", "openings", "root", "proof"] : ["openings", "root", "proof"]),
    signer: null, trents: null, evidence: null, isShaped: true, tail: after.tail.filter(({ kind }) => kind === "checkpoint"),
  };
  after.tail = after.tail.filter(({ kind }) => kind !== "checkpoint");
  for (const [field, { audiences, values }] of Object.entries(words.sealed ?? {})) seal(forge, entry, field, audiences, values);
  matter.entries.splice(placeOf(matter, after) + 1, 0, entry);
  return entry;
}

/** A second entry that says the same, after another. */
export function copyOf({ matter, random }: Forge, entry: Entry, after: Entry): Entry {
  const copy: Entry = { ...structuredClone(entry), keep: new Set(entry.keep), id: random.hash(), statementId: random.hash(), number: 1_000_000 + random.below(1_000_000_000), tail: [] };
  matter.entries.splice(placeOf(matter, after) + 1, 0, copy);
  return copy;
}

/** Takes an entry away; checkpoints that hang on it hang on the one before. */
export function remove(matter: Matter, entry: Entry): void {
  const earlier = before(matter, entry);
  earlier?.tail.push(...entry.tail.filter(({ kind }) => kind === "checkpoint"));
  matter.entries.splice(placeOf(matter, entry), 1);
}

/** Ends the copy with an entry: what comes after it is not there yet. */
export function cutAfter(forge: Forge, entry: Entry): void {
  const { matter } = forge;
  matter.entries.length = placeOf(matter, entry) + 1;
  fit(forge);
}

function invented(field: string, { random }: Forge): Free {
  const document = 1_000 + random.below(9_000);
  return field === "documents" ? { document, name: `invented-${document}` } : field === "privilege" ? "attorney-client" : field === "numbers" ? [] : null;
}

/** Opens just what is due: what later entries no longer release goes, what they release anew is invented. */
export function fit(forge: Forge): void {
  const { matter } = forge;
  const audience = audienceOf(matter);
  const due = new Map<string, number[] | null>();
  for (const entry of shaped(matter)) {
    for (const { audience: whom, entry: number, field, indices } of entry.body.releases) {
      if (whom !== audience) continue;
      const name = `${number}/${field}`;
      const so = due.get(name);
      due.set(name, indices === null || so === null ? null : [...(so ?? []), ...indices]);
    }
  }
  for (const entry of shaped(matter)) {
    for (const [field, { audiences, commitments }] of Object.entries(statementOf(entry).sealed)) {
      if (audiences.includes(audience)) continue;
      const name = `${entry.number}/${field}`;
      const every = commitments.map((_, index) => index);
      const indices = due.has(name) ? (due.get(name) ?? every) : [];
      const so = new Map(openedIn(entry, field).map((one) => [one.index, one]));
      const list = every.filter((index) => indices.includes(index)).map((index) => so.get(index) ?? { index, salt: forge.random.hash(), value: invented(field, forge) });
      if (list.length > 0) entry.opened![field] = list;
      else delete entry.opened![field];
    }
  }
}

/** Entries release nothing, or otherwise in one of these ways, or a document to Bob as well. */
export function releasingOtherwise(kinds: string | readonly string[], ...ways: ((releases: Body["releases"], random: Random) => boolean)[]): Act {
  return at(kinds, ({ body: { releases } }, forge) => {
    const way = forge.random.pick<(typeof ways)[number]>([
      () => { releases.length = 0; return true; },
      ...ways,
      () => {
        const [batch] = ofKind(forge.matter, "batch");
        if (batch === undefined) return false;
        releases.unshift({ audience: "bob", entry: batch.number, field: "documents", indices: [0] });
        return true;
      },
    ]);
    if (!way(releases, forge.random)) return false;
    fit(forge);
    return true;
  });
}

/** Takes the value at an index out of a field, sealed or opened. */
export function dropSealed(entry: Entry, field: string, index: number): void {
  statementOf(entry).sealed[field]?.commitments.splice(index, 1);
  const list = entry.opened?.[field];
  if (list === undefined) return;
  entry.opened![field] = list.filter((one) => one.index !== index).map((one) => ({ ...one, index: one.index > index ? one.index - 1 : one.index }));
  if (entry.opened![field]!.length === 0) delete entry.opened![field];
}

/** Puts one more value at the end of a field. */
export function addSealed(forge: Forge, entry: Entry, field: string, value: Free): void {
  const sealed = statementOf(entry).sealed[field]!;
  sealed.commitments.push(forge.random.hash());
  if (sealed.audiences.includes(audienceOf(forge.matter))) (entry.opened![field] ??= []).push({ index: sealed.commitments.length - 1, salt: forge.random.hash(), value });
}

/** The last entry of a kind of some round before a place. */
export function roundsFirst(matter: Matter, round: number): Entry | undefined {
  return shaped(matter).find((entry) => statementOf(entry).round === round && ["batch", "escalation", "validation", "call"].includes(kindOf(entry)));
}
export const roundsReport = (matter: Matter, round: number): Entry | undefined => shaped(matter).filter((entry) => statementOf(entry).round === round && kindOf(entry) === "report").at(-1);
export const sizeOf = (entry: Entry): number => contentOf(entry)["size"] ?? contentOf(entry)["numbers"]?.length ?? 0;

/** Whether nobody owes an answer after an entry, as far as its place tells: it is an answer, or asks nobody. */
export function isQuiet(matter: Matter, entry: Entry): boolean {
  const owed = new Set<string>();
  for (const one of shaped(matter).slice(0, shaped(matter).indexOf(entry) + 1)) {
    const { answers, author } = statementOf(one);
    if (answers !== null) owed.delete(`${answers}/${author}`);
    if (kindOf(one) === "again") for (const name of [...owed]) if (name.startsWith(`${contentOf(one)["question"]}/`)) owed.delete(name);
    if (kindOf(one) === "order" && contentOf(one)["granted"] === true) for (const name of [...owed]) if (name.endsWith(`/${contentOf(one)["absent"]}`)) owed.delete(name);
    for (const role of one.body.asks) owed.add(`${one.id}/${role}`);
  }
  return owed.size === 0;
}

/** A place at which nobody owes an answer, after all have signed the opening and before the claims. */
export function quiet(forge: Forge, where: "open" | "between" | "anywhere" = "anywhere"): Entry | null {
  const { matter, random } = forge;
  const begun = ofKind(matter, "deposited")[0];
  if (begun === undefined) return null;
  const places = shaped(matter).filter((entry) => {
    if (placeOf(matter, entry) < placeOf(matter, begun) || isAfterClaims(matter, entry) || !isQuiet(matter, entry)) return false;
    return where === "anywhere" || (where === "open") === (openRound(matter, entry) !== null);
  });
  return places.length === 0 ? null : random.pick(places);
}

export const isAfterClaims = (matter: Matter, entry: Entry): boolean => matter.entries.slice(0, placeOf(matter, entry) + 1).some((one) => one.isShaped && kindOf(one) === "claims");

/** The round that is open after an entry; null between rounds. */
export function openRound(matter: Matter, entry: Entry): number | null {
  let open: number | null = null;
  for (const one of shaped(matter)) {
    if (["batch", "escalation", "validation", "call"].includes(kindOf(one))) open = statementOf(one).round;
    if (kindOf(one) === "closed") open = null;
    if (one === entry) return open;
  }
  return open;
}

/** The parties that owe an answer after an entry, with the entry that asks them. */
export function owing(matter: Matter, entry: Entry): { role: Role; question: Entry }[] {
  const owed: { role: Role; question: Entry }[] = [];
  for (const one of shaped(matter).slice(0, shaped(matter).indexOf(entry) + 1)) {
    const { answers, author } = statementOf(one);
    const i = owed.findIndex(({ role, question }) => role === author && question.id === answers);
    if (i >= 0) owed.splice(i, 1);
    for (const role of one.body.asks) owed.push({ role: role as Role, question: one });
  }
  return owed;
}

/** Moves a number a little: up, down, to nothing or beyond. */
export const nudged = (value: number, random: Random): number => random.pick([value + 1, value - 1, value + 1, value - 1, 0, value * 2 + 1]);

/** Another list: an item less, doubled, two swapped, one more. */
export function listChanged<T>(list: readonly T[], random: Random, more: T): T[] {
  const items = [...list];
  const i = items.length === 0 ? 0 : random.below(items.length);
  switch (items.length === 0 ? 3 : random.below(4)) {
    case 0:
      items.splice(i, 1);
      break;
    case 1:
      items.splice(i, 0, items[i]!);
      break;
    case 2:
      [items[i], items[0]] = [items[0]!, items[i]!];
      break;
    default:
      items.push(more);
  }
  return items;
}

/** A decimal a little above or below, or any other one, in at most 30 characters. */
export function decimalMoved(text: string, random: Random): string {
  if (random.isOneIn(3)) return `0.${BigInt(`0x${random.hash()}`).toString().slice(0, 1 + random.below(28))}`;
  const [whole, fraction = ""] = text.split(".");
  const digits = random.pick([fraction.length || 1, Math.min(20, fraction.length + 3)]);
  const scale = 10n ** BigInt(digits);
  const value = BigInt(whole!) * scale + BigInt(fraction.padEnd(digits, "0").slice(0, digits));
  const moved = value + (random.isOneIn(2) ? 1n : -1n);
  if (moved <= 0n) return "0";
  return `${moved / scale}.${(moved % scale).toString().padStart(digits, "0")}`;
}
