/** What gzip holds is unpacked as fast as it is read, and no faster: a small file can hold very much. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { concat } from "../../src/engine/bytes.ts";
import { TORN, Torn } from "../../src/engine/failures.ts";
import { compareCopies, verifyCopy } from "../../src/engine/index.ts";
import { unpacked } from "../../src/engine/source.ts";
import { linesOf } from "../../src/files/lines.ts";
import { readStory } from "../../src/files/teller.ts";
import { vectorFile } from "./vectors.ts";

test("no more is unpacked than somebody reads", async () => {
  const given: number[] = [];
  const real = globalThis.DecompressionStream;
  globalThis.DecompressionStream = class extends TransformStream {
    constructor() {
      super({
        transform: (chunk: Uint8Array, controller) => {
          given.push(chunk.length);
          controller.enqueue(chunk);
        },
      });
    }
  } as unknown as typeof DecompressionStream;
  try {
    const contents = unpacked([new Uint8Array(2 ** 20)]);
    for (let read = 1; read <= 3; read++) {
      await contents.next();
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.ok(given.reduce((sum, length) => sum + length, 0) <= (read + 1) * 2 ** 14, `${given}`);
    }
    await contents.return(undefined);
  } finally {
    globalThis.DecompressionStream = real;
  }
});

test("whoever stops early lets the source go", async () => {
  let isReleased = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(gzipSync(Buffer.alloc(2 ** 20, 1)));
    } finally {
      isReleased = true;
    }
  }
  const contents = unpacked(source());
  await contents.next();
  await contents.return(undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(isReleased);
});

/** A packed copy that cannot be read beyond its first half. */
async function* unreadable(): AsyncGenerator<Uint8Array> {
  const packed = new Uint8Array(gzipSync(vectorFile("transcripts/valid-label-bob.jsonl")));
  yield packed.subarray(0, packed.length / 2);
  throw new RangeError("the file is gone");
}
const all = async (chunks: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of chunks);
};

test("a packed file that cannot be read is not damaged: whoever reads it is told why", async () => {
  const isGone = { name: "RangeError", message: "the file is gone" };
  await assert.rejects(all(unpacked(unreadable())), isGone);
  await assert.rejects(verifyCopy(unreadable()), isGone);
  const whole = vectorFile("transcripts/valid-label-bob.jsonl");
  await assert.rejects(compareCopies(unreadable(), [whole]), isGone);
  await assert.rejects(compareCopies([whole], unreadable()), isGone);
  const stream = (): ReadableStream<Uint8Array> => {
    const chunks = unreadable();
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    });
  };
  const file = { path: "copy.jsonl.gz", size: 1, read: async () => new Uint8Array(0), stream };
  await assert.rejects(all(linesOf(file)), isGone);
  await assert.rejects(readStory(file), isGone);
});

test("what cannot be unpacked is damage", async () => {
  const packed = new Uint8Array(gzipSync("x".repeat(99)));
  for (const torn of [new Uint8Array(100), packed.subarray(0, 20), concat(packed.subarray(0, 10), new Uint8Array(30).fill(255), packed)]) {
    await assert.rejects(all(unpacked([torn])), Torn);
  }
  const half = new Uint8Array(gzipSync(vectorFile("transcripts/valid-label-bob.jsonl"))).subarray(0, 2000);
  assert.equal((await verifyCopy([half])).damage?.what, TORN);
  assert.match((await compareCopies([half], [half])).reason, /compression is damaged/);
});
