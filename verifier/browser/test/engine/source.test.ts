/** What gzip holds is unpacked as fast as it is read, and no faster: a small file can hold very much. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { unpacked } from "../../src/engine/source.ts";

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

test("a failure of the source is told, and so is damage", async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(gzipSync("x")).subarray(0, 8);
    throw new RangeError("the file is gone");
  }
  const all = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const _ of chunks);
  };
  await assert.rejects(all(unpacked(failing())));
  await assert.rejects(all(unpacked([new Uint8Array(100)])));
  await assert.rejects(all(unpacked([new Uint8Array(gzipSync("x".repeat(99))).subarray(0, 20)])));
});
