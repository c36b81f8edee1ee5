/**
 * What every section of a report is made of: the verdict, and what the record says round by round.
 */
import { Disposition, Flag, type RoundReport, type Verdict } from "../engine/verdict.ts";
import type { ProgressMessage } from "./run.ts";
import type { Found } from "./finding.ts";
import type { RoundTold, Told } from "./told.ts";
import { listing, plural } from "./words.ts";

export interface ReportData {
  readonly verdict: Verdict;
  readonly told: Told;
  /** How many parts the documents have that Bob was shown, as far as proofs lead to the corpus. */
  readonly parts: number;
  /** Reads the file again, for one document. */
  readonly search: (text: string, progress: (message: ProgressMessage) => void) => Searching;
  readonly file: { readonly name: string; readonly size: number; readonly sha256: string };
  readonly given: readonly string[];
  /** What a program has done to a damaged copy on its way, as far as that can be seen. */
  readonly changed: string | null;
  /** What else was opened, and what was found out about it. */
  readonly others: readonly Other[];
}

export interface Other {
  /** The section that says more. */
  readonly id: string;
  readonly title: string;
  readonly word: string;
  readonly isBad: boolean;
}

export interface Searching {
  readonly result: Promise<Found>;
  cancel(): void;
}

export interface RoundCounts {
  readonly round: number;
  readonly sort: RoundReport["sort"];
  readonly size: number;
  readonly shown: number;
  readonly found: number;
  readonly foundInBatches: number;
  readonly disputes: number;
  readonly against: number;
  readonly fresh: number;
  readonly forBob: number;
  readonly unread: number;
  /** What the court kept from Bob: as privileged, as not responsive, or for a reason that the copy seals. */
  readonly privileged: number;
  readonly inCamera: number;
  readonly kept: number;
  /** Whether the copy seals which of the two it is, and Trent's claims tell how many are of each. */
  readonly isClaimed: boolean;
  readonly truth: RoundReport["truth"];
}

export function closedRounds(data: ReportData): RoundReport[] {
  return data.verdict.rounds.filter((round) => round.closed !== null);
}

export function roundTold(data: ReportData, round: number): RoundTold | null {
  return data.told.rounds[round - 1] ?? null;
}

/** "10 closed rounds (8 batches, 1 escalation and 1 validation)" */
export function roundsSay(rounds: readonly RoundReport[]): string {
  const sorts = [
    ["batch", "batches"],
    ["escalation", "escalations"],
    ["validation", "validations"],
  ] as const;
  const counts = sorts.map(([one, many]) => [rounds.filter((round) => round.sort === one).length, one, many] as const).filter(([count]) => count > 0);
  const all = plural(rounds.length, "closed round");
  const plain = counts.length === 1 && counts[0]?.[1] === "batch";
  return counts.length === 0 || plain ? all : `${all} (${listing(counts.map(([count, one, many]) => plural(count, one, many)))})`;
}

export function countsOf(data: ReportData, round: RoundReport): RoundCounts {
  const told = roundTold(data, round.round);
  const count = (what: Disposition): number => round.positions?.disposition.filter((one) => one === what).length ?? 0;
  const [privileged, inCamera, kept] = [count(Disposition.Privileged), count(Disposition.KeptInCamera), count(Disposition.Unknown)];
  const claims = data.verdict.claims?.content as { readonly rounds?: readonly { readonly privileged: number }[] } | undefined;
  const claimed = kept === 0 ? undefined : claims?.rounds?.[round.round - 1]?.privileged;
  return {
    round: round.round,
    sort: round.sort,
    size: round.size,
    shown: round.shown,
    found: told?.found ?? round.found ?? 0,
    foundInBatches: told?.foundInBatches ?? (round.sort === "validation" ? 0 : (round.found ?? 0)),
    disputes: round.disputes,
    against: told?.against ?? round.aliceErrors ?? 0,
    fresh: told?.fresh ?? 0,
    forBob: told?.forBob ?? 0,
    unread: round.unread,
    ...(claimed === undefined ? { privileged, inCamera, kept } : { privileged: claimed, inCamera: privileged + inCamera + kept - claimed, kept: 0 }),
    isClaimed: claimed !== undefined,
    truth: round.truth,
  };
}

export type Why = "certain" | "by coin" | "compelled" | "by order" | "shown, unread" | "shown, reason sealed" | "withheld as privileged" | "in camera, not responsive" | "kept by the court";

const KEPT: Readonly<Record<number, Why>> = {
  [Disposition.Privileged]: "withheld as privileged",
  [Disposition.KeptInCamera]: "in camera, not responsive",
  [Disposition.Unknown]: "kept by the court",
};

export function whyShown(round: RoundReport, position: number): Why | null {
  const columns = round.positions;
  if (columns === null) return null;
  const disposition = columns.disposition[position - 1] ?? Disposition.Withheld;
  if (disposition !== Disposition.Shown) return KEPT[disposition] ?? null;
  if (isFlagged(round, position, Flag.Unread)) return "shown, unread";
  if (round.report === "sealed") return "shown, reason sealed";
  if (coinAt(round, position)?.drawn) return "by coin";
  if (reportedByAlice(round, position)) return "certain";
  // Here coins decide about all the rest.
  if (round.sort === "escalation" || (round.sort === "validation" && round.report === "none")) return "by coin";
  if (round.report === "ordered away") return "by order";
  if (round.threshold === null || position <= round.threshold) return "certain";
  if (isFlagged(round, position, Flag.Late)) return "by coin";
  return round.compelled ? "compelled" : "certain";
}

export function reportedByAlice(round: RoundReport, position: number): boolean {
  return isFlagged(round, position, Flag.Reported);
}

export function isFlagged(round: RoundReport, position: number, flag: Flag): boolean {
  return ((round.positions?.flags[position - 1] ?? 0) & flag) !== 0;
}

/** The coin of a position, where one decides about it and the copy tells it. */
export function coinAt({ positions: columns }: RoundReport, position: number): { readonly coin: bigint; readonly chance: bigint; readonly drawn: boolean } | null {
  const place = columns?.chance[position - 1] ?? 0;
  if (columns === null || place === 0) return null;
  const coin = columns.coin[position - 1] ?? 0n;
  const chance = BigInt(columns.chances[place - 1] ?? 0);
  return { coin, chance, drawn: coin < chance };
}
