/**
 * How a file begins: enough to tell what it is, and whether a program has changed it on its way.
 */
import { chunksOf, unpacked } from "../engine/source.ts";
import type { NamedFile } from "./named-files.ts";

const ENOUGH = 1 << 16;

/** The first bytes of a file, unpacked if it is packed. What cannot be unpacked ends them. */
export async function beginningOf(file: Pick<NamedFile, "stream">): Promise<Uint8Array> {
  const raw = await firstOf(chunksOf(file.stream()));
  return raw[0] === 0x1f && raw[1] === 0x8b ? firstOf(unpacked([raw])) : raw;
}

async function firstOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const first = new Uint8Array(ENOUGH);
  let length = 0;
  try {
    for await (const chunk of chunks) {
      const piece = chunk.subarray(0, ENOUGH - length);
      first.set(piece, length);
      length += piece.length;
      if (length === ENOUGH) break;
    }
  } catch {
    // It is damaged, or gone: whoever reads all of it says so.
  }
  return first.subarray(0, length);
}

/** As text, with the marks of text programs understood; null if it is none. */
export function textOf(bytes: Uint8Array): string | null {
  const label = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** What a program for mail or text has done to a copy on its way; null if none of that can be seen. */
export function changedOnItsWay(bytes: Uint8Array): string | null {
  const text = textOf(bytes);
  const again = "A program for mail or text did that. Ask for the file again, packed: as .jsonl.gz, or in a zip.";
  if (bytes[0] === 0xff || bytes[0] === 0xfe) return `It was saved as another kind of text (UTF-16). ${again}`;
  if (bytes[0] === 0xef) return `It was saved with a mark in front (a byte order mark). ${again}`;
  if (text?.split("\n")[0]?.endsWith("\r")) return `Its lines end as on Windows (CR LF). ${again}`;
  if (bytes.length > 0 && text?.startsWith('{"') !== true) return "It does not begin as a copy does. Perhaps another file has its name.";
  return null;
}
