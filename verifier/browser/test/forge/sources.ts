/** The copies among the vectors that a forger can start from. */
import { inflateRawSync } from "node:zlib";
import { vectorFile, vectors } from "../engine/vectors.ts";
import { load, type Matter } from "./matter.ts";

interface Vector {
  readonly id: string;
  readonly copy: string;
  readonly other?: string;
}

export const cases = (vectors("transcripts.json").cases as Vector[]).filter((vector) => vector.other === undefined);
export const names: readonly string[] = [...new Set(cases.map(({ copy }) => copy))];

const read = new Map<string, Matter | null>();

/** What stands before and behind the one member of a file of gzip that has no name. */
const [BEFORE, BEHIND] = [10, 8];

/** The lines of a file, unpacked; null of one that is no whole file of gzip, with one member. */
function unpacked(bytes: Uint8Array): Uint8Array | null {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    const { buffer, engine } = inflateRawSync(bytes.subarray(BEFORE), { info: true }) as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } };
    return BEFORE + engine.bytesWritten + BEHIND === bytes.length ? new Uint8Array(buffer) : null;
  } catch {
    return null;
  }
}

/** A matter of the forger's own to change; null if the copy is too broken. */
export function matterOf(name: string): Matter | null {
  if (!read.has(name)) {
    const bytes = unpacked(vectorFile(name));
    read.set(name, bytes === null ? null : load(bytes));
  }
  const matter = read.get(name)!;
  return matter === null ? null : structuredClone(matter);
}
