/** What a record says of its documents: each round, what was put up in it, shown, claimed, disputed and settled. */
import type { Proof } from "./proof.ts";

export type Sort = "batch" | "escalation" | "validation" | "call";
export type Basis = string | { readonly class: string } | { readonly basis: string; readonly parts: readonly number[] };

/** Where a document stands in the record: its round, and its position there, counted from 1. */
export interface Place {
  readonly round: number;
  readonly position: number;
}

export interface Named {
  readonly document: number;
  readonly name: string;
}

export interface Shown {
  readonly entry: number;
  readonly wave: number;
  /** The place under which the document was first put up, as far as the releases tell. */
  readonly place: Place;
  /** The proof that came with it; null where this copy does not open it. */
  readonly proof: Proof | null;
}

export interface CameraRuling {
  readonly entry: number;
  readonly upheld: boolean;
  readonly parts: readonly number[];
  readonly reason: string;
}

export interface Dispute {
  readonly entry: number;
  ruling: boolean | null;
  ruledIn: number | null;
  reason: string;
}

export interface Round {
  readonly number: number;
  readonly sort: Sort;
  readonly entry: number;
  readonly size: number;
  readonly drawn: boolean;
  readonly validation: number | null;
  /** By position: what the copy names; null or missing where it is sealed. In an escalation, by the place. */
  names: (Named | null)[];
  numbers: readonly number[] | null;
  /** The commitment to a batch's numbers, which the proofs of a privilege log open. */
  readonly numbersCommitment: string | null;
  reviewed: readonly number[];
  /** The places of positions that were put up before: an escalation's, and the second half of a call's. */
  places: readonly Place[] | null;
  /** By position: where what a validation puts up again was put up before, and the entry in which Alice reported on it. */
  readonly before: Map<number, Place & { readonly report: number | undefined }>;
  report: { readonly entry: number; readonly labels: readonly (boolean | null)[] | null; readonly threshold: number | null } | null;
  readonly claims: Map<number, Basis>;
  readonly lateClaims: Set<number>;
  givenUp: readonly number[];
  /** The entry of Alice's second look. */
  look: number | null;
  readonly camera: Map<number, CameraRuling | null>;
  readonly cameraProofs: Map<number, Proof>;
  readonly shown: Map<number, Shown>;
  readonly bob: Map<number, { readonly entry: number; readonly label: boolean; readonly reason: string }>;
  readonly disputed: Map<number, Dispute>;
  close: { readonly entry: number; readonly content: Content } | null;
  waves: number;
}

export interface Reclaimed extends Place {
  readonly entry: number;
  readonly basis: Basis | null;
  ruling: { readonly entry: number; readonly upheld: boolean; readonly reason: string } | null;
}

export interface Story {
  readonly audience: string;
  readonly matter: string;
  readonly size: number;
  /** The hash of each entry, in order. */
  readonly hashes: readonly string[];
  readonly opening: Content;
  readonly rounds: readonly Round[];
  readonly reclaims: readonly Reclaimed[];
  readonly claims: Content | null;
}

export type Content = Readonly<Record<string, unknown>>;
