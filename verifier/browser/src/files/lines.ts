/**
 * The lines of a copy, one after the other, from a `.jsonl` or `.jsonl.gz` file, without keeping the file in memory.
 *
 * Only for copies that the engine has read before: a line is taken as it is, and its form is not judged again.
 */
import { unpacked } from "../engine/source.ts";
import { type NamedFile, chunksOfFile } from "./named-files.ts";

const NEWLINE = 10;

/** A stranger chose how long a line is. Those of a copy are far shorter; one with the numbers of all batches can be long. */
const LONGEST = 1 << 28;

/** The first so many lines, or all. */
export async function* linesOf(file: NamedFile, most = Infinity): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let held = 0;
  const chunks = await opened(file);
  if (most === 0) return;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      yield decoder.decode(joined(parts));
      if (--most === 0) return;
      parts = [];
      held = 0;
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.slice(start));
    held += chunk.length - start;
    if (held > LONGEST) throw new RangeError(`${file.path} has a line that is too long to be read`);
  }
}

/** The file's bytes, unpacked if it begins with the two bytes of gzip. */
async function opened(file: NamedFile): Promise<AsyncIterable<Uint8Array>> {
  const peek = file.stream().getReader();
  const { value } = await peek.read();
  await peek.cancel().catch(() => undefined);
  const packed = value !== undefined && value[0] === 0x1f && value[1] === 0x8b;
  const chunks = chunksOfFile(file);
  return packed ? unpacked(chunks) : chunks;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const first = parts[0];
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
