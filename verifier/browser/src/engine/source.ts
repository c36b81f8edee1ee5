/** Where bytes come from: chunks of a file, compressed or not. */

import { concat } from "./bytes.ts";
import type { CopyVerifier } from "./engine.ts";
import { Torn } from "./failures.ts";

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The chunks of a stream, also where streams are not iterable. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
    // Whoever stops early lets the rest go.
    await stream.cancel().catch(() => undefined);
  }
}

/** So few bytes are unpacked at a time: a browser unpacks all that it is given, to a thousand times as much at worst. */
const BITE = 2 ** 14;

/**
 * What gzip holds. The next bytes are unpacked only when what came out of the ones before is used up. Throws what the source
 * throws, or `Torn`.
 */
export async function* unpacked(packed: Chunks): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
  const writer = writable.getWriter();
  let lost: { readonly error: unknown } | null = null;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* packed;
    } catch (error) {
      lost = { error };
      throw error;
    }
  };
  const feed = async (): Promise<void> => {
    for await (const chunk of source()) {
      for (let at = 0; at < chunk.length; at += BITE) await writer.write(chunk.subarray(at, at + BITE));
    }
    await writer.close();
  };
  // Whoever reads is told of a failure, on either side.
  feed().catch((error: unknown) => writer.abort(error).catch(() => undefined));
  try {
    yield* chunksOf(readable);
  } catch {
    throw (lost as { readonly error: unknown } | null)?.error ?? new Torn();
  }
}

/** Chunks with at least two bytes in the first one, so that it tells what the file is. */
async function* joinedStart(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | null = null;
  for await (const chunk of chunks) {
    if (held === null) {
      if (chunk.length >= 2) {
        held = new Uint8Array(0);
        yield chunk;
      } else if (chunk.length > 0) held = chunk;
    } else if (held.length > 0) {
      const joined: Uint8Array = new Uint8Array(held.length + chunk.length);
      joined.set(held);
      joined.set(chunk, held.length);
      held = joined.length >= 2 ? new Uint8Array(0) : joined;
      if (joined.length >= 2) yield joined;
    } else yield chunk;
  }
  if (held !== null && held.length > 0) yield held;
}

/** Pushes all of a file into a verifier. */
export async function pour(chunks: Chunks, verifier: Pick<CopyVerifier, "push" | "torn" | "isOver">): Promise<void> {
  const source = joinedStart(chunks);
  const start = await source.next();
  if (start.done === true) return;
  const isCompressed = start.value[0] === 0x1f && start.value[1] === 0x8b;
  if (!isCompressed) {
    await verifier.push(start.value);
    for await (const chunk of source) {
      if (verifier.isOver) return;
      await verifier.push(chunk);
    }
    return;
  }
  const trailer = new Trailer();
  const contents = unpacked(trailer.watch(start.value, source));
  for (;;) {
    const step = await contents.next().catch((error: unknown) => {
      if (error instanceof Torn) return null;
      throw error;
    });
    if (step === null) return verifier.torn();
    if (step.done === true) break;
    trailer.read(step.value);
    // A reading that has ended takes nothing more; but whether the file is whole, only its end tells.
    if (!verifier.isOver) await verifier.push(step.value);
  }
  if (!trailer.isRight) verifier.torn();
}

/**
 * The end of a gzip file states the checksum and the length of what it holds. Browsers refuse a second member, and bytes
 * behind the first one; Node reads on, so that all that was read is compared with the last eight bytes of the file. Only
 * an empty first member escapes that, and only in Node.
 */
class Trailer {
  private last = new Uint8Array(0);
  private checksum = -1;
  private length = 0;

  async *watch(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.keep(first);
    yield first;
    for await (const chunk of rest) {
      this.keep(chunk);
      yield chunk;
    }
  }

  private keep(chunk: Uint8Array): void {
    this.last = concat(this.last, chunk.subarray(-8)).slice(-8);
  }

  read(chunk: Uint8Array): void {
    let checksum = this.checksum;
    for (let i = 0; i < chunk.length; i++) checksum = CRC[(checksum ^ chunk[i]!) & 255]! ^ (checksum >>> 8);
    this.checksum = checksum;
    this.length += chunk.length;
  }

  get isRight(): boolean {
    if (this.last.length < 8) return false;
    const stated = new DataView(this.last.buffer);
    return stated.getUint32(0, true) === ~this.checksum >>> 0 && stated.getUint32(4, true) === this.length % 2 ** 32;
  }
}

const CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
