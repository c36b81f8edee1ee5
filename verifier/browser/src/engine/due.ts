/**
 * Which openings are due: what the copy's audience must hold, by the seals and the releases of the chain.
 *
 * Openings are not signed one by one, so what is wrong here is at first a suspicion; the manifest decides at the end.
 */

import { isHexOf } from "./bytes.ts";
import { commitment } from "./hash.ts";
import { isObject, type Json, type Unbuilt, hasOwn } from "./json.ts";
import { hasExactly, isAscending, isHash, isNatural, joinedSalts, saltAt, type Body, type Openings } from "./shapes.ts";
import type { Audience } from "./verdict.ts";

const CLOSED = 0;
const OPENED = 1;
const RELEASED = 2;

/** A sealed field of an entry, as far as releases are concerned. */
interface Field {
  /** CLOSED, OPENED or RELEASED for each commitment. */
  readonly state: Uint8Array;
  readonly ours: boolean;
}

export interface Reference {
  readonly attachment: string;
  readonly size: number;
}

/** Reads a reference to an attachment; null if the value is none, "wrong" if it has not the form of one. */
export function referenceOf(value: Json): Reference | "wrong" | null {
  if (!isObject(value) || !hasOwn(value, "attachment")) return null;
  if (!hasExactly(value, ["attachment", "size"])) return "wrong";
  const { attachment, size } = value;
  return isHash(attachment) && isNatural(size) ? { attachment, size } : "wrong";
}

/** Whether a value can have the key "attachment": keys ascend, so one that begins with a letter after "a" rules it out. */
function mayRefer(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b && bytes[2]! <= 0x61;
}

export class DueOpenings {
  private readonly entries = new Map<number, Map<string, Field>>();
  private readonly sizes = new Map<string, number>();
  /** How many values are opened that are neither sealed for this audience nor released to it yet. */
  private waiting = 0;

  constructor(private readonly audience: Audience) {}

  /**
   * Looks at the openings and releases of an entry.
   * `unmatched` is true if an opening does not match a commitment of the entry.
   */
  look(body: Body, openings: Openings<Unbuilt>): { suspicion: string | null; unmatched: boolean; references: Reference[] } {
    const { statement } = body;
    let suspicion: string | null = null;
    let unmatched = false;
    const references: Reference[] = [];
    const suspect = (what: string): void => {
      suspicion ??= what;
    };
    const fields = new Map<string, Field>();
    for (const [name, sealed] of Object.entries(statement.sealed)) {
      const ours = (sealed.audiences as readonly string[]).includes(this.audience);
      fields.set(name, { state: new Uint8Array(sealed.commitments.length), ours });
    }
    for (const [name, opened] of Object.entries(openings)) {
      const field = fields.get(name);
      const sealed = hasOwn(statement.sealed, name) ? statement.sealed[name] : undefined;
      if (field === undefined || sealed === undefined) {
        unmatched = true;
        suspect(`\`${name}\` is opened, and nothing is sealed under this name`);
        continue;
      }
      if (!isAscending(opened.indices)) suspect(`the opened indices of \`${name}\` are not ascending`);
      const salts = joinedSalts(opened)!;
      opened.indices.forEach((index, i) => {
        const expected = sealed.commitments[index];
        const bytes = opened.values.bytesAt(i);
        if (expected === undefined || !isHexOf(expected, commitment(saltAt(salts, i), bytes))) {
          unmatched = true;
          suspect(`value ${index} of \`${name}\` does not match its commitment`);
          return;
        }
        field.state[index] = OPENED;
        if (!field.ours) this.waiting++;
        if (statement.author === "trent" && mayRefer(bytes)) this.refer(opened.values.at(i)!, references, suspect);
      });
    }
    for (const [name, field] of fields) {
      if (field.ours && field.state.includes(CLOSED)) suspect(`\`${name}\` is sealed for ${this.audience}, and not opened as a whole`);
    }
    for (const release of body.releases) {
      if (release.audience === this.audience) this.release(release.entry, release.field, release.indices, suspect);
    }
    if (fields.size > 0) this.entries.set(body.sequence, fields);
    return { suspicion, unmatched, references };
  }

  private refer(value: Json, references: Reference[], suspect: (what: string) => void): void {
    const reference = referenceOf(value);
    if (reference === null) return;
    if (reference === "wrong") {
      suspect("a reference to an attachment does not have its form");
      return;
    }
    const before = this.sizes.get(reference.attachment);
    if (before === undefined) {
      this.sizes.set(reference.attachment, reference.size);
      references.push(reference);
    } else if (before !== reference.size) suspect("two references to one attachment state two sizes");
  }

  private release(entry: number, name: string, indices: readonly number[] | null, suspect: (what: string) => void): void {
    const field = this.entries.get(entry)?.get(name);
    if (field === undefined) {
      suspect(`\`${name}\` of entry ${entry} is released, and nothing is sealed there under this name`);
      return;
    }
    if (field.ours) {
      suspect(`\`${name}\` of entry ${entry} is released, and sealed for ${this.audience} anyway`);
      return;
    }
    const all = indices ?? Array.from(field.state.keys());
    for (const index of all) {
      const state = field.state[index];
      if (state === OPENED) {
        field.state[index] = RELEASED;
        this.waiting--;
      } else {
        suspect(
          state === RELEASED
            ? `value ${index} of \`${name}\` of entry ${entry} is released twice`
            : `value ${index} of \`${name}\` of entry ${entry} is released, and not opened in this copy`,
        );
        return;
      }
    }
  }

  /** Whether everything that is opened was sealed for this audience or released to it. */
  get allReleased(): boolean {
    return this.waiting === 0;
  }
}
