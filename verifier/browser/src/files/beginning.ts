/**
 * How a file begins: enough to tell what it is, and whether a program has changed it on its way.
 */
import type { NamedFile } from "./named-files.ts";

const ENOUGH = 1 << 16;

/** The first bytes of a file, unpacked if it is packed. What cannot be unpacked ends them. */
export async function beginningOf(file: Pick<NamedFile, "stream">): Promise<Uint8Array> {
  const raw = await firstOf(file.stream());
  if (raw[0] !== 0x1f || raw[1] !== 0x8b) return raw;
  const unpack = new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
  return firstOf(inPieces(raw).pipeThrough(unpack));
}

/** A browser unpacks all of a piece before it stops, and a few bytes can unpack to a thousand times as many. */
const PIECE = 1 << 10;

function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += PIECE)));
      else controller.close();
    },
  });
}

async function firstOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = stream.getReader();
  const first = new Uint8Array(ENOUGH);
  let length = 0;
  try {
    for (let step = await reader.read(); !step.done && length < ENOUGH; step = await reader.read()) {
      const piece = step.value.subarray(0, ENOUGH - length);
      first.set(piece, length);
      length += piece.length;
    }
  } catch {
    // It is damaged, or gone: whoever reads all of it says so.
  }
  await reader.cancel().catch(() => undefined);
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
