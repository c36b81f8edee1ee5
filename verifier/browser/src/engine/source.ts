/** Where bytes come from: chunks of a file, compressed or not. */

import type { CopyVerifier } from "./engine.ts";

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

function streamOf(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  let next: Uint8Array | null = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next !== null) {
        controller.enqueue(next);
        next = null;
        return;
      }
      const { done, value } = await rest.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await rest.return(undefined);
    },
  });
}

/** Pushes all of a file into a verifier. */
export async function pour(chunks: Chunks, verifier: Pick<CopyVerifier, "push" | "breakOff" | "isOver">): Promise<void> {
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
  const gunzip = new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
  const reader = streamOf(start.value, source).pipeThrough(gunzip).getReader();
  for (;;) {
    let result: ReadableStreamReadResult<Uint8Array>;
    try {
      result = await reader.read();
    } catch {
      await verifier.breakOff("the file's compression is damaged");
      return;
    }
    if (result.done) return;
    // A reading that has ended takes nothing more; what is left is read to its end, since Node cannot cancel here.
    if (!verifier.isOver) await verifier.push(result.value);
  }
}
