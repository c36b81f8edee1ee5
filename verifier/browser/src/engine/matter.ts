/** The state of a matter while it is replayed, and what follows from it at each moment. */

import type { Alone } from "./alone.ts";
import type { RoundEvidence } from "./bound.ts";
import type { Entry } from "./chain.ts";
import { Boundary, certify, type Books, type Certified } from "./certificate.ts";
import { Known } from "./known.ts";
import type { Note } from "./note.ts";
import { decimal, type Fraction } from "./numbers.ts";
import type { Doc, Round } from "./round.ts";
import type { TermNumbers } from "./terms.ts";
import type { Audience, ClaimsReport, ClawbackRow, EventRow, LogReport, Opening, Party, PrivilegeRow, Role, RoundReport, StampReport, Terms, ValidationReport, VerifyOptions } from "./verdict.ts";
import { FaultFound } from "./failures.ts";

/** What a party was asked and has not answered. */
export interface Question {
  readonly entry: number;
  readonly hash: string;
  /** The kind of the answer. */
  readonly kind: string;
  readonly round: number;
  /** The kind of the entry that first asked. */
  readonly from: string;
  state: "open" | "void" | "suspended";
}

/** An answer on record, as conflicts need it. */
export interface Answer {
  readonly author: Party;
  readonly kind: string;
  readonly round: number;
  readonly answers: string;
  readonly statementHash: string;
  readonly replaces: readonly string[];
}

export type Drawer = "alice" | "bob" | "trent";
export type Purpose = "batch" | "validation" | "escalation" | "unknown";

/** A closed round as the claims need it. */
export interface ClosedRow {
  readonly row: Record<string, number | string | boolean | null>;
  readonly privileged: Range;
  readonly unread: Range;
  readonly inCamera: Range;
  /** Positions that the court kept from Bob. */
  readonly kept: number;
}
/** What a number can be, as far as the copy tells. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface ValidationState {
  readonly number: number;
  readonly round: number;
  readonly stages: 1 | 2;
  readonly called: number;
  readonly unread: Range;
  readonly never: { documents: number; shown: Range; hits: Range };
  readonly withheld: { documents: number; shown: Range; hits: Range };
  readonly total: number | null;
  readonly atMost: number | null;
  readonly reached: boolean;
}

export class Matter {
  /** Set where one round is replayed by itself. */
  alone: Alone | null = null;

  // The opening
  opening: Opening | null = null;
  terms!: Terms;
  numbers!: TermNumbers;
  matter!: Uint8Array;
  corpusRoot!: Uint8Array;
  queryHash!: Uint8Array;
  documents = 0;
  unit: "family" | "document" = "family";
  isSimulation = false;
  readonly anchors: Partial<Record<Drawer, string>> = {};
  readonly signed: Partial<Record<Party, number>> = {};

  // Turns
  readonly owes = new Map<Party, Question>();
  readonly answers = new Map<number, Answer>();
  /** Hashes of entries, to tell what was served. */
  readonly hashes = new Map<string, number>();
  readonly newKeys = new Map<Party, number>();
  /** Every key that anybody has or had, in hex. */
  readonly keysUsed = new Set<string>();
  pendingDefault: { absent: Role; served: string; question: Question | null; row: number } | null = null;
  pendingRekey: { role: Party; key: string; row: number } | null = null;
  pendingAmend: { rounds: number; limit: string | null; accepted: Map<Party, boolean>; row: number } | null = null;
  pendingReclaim: readonly { round: number; position: number }[] = [];
  readonly endedWithout = new Set<Party>();
  hasClaims = false;
  claimsEntry = 0;
  askedAgain = 0;
  defaults = 0;

  // Draws
  /** The number of the last draw that began or was left out; of a round by itself not a number before its first draw. */
  lastDraw = 0;
  readonly links: Partial<Record<Drawer, { readonly number: number; readonly link: Uint8Array }>> = {};
  /** The links of the draw under way. */
  draw: { readonly number: number; readonly links: Partial<Record<Drawer, Uint8Array>> } | null = null;
  /** What a draw between rounds, or of an escalation, is for; null if none is under way. */
  drawFor: Purpose | null = null;

  // Rounds
  round: Round | null = null;
  roundsBegun = 0;
  batchesBegun = 0;
  batchesClosed = 0;
  T = 0;
  limit: string | null = null;
  limitUsedUp = false;
  stampedSince = false;
  loggedSince = false;
  /** Whether the copy shows Alice's labels in all closed rounds. */
  allShown = true;
  allClaimsOpened = true;

  // Documents
  putUp = 0;
  /** The same in closed rounds. */
  reviewed = 0;
  /** What is known to be put up, and whether all of it is. */
  readonly known = new Known();
  allNumbersKnown = true;
  withheld: Doc[] = [];
  shownTotal = 0;
  keptTotal = 0;
  /** Labels of the training set. */
  trainedTrue = 0;
  trainedFalse = 0;
  /** Whether an unclear position may be in the training set as not responsive, or not. */
  mayBeTrainedFalse = false;
  /** Batches whose `numbers` were not released to Bob yet. */
  unreleasedNumbers: number[] = [];
  classesNamed = 0;

  // Books
  found = 0;
  hits = 0;
  credit = 0n;
  labelledFalse = 0;
  shownInEscalations = 0;
  foundByBatch: number[] = [];
  boundary!: Boundary;
  readonly evidence: RoundEvidence[] = [];

  /** The chance of the escalation that closed last, for the report. */
  roundChance: bigint | null = null;

  // Validations
  readonly validations: ValidationState[] = [];
  validationsBegun = 0;
  validationReached = false;
  firstValidationAfter: number | null = null;
  validatedAfter = -1;

  // Counts
  readonly closed: ClosedRow[] = [];
  revealed = 0;
  responsiveShown = 0;
  disputes = 0;
  aliceErrors = 0;
  compelledRounds = 0;
  clawedBack = 0;
  truthRevealed = 0;
  readonly shownAt = new Map<number, Uint8Array>();
  readonly askedBack = new Set<string>();

  // What is counted
  /** How many entries of each kind were replayed. */
  readonly entriesOf: Record<string, number> = {};
  /** What else has passed of a check. */
  readonly items: Record<string, number> = {};

  // What outcomes ask for
  hiddenEvidence = false;
  readonly findings: { fault: FaultFound; entry: Entry }[] = [];

  // The report
  readonly rounds: RoundReport[] = [];
  readonly privilege: PrivilegeRow[] = [];
  readonly clawbacks: ClawbackRow[] = [];
  readonly events: EventRow[] = [];
  readonly validationReports: ValidationReport[] = [];
  readonly stamps: StampReport[] = [];
  readonly logProofs: LogReport[] = [];
  readonly logNotes: Note[] = [];
  claims: ClaimsReport | null = null;

  constructor(
    readonly audience: Audience,
    readonly options: VerifyOptions,
  ) {}

  /** One more thing that a check has looked at. */
  tally(check: string, by = 1): void {
    this.items[check] = (this.items[check] ?? 0) + by;
  }

  /** A finding that does not stop the replay. */
  note(fault: FaultFound, entry: Entry): void {
    this.findings.push({ fault, entry });
  }

  get allSigned(): boolean {
    return this.signed.alice !== undefined && this.signed.bob !== undefined && this.signed.court !== undefined;
  }

  mustAnswer(role: Role): boolean {
    return role !== "trent" && this.owes.get(role)?.state === "open";
  }

  get left(): number {
    return this.documents - this.putUp;
  }

  get labelsAllEqual(): boolean {
    return this.trainedTrue === 0 || this.trainedFalse === 0;
  }

  /** The review is over: no batch round begins any more. */
  get isOver(): boolean {
    return this.batchesClosed >= this.T || this.left === 0 || this.validationReached;
  }

  /** Draws that must be kept for what is sure to come. */
  owedDraws(T: number = this.T): number {
    const { round } = this;
    let owed = 2 * Math.max(0, T - this.batchesBegun);
    if (round?.sort === "batch" && round.report === "awaited") owed += 1;
    if (round === null && this.drawFor === "batch") owed += 1;
    if (round?.sort === "escalation") {
      if (round.givenUp === null) owed += 2;
      else if (round.lookOrderedAway && round.draw === null) owed += 1;
    }
    if (this.terms.validation?.review != null) {
      if (round === null && this.drawFor === "validation") owed += 1;
      if (round?.sort === "validation" && round.report === "awaited") owed += 1;
    }
    return owed;
  }

  get freeDraws(): number {
    return this.terms.draws - this.lastDraw - this.owedDraws();
  }

  /** Documents that Bob was not shown and that the court has not kept from him. */
  get population(): number {
    return this.documents - this.shownTotal - this.keptTotal;
  }

  /** Whether a validation is due. Meaningful where the copy shows all labels. */
  get isValidationDue(): boolean {
    const terms = this.terms.validation;
    if (terms === null || this.round !== null || this.drawFor !== null) return false;
    const r = this.batchesClosed;
    if (r === 0 || this.validatedAfter === r || this.population === 0 || this.validationReached) return false;
    if (this.freeDraws < (terms.review === null ? 1 : 2)) return false;
    if (r >= this.T || this.left === 0) return true;
    const rate = this.numbers.validation!.yield;
    if (rate === null) return r % terms.every === 0;
    if (this.firstValidationAfter !== null) return (r - this.firstValidationAfter) % terms.every === 0 && r > this.firstValidationAfter;
    if (r < terms.window) return false;
    let brought = 0;
    for (const found of this.foundByBatch.slice(-terms.window)) brought += found;
    return BigInt(brought) * rate.den <= rate.num * BigInt(this.found);
  }

  get isEscalationDue(): boolean {
    const { every } = this.terms;
    if (every === undefined || this.round !== null || this.drawFor !== null) return false;
    if (!this.isOver && (this.batchesClosed === 0 || this.batchesClosed % every !== 0)) return false;
    return !this.limitUsedUp && this.freeDraws >= 2 && !this.certified.met;
  }

  get books(): Books {
    return booksOf(this.found, this.hits, this.credit, this.withheld);
  }

  get certified(): Certified {
    return certify(this.books, this.numbers.target!, this.boundary);
  }

  /** How many more positions escalations may show beyond what Alice gives up. */
  get allowance(): bigint {
    const limit: Fraction = decimal(this.limit!)!;
    return (limit.num * BigInt(this.labelledFalse)) / limit.den - BigInt(this.shownInEscalations);
  }
}

export function booksOf(found: number, hits: number, credit: bigint, withheld: readonly Doc[]): Books {
  const exposures = new Map<bigint, number>();
  for (const doc of withheld) exposures.set(doc.exposure, (exposures.get(doc.exposure) ?? 0) + 1);
  return { found, hits, credit, exposures };
}

/** Breaks off with a finding against Trent unless a condition holds. */
export function need(holds: boolean, check: string, rule: string, expected: string | null = null, found: string | null = null): asserts holds {
  if (!holds) throw new FaultFound(check, "trent", rule, expected, found);
}

/** The same, against whoever must have signed otherwise. */
export function needFrom(holds: boolean, check: string, blamed: Role, rule: string, expected: string | null = null, found: string | null = null): asserts holds {
  if (!holds) throw new FaultFound(check, blamed, rule, expected, found);
}

