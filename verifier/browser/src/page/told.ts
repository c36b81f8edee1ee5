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
import { type Place, type Round, readStory } from "../files/story.ts";
import { type KnownDocument, placeOf } from "./document-cell.ts";
import { MOST_ROWS } from "./table.ts";
import { responsive } from "./words.ts";

export interface RoundTold {
  readonly size: number;
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
  readonly alice: string;
  readonly bob: boolean | null;
  readonly ruling: boolean;
  readonly ruledIn: number | null;
  readonly evidence: string;
}

export interface Told {
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
  readonly named: ReadonlyMap<string, NamedDocument>;
}

/** The places that the tables of privilege name. */
export function wantedFor({ privilege, clawbacks }: Verdict): Place[] {
  return [...privilege.slice(0, MOST_ROWS), ...clawbacks.slice(0, MOST_ROWS)].map(({ round, position }) => ({ round, position }));
}

export async function tell(copy: NamedFile, places: readonly Place[], proven: Marks): Promise<Told> {
  const wanted = new Map<number, Set<number>>();
  for (const { round, position } of places) wanted.set(round, (wanted.get(round) ?? new Set()).add(position));
  const rounds: RoundTold[] = [];
  const [ruled, erred]: [Ruled[], Ruled[]] = [[], []];
  const named = new Map<string, NamedDocument>();
  let [rulings, errors, missed] = [0, 0, 0];
  await readStory(copy, (round) => {
    const responsiveAtClose = new Set((round.close?.content["responsive"] as readonly number[] | undefined) ?? []);
    const found = [...round.shown.keys()].filter((position) => responsiveAtClose.has(position));
    const reviewed = new Set(round.reviewed);
    const inBatches = round.sort === "batch" || round.sort === "escalation" ? found : found.filter((position) => reviewed.has(position));
    let [disputes, against] = [0, 0];
    for (const [position, { ruling, ruledIn }] of [...round.disputed].sort(([a], [b]) => a - b)) {
      if (ruling === null) continue;
      disputes += 1;
      const wrong = isError(round, reviewed, position, ruling);
      if (wrong) against += 1;
      if (wrong && ruling) missed += 1;
      const [inRuled, inErred] = [ruled.length < MOST_ROWS, wrong && erred.length < MOST_ROWS];
      if (!inRuled && !inErred) continue;
      const row = ruledRow(round, reviewed, position, ruling, ruledIn, proven);
      if (inRuled) ruled.push(row);
      if (inErred) erred.push(row);
    }
    rulings += disputes;
    errors += against;
    for (const position of wanted.get(round.number) ?? []) named.set(placeOf(round.number, position), namedAt(round, position, proven));
    rounds[round.number - 1] = { size: round.size, found: found.length, foundInBatches: inBatches.length, disputes, against };
  });
  return { rounds, rulings, ruled, errors, missed, erred, named };
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
  const bob = round.bob.get(position)?.label;
  if (bob === undefined || ruling !== bob) return false;
  return round.sort !== "validation" || reviewed.has(position);
}

function ruledRow(round: Round, reviewed: ReadonlySet<number>, position: number, ruling: boolean, ruledIn: number | null, proven: Marks): Ruled {
  const bob = round.bob.get(position)?.label ?? null;
  return {
    ...namedAt(round, position, proven),
    round: round.number,
    position,
    alice: aliceSaid(round, reviewed, position, bob),
    bob,
    ruling,
    ruledIn,
    evidence: evidence(round, position, ruledIn),
  };
}

function aliceSaid(round: Round, reviewed: ReadonlySet<number>, position: number, bob: boolean | null): string {
  if (round.sort === "validation" && !reviewed.has(position)) return "nothing: nobody had reviewed it";
  const own = round.report?.labels?.[position - 1];
  if (round.sort === "batch" && typeof own === "boolean") return responsive(own);
  // What is disputed is labelled otherwise by Bob: that is what a dispute is.
  return bob === null ? "sealed" : responsive(!bob);
}

function evidence(round: Round, position: number, ruledIn: number | null): string {
  const entries: string[] = [];
  if (round.report !== null) entries.push(`report ${round.report.entry}`);
  if (round.look !== null) entries.push(`second look ${round.look}`);
  if (round.sort === "validation") entries.push(`validation ${round.entry}`);
  const shown = round.shown.get(position);
  if (shown !== undefined) entries.push(`disclosure ${shown.entry}`);
  const bob = round.bob.get(position);
  if (bob !== undefined) entries.push(`Bob's labels ${bob.entry}`);
  if (ruledIn !== null) entries.push(`ruling ${ruledIn}`);
  return entries.join(", ");
}
