/**
 * The search in a copy that was verified before: the file is read again, and only what answers is kept.
 *
 * First all places that answer are looked for, and then everything is told of their documents, since a document can stand
 * in a batch and again in an escalation or a validation, before or after the place that answers.
 */
import type { Marks } from "../files/marks.ts";
import type { NamedFile } from "../files/named-files.ts";
import type { Basis, CameraRuling, Reclaimed, Round, Sort } from "../files/story.ts";
import { readStory } from "../files/teller.ts";
import { isOpen, textHash } from "../files/proof.ts";
import { placeOf } from "./document-cell.ts";
import { type NamedDocument, namedAt, partsAt } from "./told.ts";

export const MOST_RESULTS = 25;

export interface Question {
  readonly text: string;
  /** The sizes of the rounds, as they were judged. */
  readonly sizes: readonly number[];
  /** The lines that were judged: nothing is said of others. */
  readonly lines: number;
  /** Documents whose proofs lead to the corpus: only of these the proof is told. */
  readonly proven: Marks;
}

/** What the record says of one position. */
export interface PlaceTold extends NamedDocument {
  readonly round: number;
  readonly position: number;
  readonly sort: Sort;
  readonly entry: number;
  readonly size: number;
  /** The batch was drawn by coin. */
  readonly drawn: boolean;
  readonly reported: { readonly entry: number; readonly label: boolean } | null;
  readonly givenUp: boolean;
  readonly claim: { readonly basis: Basis; readonly late: boolean } | null;
  /** Undefined where it did not go to the court, null where the court has not ruled yet. */
  readonly camera: CameraRuling | null | undefined;
  readonly shown: { readonly entry: number; readonly wave: number } | null;
  readonly bob: { readonly entry: number; readonly label: boolean } | null;
  readonly dispute: { readonly ruling: boolean | null; readonly ruledIn: number | null } | null;
  readonly close: { readonly entry: number; readonly responsive: boolean } | null;
}

export interface FoundDocument {
  /** Null where the copy seals it. */
  readonly number: number | null;
  readonly places: readonly PlaceTold[];
}

export interface Found {
  /** How many documents answer; of the first ones everything is told. */
  readonly count: number;
  readonly documents: readonly FoundDocument[];
  /** What Alice asked back, in the places told. */
  readonly reclaims: readonly Reclaimed[];
}

/** The copy comes twice, so that each reading can tell how far it is. */
export async function findIn(copy: NamedFile, again: NamedFile, question: Question): Promise<Found> {
  const answers = test(question);
  const numbers = new Set<number>();
  const first: { readonly number: number | null; readonly place: string; readonly places: PlaceTold[] }[] = [];
  let unnumbered = 0;
  await readStory(copy, (round) => {
    const size = sizeOf(round, question);
    for (let position = 1; position <= size; position += 1) {
      if (!answers(round, position)) continue;
      const number = numberAt(round, position);
      if (number !== null && numbers.has(number)) continue;
      if (number === null) unnumbered += 1;
      else numbers.add(number);
      if (first.length < MOST_RESULTS) first.push({ number, place: placeOf(round.number, position), places: [] });
    }
  }, question.lines);
  const count = numbers.size + unnumbered;
  if (count === 0) return { count, documents: [], reclaims: [] };
  const byNumber = new Map(first.flatMap((one) => (one.number === null ? [] : [[one.number, one.places] as const])));
  const byPlace = new Map(first.flatMap((one) => (one.number === null ? [[one.place, one.places] as const] : [])));
  const told = new Set<string>();
  const story = await readStory(again, (round) => {
    const size = sizeOf(round, question);
    for (let position = 1; position <= size; position += 1) {
      const number = numberAt(round, position);
      const place = placeOf(round.number, position);
      const places = number === null ? byPlace.get(place) : byNumber.get(number);
      if (places === undefined) continue;
      places.push(placeTold(round, position, question.proven));
      told.add(place);
    }
  }, question.lines);
  return { count, documents: first, reclaims: story.reclaims.filter(({ round, position }) => told.has(placeOf(round, position))) };
}

/** Of a round that this copy seals, the engine can know more. */
function sizeOf({ number, size }: Round, { sizes }: Question): number {
  return Math.max(size, sizes[number - 1] ?? 0);
}

/** "3/17", "round 3, position 17" */
export function placeAsked(text: string): { readonly round: number; readonly position: number } | null {
  const [whole, round, position] = /^(?:r(?:ound)?\s*)?(\d+)\s*(?:\/|-\s*p|,\s*position|\s+)\s*(\d+)$/i.exec(text) ?? [];
  return whole === undefined ? null : { round: Number(round), position: Number(position) };
}

export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** Whether a place answers: by round and position, by number, by hash, or by a piece of the name. */
function test({ text, proven }: Question): (round: Round, position: number) => boolean {
  const place = placeAsked(text);
  if (place !== null) return (round, position) => round.number === place.round && position === place.position;
  const lower = text.toLowerCase();
  if (isHash(text)) {
    return (round, position) => (partsAt(round, position, proven) ?? []).some((part) => isOpen(part) && (part.content === lower || textHash(part) === lower));
  }
  if (/^\d+$/.test(text)) return (round, position) => numberAt(round, position) === Number(text);
  return (round, position) => {
    const name = round.names[position - 1]?.name ?? "";
    const names = (partsAt(round, position, proven) ?? []).map((part) => (isOpen(part) ? (part.rest.name ?? "") : ""));
    return [name, ...names].some((one) => one.toLowerCase().includes(lower));
  };
}

function numberAt(round: Round, position: number): number | null {
  return round.names[position - 1]?.document ?? round.numbers?.[position - 1] ?? null;
}

function placeTold(round: Round, position: number, proven: Marks): PlaceTold {
  const label = round.sort === "batch" || round.sort === "call" ? round.report?.labels?.[position - 1] : undefined;
  const basis = round.claims.get(position);
  const shown = round.shown.get(position);
  const dispute = round.disputed.get(position);
  const { number, sort, entry, size, drawn, report, close } = round;
  return {
    ...namedAt(round, position, proven),
    round: number,
    position,
    sort,
    entry,
    size,
    drawn,
    reported: typeof label === "boolean" && report !== null ? { entry: report.entry, label } : null,
    givenUp: round.givenUp.includes(position),
    claim: basis === undefined ? null : { basis, late: round.lateClaims.has(position) },
    camera: round.camera.get(position),
    shown: shown === undefined ? null : { entry: shown.entry, wave: shown.wave },
    bob: round.bob.get(position) ?? null,
    dispute: dispute === undefined ? null : { ruling: dispute.ruling, ruledIn: dispute.ruledIn },
    close: close === null ? null : { entry: close.entry, responsive: (close.content["responsive"] as readonly number[]).includes(position) },
  };
}
