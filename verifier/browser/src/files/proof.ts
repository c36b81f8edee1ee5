/**
 * The proof of a document, as the sealed field `proofs` holds it (specification, "The corpus").
 */

export interface OpenPart {
  readonly content: string;
  readonly log?: PartLog;
  readonly rest: PartRest;
  readonly salt: string;
  readonly text?: string;
}

export interface WithheldPart {
  readonly body: string;
  readonly log?: PartLog;
  readonly rest: string;
  readonly salt: string;
}

export interface PartLog {
  readonly author?: string;
  readonly date?: string;
  readonly recipients?: string;
  readonly type?: string;
  readonly parent?: number;
}

export interface PartRest {
  readonly custodians?: readonly string[];
  readonly extraction?: { readonly options?: string; readonly tool?: string };
  readonly fields?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly pages?: number;
  readonly paths?: readonly string[];
}

export type Part = OpenPart | WithheldPart;

export interface Proof {
  readonly parts: readonly Part[];
  readonly row: string;
}

export function isOpen(part: Part): part is OpenPart {
  return "content" in part;
}

/** The SHA-256 of an open part's text: `text` is left out where it equals `content`. */
export function textHash(part: OpenPart): string {
  return part.text ?? part.content;
}

export function parentOf(parts: readonly Part[], index: number): number | null {
  return parts[index]?.log?.parent ?? null;
}

/** Does a withheld part lie inside this one, at any depth? Then its bytes may hold that part's bytes. */
export function holdsWithheld(parts: readonly Part[], index: number): boolean {
  return parts.some((part, j) => {
    if (isOpen(part)) return false;
    for (let up = parentOf(parts, j); up !== null; up = parentOf(parts, up)) {
      if (up === index) return true;
      if (up >= j) return false; // a parent is an earlier part; anything else would go round for ever
    }
    return false;
  });
}
