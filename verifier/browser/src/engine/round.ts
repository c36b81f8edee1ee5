/** A round: its positions, what has happened to each, and the events in their order, so that the close can try them again. */

import { coin } from "./hash.ts";
import type { RoundSort } from "./verdict.ts";

/** What Alice claims for a position: privilege for all of it, for parts of it, or a class. */
export interface Claim {
  readonly basis: string | null;
  readonly class: string | null;
  readonly parts: readonly number[] | null;
}

/** Where a value is sealed: the number of an entry, and the index in its field. */
export interface Place {
  readonly entry: number;
  readonly index: number;
}

/** A document that was put up, as far as the copy tells of it, and where that was. */
export class Doc implements Place {
  number: number | null = null;
  name: string | null = null;
  /** The claim of the report that first labelled it; undefined where the copy hides it. */
  claim: Claim | null | undefined = null;
  claimPlace: Place | null = null;
  /** C in the books. */
  exposure = 0n;
  shown = false;
  privileged = false;
  /** The court labelled it not responsive in camera. */
  keptInCamera = false;

  constructor(
    readonly entry: number,
    readonly index: number,
    readonly isCalled: boolean,
  ) {}

  /** Alice claimed privilege for all of it, in the report that first labelled it. */
  get beforehand(): boolean {
    return this.claim != null && this.claim.class === null && this.claim.parts === null;
  }

  get isOut(): boolean {
    return this.shown || this.privileged || this.keptInCamera;
  }
}

/** What the court said of a position in camera. */
export const enum Camera {
  None,
  /** It lies before the court. */
  Asked,
  /** Withheld as privileged. */
  Upheld,
  Overruled,
  NotResponsive,
  Responsive,
  /** Unclear, and kept from Bob: privileged, or labelled not responsive. */
  Kept,
  /** Unclear, and goes to Bob: overruled, or labelled responsive. */
  Passed,
}

export type RoundEvent =
  | { readonly kind: "late"; readonly claims: ReadonlyMap<number, { readonly claim: Claim | undefined; readonly place: Place }> }
  | { readonly kind: "camera"; readonly entry: number; readonly positions: readonly number[] }
  | { readonly kind: "ruled in camera"; readonly positions: readonly number[]; readonly answers: readonly Camera[]; readonly parts: readonly (readonly number[])[] }
  | { readonly kind: "wave"; readonly entry: number; readonly positions: readonly number[] }
  | { readonly kind: "labels"; readonly positions: readonly number[]; readonly labels: readonly boolean[] }
  | { readonly kind: "unread"; readonly positions: readonly number[] }
  | { readonly kind: "rulings"; readonly positions: readonly number[]; readonly labels: readonly boolean[] };

const NONE = 255;

/** The state of all positions at one moment. Positions count from 1. */
export class Sheet {
  /** The wave that showed each position, from 1; 0 if none did. */
  readonly wave: Uint16Array;
  private readonly bobs: Uint8Array;
  private readonly rulings: Uint8Array;
  readonly camera: Uint8Array;
  readonly unread: Uint8Array;
  readonly late = new Map<number, { readonly claim: Claim | undefined; readonly place: Place }>();
  readonly withheldParts = new Map<number, readonly number[]>();
  waves = 0;
  /** Positions of which the copy does not tell if the court ruled on privilege or gave a label. */
  unclear = 0;

  constructor(readonly size: number) {
    this.wave = new Uint16Array(size + 1);
    this.bobs = new Uint8Array(size + 1).fill(NONE);
    this.rulings = new Uint8Array(size + 1).fill(NONE);
    this.camera = new Uint8Array(size + 1);
    this.unread = new Uint8Array(size + 1);
  }

  apply(event: RoundEvent): void {
    switch (event.kind) {
      case "late":
        for (const [position, late] of event.claims) this.late.set(position, late);
        break;
      case "camera":
        for (const position of event.positions) this.camera[position] = Camera.Asked;
        break;
      case "ruled in camera":
        event.positions.forEach((position, i) => {
          this.camera[position] = event.answers[i]!;
          if (this.isUnclear(position)) this.unclear++;
          if (event.parts[i]!.length > 0) this.withheldParts.set(position, event.parts[i]!);
        });
        break;
      case "wave":
        this.waves++;
        for (const position of event.positions) this.wave[position] = this.waves;
        break;
      case "labels":
        event.positions.forEach((position, i) => (this.bobs[position] = event.labels[i] ? 1 : 0));
        break;
      case "unread":
        // What the court has labelled is not unread, whoever is silent.
        for (const position of event.positions) if (!this.isLabelledInCamera(position)) this.unread[position] = 1;
        break;
      case "rulings":
        event.positions.forEach((position, i) => (this.rulings[position] = event.labels[i] ? 1 : 0));
    }
  }

  isShown(position: number): boolean {
    return this.wave[position] !== 0;
  }

  bob(position: number): boolean | null {
    const label = this.bobs[position]!;
    return label === NONE ? null : label === 1;
  }

  ruling(position: number): boolean | null {
    const label = this.rulings[position]!;
    return label === NONE ? null : label === 1;
  }

  isLabelledInCamera(position: number): boolean {
    const answer = this.camera[position]!;
    return answer === Camera.Responsive || answer === Camera.NotResponsive;
  }

  isUnclear(position: number): boolean {
    const answer = this.camera[position]!;
    return answer === Camera.Kept || answer === Camera.Passed;
  }

  isRuledInCamera(position: number): boolean {
    return this.camera[position]! > Camera.Asked;
  }

  /** Kept from Bob by the court, for whatever reason. */
  isKept(position: number): boolean {
    const answer = this.camera[position]!;
    return answer === Camera.Upheld || answer === Camera.NotResponsive || answer === Camera.Kept;
  }

  isPrivileged(position: number): boolean {
    return this.camera[position] === Camera.Upheld;
  }

  /** The settled label; null if it is not settled, or if the copy does not tell. `alice` is her label. */
  settled(position: number, alice: boolean | null): boolean | null {
    const answer = this.camera[position]!;
    if (answer === Camera.NotResponsive) return false;
    if (answer === Camera.Responsive) return true;
    if (!this.isShown(position)) return null;
    const ruling = this.ruling(position);
    if (ruling !== null) return ruling;
    const bob = this.bob(position);
    if (bob !== null) return answer === Camera.Passed && !bob ? null : bob;
    return this.unread[position] === 1 ? alice : null;
  }

  count(test: (position: number) => boolean): number {
    let count = 0;
    for (let position = 1; position <= this.size; position++) if (test(position)) count++;
    return count;
  }

  list(test: (position: number) => boolean): number[] {
    const positions: number[] = [];
    for (let position = 1; position <= this.size; position++) if (test(position)) positions.push(position);
    return positions;
  }
}

export interface ValidationBegun {
  readonly number: number;
  readonly stages: 1 | 2;
  readonly chance: bigint | null;
  readonly called: number;
  /** Before it: how many documents were never put up, how many the population has, and F. */
  readonly never: number;
  readonly population: number;
  readonly found: number;
}

export type ReportState = "on record" | "sealed" | "ordered away" | "awaited" | "none";

export class Round {
  readonly sheet: Sheet;
  readonly events: RoundEvent[] = [];
  /** What the court has ruled on. */
  readonly disputes: { readonly position: number; readonly bob: boolean | null; readonly ruling: boolean }[] = [];
  /** By position - 1; null where the copy does not tell which document it is. */
  readonly docs: (Doc | null)[];
  /** Where the documents of the positions are sealed, as this round releases them. */
  readonly places: (Place | null)[];
  /** Alice's labels by position - 1; null while there are none, or the copy hides them. */
  labels: (boolean | null)[] | null = null;
  /** What the reports claim, by position - 1; undefined where the copy hides it. */
  readonly claims: (Claim | null | undefined)[];
  readonly claimPlaces: (Place | null)[];
  reportedThreshold: number | null = null;
  report: ReportState = "none";
  reportEntry: number | null = null;
  reportSealsPrivilege = false;
  reportSealsLabels = false;
  reportOpensAllClaims = true;
  /** The draw whose coins decide about the positions; null if there is none. */
  draw: number | null = null;
  /** What that draw answers. */
  answers: Uint8Array | null = null;
  seed: Uint8Array | null = null;
  private coins: (bigint | undefined)[] = [];
  /** In an escalation: the positions that Alice gives up; null until she has looked, or the look is ordered away. */
  givenUp: ReadonlySet<number> | null = null;
  /** Positions whose claims the copy hides, and which went to the court: so they are claimed. */
  readonly toldClaimed = new Set<number>();
  lookOrderedAway = false;
  validation: ValidationBegun | null = null;
  /** In a validation: the positions whose documents were put up before. */
  reviewed: ReadonlySet<number> = new Set();
  nearCut: number | null = null;
  /** What lies before Bob or the court now. */
  wave: readonly number[] = [];
  dispute: readonly number[] = [];
  inCamera: readonly number[] = [];

  constructor(
    readonly number: number,
    readonly sort: RoundSort,
    readonly first: number,
    readonly size: number,
  ) {
    this.sheet = new Sheet(size);
    this.docs = new Array<Doc | null>(size).fill(null);
    this.places = new Array<Place | null>(size).fill(null);
    this.claims = new Array<Claim | null | undefined>(size).fill(null);
    this.claimPlaces = new Array<Place | null>(size).fill(null);
  }

  happen(event: RoundEvent): void {
    this.events.push(event);
    this.sheet.apply(event);
  }

  /** Alice's label as it counts: null below a threshold, and no report, are not responsive. Null where the copy hides it. */
  alice(position: number): boolean | null {
    return this.labelsShown ? this.labels![position - 1] === true : null;
  }

  /** Whether the copy shows Alice's labels of this round. */
  get labelsShown(): boolean {
    return this.labels !== null && this.sheet.unclear === 0;
  }

  settled(position: number, sheet: Sheet = this.sheet): boolean | null {
    return sheet.settled(position, this.alice(position));
  }

  /** The coin of a position; of a validation, that of its document's number. */
  coin(position: number): bigint {
    let value = this.coins[position];
    if (value === undefined) {
      const item = this.sort === "validation" ? this.docs[position - 1]!.number! : position;
      value = coin(this.seed!, item);
      this.coins[position] = value;
    }
    return value;
  }

  /** The claim of a position, of a report or late; undefined where the copy does not tell. */
  claim(position: number, sheet: Sheet = this.sheet): Claim | null | undefined {
    const late = sheet.late.get(position);
    return late === undefined ? this.claims[position - 1] : late.claim;
  }

  /** Whether Alice claims it, as far as the copy tells. */
  isClaimed(position: number, sheet: Sheet = this.sheet): boolean {
    return sheet.late.has(position) || this.claims[position - 1] != null;
  }
}
