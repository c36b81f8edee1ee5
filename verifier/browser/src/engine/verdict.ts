/**
 * What the engine returns: the verdict on a copy, how each of the 33 checks ended, the findings, and everything that a
 * report page shows.
 *
 * All values are plain data: they survive structured cloning (from a worker) and, since integers beyond 2^53 are
 * decimal texts, JSON as well.
 */

export type Role = "alice" | "bob" | "court" | "trent";
export type Party = "alice" | "bob" | "court";
export type Audience = "alice" | "bob" | "court" | "public";
export const ROLES: readonly Role[] = ["alice", "bob", "court", "trent"];

export type VerdictWord = "verified" | "not closed" | "rejected" | "undecided";
export type CheckOutcome = "pass" | "fail" | "not checked";
export type RoundSort = "batch" | "escalation" | "validation";

/** An integer that can exceed 2^53 (a coin, a chance), in decimal digits. */
export type BigText = string;

export interface Check {
  /** `V01` to `V33`. */
  readonly id: string;
  /** One word for it, such as `format`. */
  readonly name: string;
  /** The question that the check answers. */
  readonly question: string;
  readonly outcome: CheckOutcome;
  /** Why it was not checked, or why it fails; empty where it passes. */
  readonly reason: string;
  /** How much of it has passed, by the table of the specification: lines, entries, signatures, links, rounds, proofs and so on. */
  readonly items: number;
}

export interface Finding {
  readonly check: string;
  /** Who is proven to have broken the rule; null if nobody is blamed (V04, V23, or a key that the reader does not trust). */
  readonly blamed: Role | null;
  /** The fingerprint of the key under which the blamed party signed; null if nobody is blamed. */
  readonly key: string | null;
  /** The number of the entry, or null where the finding is not about an entry (the manifest, a checkpoint). */
  readonly entry: number | null;
  /** The rule as a sentence, as in the tables of the specification. */
  readonly rule: string;
  /** What the rule asks for, and what the copy has, where both can be said in a few words. */
  readonly expected: string | null;
  readonly found: string | null;
}

/** The file is not what somebody signed, or nobody can say what it is. Nobody is blamed for it. */
export interface Damage {
  readonly sort: "damage" | "unknown version";
  /** The line of the (uncompressed) file, counted from 1; null where it is about the whole file. */
  readonly line: number | null;
  readonly what: string;
}

export interface KeyInForce {
  readonly role: Role;
  /** Eight groups of five digits. */
  readonly fingerprint: string;
  /** The number of the entry that enrolled or granted it. */
  readonly since: number;
  /** The number of the entry that granted its successor, or null while it is in force. */
  readonly until: number | null;
  /** Whether the reader trusts it: null if the reader gave no fingerprint for the role. */
  readonly trusted: boolean | null;
}

export interface Caption {
  readonly case: string;
  readonly court: string;
  readonly request: string;
  readonly names: Readonly<Record<Role, string>>;
}

export interface Simulation {
  readonly alice: string;
  readonly bob: string;
  readonly court: string;
  readonly label: string;
  readonly seed: string;
  readonly responsive: number;
  readonly truth: string;
}

export interface ValidationTerms {
  readonly every: number;
  readonly window: number;
  readonly hits: number | null;
  readonly review: string | null;
  readonly yield: string | null;
  readonly show: string;
  readonly target: string;
  readonly viewer: "bob" | "court";
}

export interface Terms {
  readonly protocol: "spot-check" | "reveal-all" | "label" | "classifier";
  readonly batch: number;
  readonly rounds: number;
  readonly draws: number;
  readonly query: string;
  readonly doubt: string;
  readonly classes: { readonly names: readonly string[]; readonly share: string } | null;
  readonly validation: ValidationTerms | null;
  readonly witnesses: { readonly authorities: readonly string[]; readonly log: string | null } | null;
  /** Under `label` and `classifier`. */
  readonly delta?: string;
  readonly k?: number;
  /** Under `spot-check`. */
  readonly every?: number;
  readonly limit?: string;
  readonly rate?: string;
  readonly target?: string;
  readonly penalty?: "none" | "batch";
}

export interface Account {
  readonly containers: number;
  readonly custodians: number;
  readonly duplicates: number;
  readonly entered: number;
  readonly exceptions: number;
  readonly families: number;
  readonly first: string;
  readonly items: number;
  readonly last: string;
  readonly list: string;
  readonly parts: number;
  readonly protections: readonly string[];
  readonly reasons: Readonly<Record<string, number>>;
  readonly unread: number;
}

export interface Opening {
  readonly time: number;
  readonly caption: Caption | null;
  readonly simulation: Simulation | null;
  readonly documents: number;
  readonly unit: "family" | "document";
  readonly corpusRoot: string;
  readonly account: Account;
  readonly terms: Terms;
}

/** What became of a position when its round closed (or so far). */
export const enum Disposition {
  /** Not shown: labelled not responsive by Alice, and no coin drew it. Or the round is still open. */
  Withheld,
  Shown,
  /** Withheld as privileged: the court upheld the claim. */
  Privileged,
  /** The court labelled it not responsive in camera. */
  KeptInCamera,
  /** The copy does not tell. */
  Unknown,
}

/** What can be said of a position beside its disposition. */
export const enum Flag {
  /** Alice's label is true. */
  Reported = 1,
  /** Bob was shown it, and did not label it. */
  Unread = 2,
  /** Alice claimed it when the coins were fixed already. */
  Late = 4,
}

/** The positions of a round, column by column, since rows would be most of a report: item 0 is position 1. */
export interface PositionColumns {
  readonly disposition: Uint8Array;
  /** The wave that showed it to Bob, from 1; 0 if none did. */
  readonly wave: Uint16Array;
  /** What else is said of it, as far as the copy tells: a sum of `Flag`s. */
  readonly flags: Uint8Array;
  /** Where a coin decides about it, and the copy tells it: 1 + the place of its chance in `chances`. Else 0; empty if all are. */
  readonly chance: Uint32Array;
  readonly chances: readonly BigText[];
  /** The coin U, where a chance is given; empty if none is. */
  readonly coin: BigUint64Array;
}

export interface RoundReport {
  readonly round: number;
  readonly sort: RoundSort;
  /** The number of its close; null while it is open. */
  readonly closed: number | null;
  readonly size: number;
  /** `on record`, `sealed` (the copy hides it), `ordered away` (in an escalation, the second look), `awaited`, `none` (the round asks for no report). */
  readonly report: "on record" | "sealed" | "ordered away" | "awaited" | "none";
  readonly threshold: number | null;
  /** Under `classifier`: the position after which the whole batch was due. */
  readonly compelledAt: number | null;
  readonly sampled: number | null;
  readonly compelled: boolean | null;
  readonly shown: number;
  /** Positions that are settled as responsive among those shown, as far as the copy tells. */
  readonly found: number | null;
  readonly unread: number;
  /** Of a batch whose coins prove nothing, since something is unread: how many can be hidden. Null where the copy does not tell. */
  readonly unproven: number | null;
  /** How many disputes the court ruled on. */
  readonly disputes: number;
  /** How many rulings differ from Alice's labels. */
  readonly aliceErrors: number | null;
  readonly draw: number | null;
  /** In an escalation: how many Alice gave up, and the chance. */
  readonly givenUp: number | null;
  readonly chance: BigText | null;
  /** Of an escalation: its hits, how many can be hidden after it, whether the target is reached, and whether the limit lowered the chance. Null where the copy does not tell. */
  readonly after: { readonly hits: number; readonly atMost: number; readonly met: boolean; readonly lowered: boolean } | null;
  /** In a simulation: what the close states. */
  readonly truth: { readonly responsive: number; readonly revealed: number } | null;
  /** Null if the caller asked for no positions. */
  readonly positions: PositionColumns | null;
}

export interface ClawbackRow {
  readonly entry: number;
  readonly round: number;
  readonly position: number;
  readonly basis: string | null;
  readonly upheld: boolean | null;
  readonly ruledIn: number | null;
}

export interface PrivilegeRow {
  /** The court's ruling; null if the claim never went to the court, since its document was not due, or has not been ruled on so far. */
  readonly entry: number | null;
  readonly round: number;
  readonly position: number;
  readonly basis: string | null;
  readonly class: string | null;
  readonly claimedParts: readonly number[] | null;
  readonly late: boolean;
  /** Whether the court's answer is a ruling on the claim or a label of the document; `sealed` if the copy does not tell. */
  readonly answer: "ruling" | "label" | "sealed";
  readonly upheld: boolean | null;
  readonly upheldParts: readonly number[];
}

export type EventRow =
  | { readonly sort: "default"; readonly entry: number; readonly absent: Role; readonly asked: string; readonly round: number; readonly granted: boolean | null; readonly order: number | null }
  | { readonly sort: "new key"; readonly entry: number; readonly role: Role; readonly fingerprint: string; readonly granted: boolean | null; readonly order: number | null; readonly voided: { readonly entry: number; readonly kind: string } | null; readonly skipped: number | null }
  | { readonly sort: "amendment"; readonly entry: number; readonly rounds: number; readonly limit: string | null; readonly before: { readonly rounds: number; readonly limit: string | null }; readonly accepted: boolean | null; readonly order: number | null }
  | { readonly sort: "conflict"; readonly entry: number; readonly answer: number; readonly author: Role; readonly kind: string; readonly judged: boolean };

/** A part of the population of a validation: how many of it were looked at, and found, or left unread by Bob. */
export interface Stratum {
  readonly documents: number;
  readonly shown: number;
  readonly hits: number;
  readonly unread: number;
}

/** How many of a stratum are responsive: the estimate, and the ends of its interval. */
export interface Count {
  readonly point: number;
  readonly low: number;
  readonly high: number;
}

export interface Estimates {
  readonly never: Count;
  readonly withheld: Count;
  /** Of both together. */
  readonly both: Count;
}

export interface ValidationReport {
  readonly number: number;
  readonly round: number;
  readonly stages: 1 | 2;
  readonly chance: BigText | null;
  readonly called: number;
  readonly drawn: number;
  readonly hits: number | null;
  /** Documents found before it. */
  readonly found: number;
  readonly never: Stratum;
  readonly withheld: Stratum;
  /** Null where the total is. */
  readonly estimates: Estimates | null;
  readonly total: number | null;
  readonly atMost: number | null;
  readonly reached: boolean | null;
}

export interface Certificate {
  readonly found: number;
  readonly atMost: number | null;
  readonly doubt: string;
  readonly target: string | null;
  readonly reached: boolean | null;
  readonly unreviewed: number | null;
  readonly assumes: string;
}

export interface ClaimsReport {
  readonly guarantee: string;
  /** Null before the claims: then all this is what follows so far, and Trent has signed none of it. */
  readonly ended: string | null;
  /** As Trent claims them. */
  readonly reviewed: Certificate;
  readonly collection: Certificate;
  /** The content as Trent signed it; before the claims what `reviewed` and `privileged` will be, if nothing more comes. */
  readonly content: unknown;
}

export interface CheckpointReport {
  readonly size: number;
  readonly signed: readonly Role[];
}

export interface StampReport {
  readonly entry: number;
  readonly size: number;
  readonly root: string;
  /** The SHA-256 of the token, and whether the copy has the token itself. */
  readonly token: string;
  readonly present: boolean;
}

export interface LogReport {
  readonly entry: number;
  readonly size: number;
  readonly log: string;
  readonly index: BigText;
  readonly treeSize: BigText;
  /** Names on the lines of the note. */
  readonly signers: readonly string[];
}

export interface Verdict {
  readonly verdict: VerdictWord;
  readonly audience: Audience | null;
  /** How many entries the manifest states, and how many were read. */
  readonly size: number | null;
  readonly entriesRead: number;
  /** How many lines of the file there are up to the last entry that was replayed. */
  readonly replayedLines: number;
  /** The documents put up for review in closed rounds. */
  readonly reviewed: number;
  readonly matter: string | null;
  readonly head: string | null;
  readonly root: string | null;
  /** Null where the opening could not be read. */
  readonly isSimulation: boolean | null;
  readonly checks: readonly Check[];
  readonly findings: readonly Finding[];
  /** Who is blamed by any finding, each once, ascending. */
  readonly blamed: readonly Role[];
  readonly damage: Damage | null;
  /** Parties without whose signature the court let the matter end. */
  readonly endedWithout: readonly Party[];

  readonly keys: readonly KeyInForce[];
  readonly opening: Opening | null;
  readonly rounds: readonly RoundReport[];
  readonly privilege: readonly PrivilegeRow[];
  readonly clawbacks: readonly ClawbackRow[];
  readonly events: readonly EventRow[];
  /** How many questions were asked again after a new key. */
  readonly askedAgain: number;
  readonly validations: readonly ValidationReport[];
  readonly claims: ClaimsReport | null;
  readonly checkpoints: readonly CheckpointReport[];
  readonly stamps: readonly StampReport[];
  readonly logProofs: readonly LogReport[];
  /** Whom the matter waits for, where it is not closed. */
  readonly waitsFor: readonly Role[];
}

export interface Progress {
  readonly entries: number;
  /** The manifest's size, once it is known. */
  readonly size: number | null;
}

/** Fingerprints that the reader got elsewhere, by role. A role may have several. */
export type Trust = Readonly<Partial<Record<Role, readonly string[]>>>;

/** A document whose proof was followed to the corpus root: shown to Bob, or to the court in camera. */
export interface DocumentProven {
  readonly kind: "disclosure" | "camera";
  readonly round: number;
  readonly position: number;
  readonly name: string;
  readonly proof: unknown;
  /** For each part what it opens: hashes of content and text, or null where the part is withheld. */
  readonly parts: readonly ({ readonly content: string; readonly text: string; readonly name: string | null } | null)[];
}

/** The same in a few bytes, for who only counts them. */
export interface PlaceProven {
  readonly kind: "disclosure" | "camera";
  readonly round: number;
  readonly position: number;
  /** How many parts the document has. */
  readonly parts: number;
}

export interface VerifyOptions {
  readonly trust?: Trust;
  readonly signal?: AbortSignal;
  readonly progress?: (progress: Progress) => void;
  /** Leave the rows of positions out of the report (they are most of its size). */
  readonly withoutPositions?: boolean;
  /** Called for each document whose proof leads to the committed corpus. */
  readonly onProven?: (place: PlaceProven) => void;
  /** The same, with all that its proof tells. */
  readonly onDocument?: (document: DocumentProven) => void;
  /** A witness policy (C2SP tlog-policy), for V33: its text, or the bytes of its file. */
  readonly policy?: string | Uint8Array;
}

export type ComparisonResult = "two histories" | "undecided" | "same history" | "one continues the other";

export interface Comparison {
  readonly result: ComparisonResult;
  readonly blamed: readonly Role[];
  /** The number of the first entry that differs, for two histories. */
  readonly entry: number | null;
  readonly reason: string;
  readonly sizes: readonly [number, number];
  /** The key that both copies name as Trent's, and whether the reader trusts it; null if they name no key, or two. */
  readonly trent: { readonly key: string; readonly trusted: boolean | null } | null;
}
