/**
 * Whether an exhibit is whole (docs/exhibits.md, "What it holds"): the opening with its answers, each round without a gap,
 * what may stand between rounds, and opened just what belongs to the document. What is missing is damage.
 */
import type { Alone } from "../engine/alone.ts";
import type { Entry } from "../engine/chain.ts";
import { documentLeaf } from "../engine/documents.ts";
import { damaged } from "../engine/failures.ts";
import { equalBytes } from "../engine/bytes.ts";
import { isArray, type Json } from "../engine/json.ts";
import { KINDS } from "../engine/kinds.ts";
import { openedValues, readDocument, sealedCount } from "../engine/values.ts";
import { type ReadExhibit, isSeen } from "./exhibit-entries.ts";

/** A round of the document's, from its first entry to its last one here. */
export interface Course {
  readonly entries: readonly Entry[];
  /** The entry that begins its positions. */
  readonly list: Entry;
  readonly alone: Alone;
  readonly isClosed: boolean;
}

export interface Whole {
  readonly courses: readonly Course[];
  readonly reclaim: { readonly entry: Entry; readonly index: number } | null;
}

export interface Stated {
  readonly name: string;
  readonly number: number;
  readonly leaf: Uint8Array;
}

const LISTS = ["batch", "escalation", "validation", "call"];
const numbersOf = ({ statement }: Entry, field: string): readonly number[] => {
  const value = statement.content[field];
  return KINDS.has(statement.kind) && isArray(value) ? (value as number[]) : [];
};

export function wholeOf(read: ReadExhibit, opening: readonly Entry[], document: Stated): Whole {
  const rounds: Entry[][] = [];
  const between: Entry[] = [];
  let open: Entry[] | null = null;
  for (const entry of read.entries.slice(opening.length)) {
    const { kind } = entry.statement;
    const number = entry.body.sequence;
    if (open === null && (kind === "draw" || LISTS.includes(kind))) rounds.push((open = []));
    if (open === null) {
      between.push(entry);
      continue;
    }
    const last = open.at(-1);
    if (last !== undefined && number !== last.body.sequence + 1) damaged(`entry ${last.body.sequence + 1} of a round is missing`);
    open.push(entry);
    if (kind === "closed") open = null;
  }
  if (open !== null && BigInt(open.at(-1)!.body.sequence + 1) !== read.checkpoint.size) damaged("the end of the round is missing");
  betweenRounds(between, read.entries);
  const courses = rounds.map((entries) => courseOf(entries, document));
  return { courses, reclaim: openedAsDue(read.entries, courses, between) };
}

/** From the opening up to the last of its three answers. */
export function openingOf(entries: readonly Entry[]): Entry[] {
  const answers = entries.filter(({ statement }) => statement.answers === entries[0]!.hash);
  // Where there are not three, the opening is empty.
  const opening = entries.slice(0, entries.indexOf(answers[2]!) + 1);
  if (opening.length === 0 || opening.some((entry, index) => entry.body.sequence !== index)) damaged("an answer to the opening is missing, or an entry before it");
  return opening;
}

function betweenRounds(entries: readonly Entry[], all: readonly Entry[]): void {
  let isAskedBack = false;
  entries.forEach((entry, index) => {
    const { answers, content, kind } = entry.statement;
    const question = all.find(({ hash }) => hash === answers);
    const asks = kind === "clawback" || kind === "again";
    const fits =
      asks ? !isAskedBack && entries.some(({ statement }) => statement.kind === "reclaim" && statement.answers === entry.hash)
      : kind === "reclaim" ? isBy(question, "clawback", "again")
      : kind === "returned" ? isBy(question, "reclaim") && numbersOf(question, "documents").length === numbersOf(entry, "upheld").length
      : kind === "rekey" ? entries[index + 1]?.statement.answers === entry.hash
      : kind === "rekeyed" ? content["granted"] === true
      : isSeen(kind);
    isAskedBack ||= asks; // at most once
    if (!fits || !isBy(entry, kind)) damaged(`entry ${entry.body.sequence} (${kind}) does not belong between rounds`);
  });
}

/** Whether it is an entry of one of these kinds, by whom such an entry is. */
function isBy(entry: Entry | undefined, ...kinds: readonly string[]): entry is Entry {
  return entry !== undefined && kinds.includes(entry.statement.kind) && KINDS.get(entry.statement.kind)!.authors.includes(entry.statement.author);
}

function courseOf(entries: readonly Entry[], document: Stated): Course {
  const list = entries.find(({ statement }) => LISTS.includes(statement.kind)) ?? damaged("a round lists no documents");
  // A list that names a draw of its own comes after it.
  if ((list.statement.content["drawn"] ?? null) !== null && entries[0]!.statement.kind !== "draw") damaged("the draw of a round is missing");
  const named = entries.flatMap((entry) => [...numbersOf(entry, "positions"), ...numbersOf(entry, "responsive"), ...statedIn(entry)]);
  const position = positionWith(entries, list, document);
  return {
    entries,
    list,
    alone: { document: document.number, name: document.name, position, positions: named.reduce((a, b) => Math.max(a, b), position) },
    isClosed: entries.at(-1)!.statement.kind === "closed",
  };
}

/** The numbers of positions that the close of a round states. */
function statedIn({ statement: { content, kind } }: Entry): readonly number[] {
  return kind === "closed" ? ["error", "sampled", "threshold"].map((field) => content[field] as number) : [];
}

/** Where the document stands: at its opened place, or where a proof leads to its leaf. */
function positionWith(entries: readonly Entry[], list: Entry, { number, name, leaf }: Stated): number {
  for (const [index, value] of openedValues(list, "documents")) {
    const place = readDocument(value);
    if (place?.document !== number || place.name !== name) damaged("a round opens the place of another document");
    return index + 1;
  }
  for (const entry of entries) {
    for (const [index, value] of openedValues(entry, "proofs")) {
      const reached = documentLeaf(number, value as Json);
      if (reached === null || !equalBytes(reached, leaf)) damaged("a round has another document's proof");
      return numbersOf(entry, "positions")[index] ?? damaged("a proof has no position");
    }
  }
  return damaged("a round does not open its place");
}

type Opened = Readonly<Record<string, readonly number[]>>;

/** Opened are just the values that belong to the document. Returns where Alice asked it back. */
function openedAsDue(entries: readonly Entry[], courses: readonly Course[], between: readonly Entry[]): Whole["reclaim"] {
  const due = new Map<Entry, Opened>();
  for (const course of courses) for (const entry of course.entries) due.set(entry, dueOpenings(course, entry));
  const reclaim = askedBack(entries, courses, between);
  for (const entry of entries) {
    const fields = entry === reclaim?.entry ? { privilege: [reclaim.index] } : (due.get(entry) ?? {});
    const wanted = Object.entries(fields).filter(([, indices]) => indices.length > 0);
    const fits = wanted.length === Object.keys(entry.openings).length && wanted.every(([name, indices]) => entry.openings[name]?.indices.join() === indices.join());
    if (!fits) damaged(`entry ${entry.body.sequence} opens too much or too little`);
  }
  return reclaim;
}

function dueOpenings({ entries, list, alone, isClosed }: Course, entry: Entry): Opened {
  const { kind } = entry.statement;
  const at = alone.position - 1;
  const positions = numbersOf(entry, "positions");
  const all = (field: string): number[] => Array.from({ length: sealedCount(entry, field) }, (_, index) => index);
  // What a `call` opens tells whether it lists the document: by its `numbers` the rules judge that.
  const lists = /^(batch|validation)$/.test(list.statement.kind) || (list.statement.kind === "call" && "documents" in list.openings);
  if (entry === list) return lists ? { documents: [at] } : {};
  if (kind === "report" && isClosed) return { labels: all("labels"), threshold: all("threshold"), privilege: all("privilege").filter((index) => index === at) };
  if (kind === "claim" && isClosed) return { privilege: all("privilege").filter((index) => positions[index] === alone.position) };
  if ((kind === "disclosure" || kind === "camera") && !lists) {
    const holding = (wanted: string): Entry | undefined => entries.find((one) => one.statement.kind === wanted && numbersOf(one, "positions").includes(alone.position));
    if (entry === (holding("disclosure") ?? holding("camera"))) return { proofs: [positions.indexOf(alone.position)] };
  }
  return {};
}

/** The first `reclaim` that names the document. One between rounds is the only one. */
function askedBack(entries: readonly Entry[], courses: readonly Course[], between: readonly Entry[]): Whole["reclaim"] {
  let first: Whole["reclaim"] = null;
  for (const entry of entries.filter(({ statement }) => statement.kind === "reclaim")) {
    const index = reclaimed(entry, courses);
    const isOnlyOne = index !== null && first === null;
    if (!isOnlyOne && between.includes(entry)) damaged(`entry ${entry.body.sequence} asks for other documents back, or once more`);
    if (index === null) continue;
    if (first !== null && between.includes(first.entry)) damaged(`entry ${entry.body.sequence} asks for the document back once more`);
    first ??= { entry, index };
  }
  return first;
}

/** The index at which a `reclaim` names the document: by a round of the exhibit. */
function reclaimed({ statement: { content } }: Entry, courses: readonly Course[]): number | null {
  const documents = content["documents"] as unknown as readonly { readonly round: number; readonly position: number }[];
  const index = documents.findIndex(({ round, position }) => courses.some(({ list, alone }) => list.statement.round === round && alone.position === position));
  return index < 0 ? null : index;
}
