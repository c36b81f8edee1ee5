/**
 * What a report keeps of the story of a copy: numbers of each round, and the documents that its tables name.
 *
 * It is taken round by round while the file is read, and the rest is let go. Whoever asks for another document makes the
 * page read the file again (`finding`).
 */
import type { Verdict } from "../engine/verdict.ts";
import { type Marks, isMarked } from "../files/marks.ts";
import type { NamedFile } from "../files/named-files.ts";
import type { Part } from "../files/proof.ts";
import type { Dispute, Place, Round, Sort } from "../files/story.ts";
import { readStory } from "../files/teller.ts";
import { type KnownDocument, placeOf } from "./document-cell.ts";
import { MOST_ROWS } from "./table.ts";
import { responsive } from "./words.ts";

export interface RoundTold {
  /** Shown to Bob, and responsive when the round closed. */
  readonly found: number;
  /** Of these, the ones that stood in a batch: in this round or in an earlier one. */
  readonly foundInBatches: number;
  readonly disputes: number;
  readonly against: number;
}

/** A document as a table names it: both are null where the copy seals it. */
export interface NamedDocument {
  readonly name: string | null;
  readonly known: KnownDocument | null;
}

/** A ruling on a dispute. */
export interface Ruled extends NamedDocument {
  readonly round: number;
  readonly position: number;
  /** Null where a validation drew what nobody had reviewed. */
  readonly alice: string | null;
  readonly bob: boolean | null;
  readonly ruling: boolean;
  readonly ruledIn: number | null;
  readonly evidence: string;
  /** Why Bob said so, and why the court; empty where they gave no reason. */
  readonly bobsReason: string;
  readonly courtsReason: string;
}

export interface Ruling extends NamedDocument {
  /** Why the court ruled so in camera; empty where it gave no reason. */
  readonly reason: string;
}

export interface Told {
  /** Why the rounds cannot be told; empty if they are. */
  readonly untold: string;
  /** By the number of the round, less one. */
  readonly rounds: readonly (RoundTold | undefined)[];
  readonly rulings: number;
  /** The first of them, as many as a table shows. */
  readonly ruled: readonly Ruled[];
  readonly errors: number;
  /** Errors about documents that are responsive. */
  readonly missed: number;
  readonly erred: readonly Ruled[];
  /** The documents in the tables of privilege, by their places. */
  readonly named: ReadonlyMap<string, Ruling>;
  /** Why the court upheld or overruled what was asked back, by its place. */
  readonly returned: ReadonlyMap<string, string>;
}

/** The verdict stands without its story. */
export function untoldFor(why: string): Told {
  return { untold: why, rounds: [], rulings: 0, ruled: [], errors: 0, missed: 0, erred: [], named: new Map(), returned: new Map() };
}

/** The places that the tables of privilege name. */
export function wantedFor({ privilege, clawbacks }: Verdict): Place[] {
  return [...privilege.slice(0, MOST_ROWS), ...clawbacks.slice(0, MOST_ROWS)].map(({ round, position }) => ({ round, position }));
}

/** `lines` are those that the verdict is about: where it ended early, the file can go on. */
export async function tell(copy: NamedFile, places: readonly Place[], lines: number, proven: Marks): Promise<Told> {
  const wanted = new Map<number, Set<number>>();
  for (const { round, position } of places) wanted.set(round, (wanted.get(round) ?? new Set()).add(position));
  const rounds: RoundTold[] = [];
  const sorts: Sort[] = [];
  const ruled: Ruled[] = [];
  // What she had not reported comes first.
  const erred: [missed: Ruled[], reported: Ruled[]] = [[], []];
  const named = new Map<string, Ruling>();
  let [all, errors, missed] = [0, 0, 0];
  const { reclaims } = await readStory(copy, (round) => {
    const responsiveAtClose = new Set((round.close?.content["responsive"] as readonly number[] | undefined) ?? []);
    const found = [...round.shown.keys()].filter((position) => responsiveAtClose.has(position));
    const reviewed = new Set(round.reviewed);
    sorts[round.number] = round.sort;
    const isOfBatch = (position: number): boolean => (round.sort === "validation" ? reviewed.has(position) : sorts[round.shown.get(position)?.place.round ?? 0] === "batch");
    const inBatches = found.filter(isOfBatch);
    let [disputes, against] = [0, 0];
    const rulings = [...round.disputed].filter(([, { ruling }]) => ruling !== null);
    for (const [position, dispute] of rulings.sort(([a], [b]) => a - b)) {
      const ruling = dispute.ruling === true;
      disputes += 1;
      const wrong = isError(round, reviewed, position, ruling);
      if (wrong) against += 1;
      if (wrong && ruling) missed += 1;
      const errors = erred[ruling ? 0 : 1];
      const [inRuled, inErred] = [ruled.length < MOST_ROWS, wrong && errors.length < MOST_ROWS];
      if (!inRuled && !inErred) continue;
      const row = ruledRow(round, reviewed, position, dispute, proven);
      if (inRuled) ruled.push(row);
      if (inErred) errors.push(row);
    }
    all += disputes;
    errors += against;
    for (const position of wanted.get(round.number) ?? []) named.set(placeOf(round.number, position), { ...namedAt(round, position, proven), reason: round.camera.get(position)?.reason ?? "" });
    rounds[round.number - 1] = { found: found.length, foundInBatches: inBatches.length, disputes, against };
  }, lines);
  const returned = new Map(reclaims.map(({ round, position, ruling }) => [placeOf(round, position), ruling?.reason ?? ""]));
  return { untold: "", rounds, rulings: all, ruled, errors, missed, erred: erred.flat().slice(0, MOST_ROWS), named, returned };
}

export function namedAt(round: Round, position: number, proven: Marks): NamedDocument {
  const name = round.names[position - 1]?.name ?? null;
  const parts = partsAt(round, position, proven);
  return { name, known: parts === null ? null : { name: name ?? "", parts } };
}

/** The parts of a document whose proof the engine followed to the corpus. What Bob was shown counts before what the court saw. */
export function partsAt(round: Round, position: number, proven: Marks): readonly Part[] | null {
  if (!isMarked(proven, round.number, position)) return null;
  return (round.shown.get(position)?.proof ?? round.cameraProofs.get(position))?.parts ?? null;
}

/** A ruling for Bob shows an error of Alice's, unless nobody had reviewed the document. */
function isError(round: Round, reviewed: ReadonlySet<number>, position: number, ruling: boolean): boolean {
  return ruling === round.bob.get(position)?.label && !isNew(round, reviewed, position);
}

/** Drawn by a validation in one stage, and never reviewed before. */
function isNew(round: Round, reviewed: ReadonlySet<number>, position: number): boolean {
  return round.sort === "validation" && !reviewed.has(position);
}

function ruledRow(round: Round, reviewed: ReadonlySet<number>, position: number, dispute: Dispute, proven: Marks): Ruled {
  const bob = round.bob.get(position);
  return {
    ...namedAt(round, position, proven),
    round: round.number,
    position,
    alice: isNew(round, reviewed, position) ? null : aliceSaid(round, position),
    bob: bob?.label ?? null,
    ruling: dispute.ruling === true,
    ruledIn: dispute.ruledIn,
    evidence: evidence(round, position, dispute.ruledIn),
    bobsReason: bob?.reason ?? "",
    courtsReason: dispute.reason,
  };
}

function aliceSaid(round: Round, position: number): string {
  const { places, report, shown, size, sort } = round;
  const own = sort === "batch" ? size : sort === "call" ? size - (places?.length ?? 0) : 0;
  if (position <= own) {
    const label = report?.labels?.[position - 1];
    return label === undefined ? "sealed in this copy" : label === null ? "nothing: below her threshold, so not responsive" : responsive(label);
  }
  const place = round.before.get(position) ?? shown.get(position)?.place;
  const earlier = place === undefined || place.round === round.number ? "" : `, as ${place.round} / ${place.position}`;
  return responsive(round.givenUp.includes(position)) + earlier;
}

function evidence(round: Round, position: number, ruledIn: number | null): string {
  const entries: string[] = [];
  const before = round.before.get(position);
  if (before !== undefined) entries.push(`report ${before.report} of round ${before.round}`);
  else if (round.report !== null) entries.push(`report ${round.report.entry}`);
  else if (round.sort === "validation") entries.push(`validation ${round.entry}`);
  if (round.look !== null) entries.push(`second look ${round.look}`);
  const shown = round.shown.get(position);
  if (shown !== undefined) entries.push(`disclosure ${shown.entry}`);
  const bob = round.bob.get(position);
  if (bob !== undefined) entries.push(`Bob's labels ${bob.entry}`);
  if (ruledIn !== null) entries.push(`ruling ${ruledIn}`);
  return entries.join(", ");
}
