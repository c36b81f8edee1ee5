/** What keeps memory small: values that are built when asked for, bytes that are used again, documents that are let go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromUtf8, isHexOf, utf8 } from "../../src/engine/bytes.ts";
import { isObject, locate, locateLine, Unbuilt, type Json } from "../../src/engine/json.ts";
import { Known } from "../../src/engine/known.ts";
import { Lines } from "../../src/engine/lines.ts";
import { Doc } from "../../src/engine/round.ts";
import { openingsFault } from "../../src/engine/shapes.ts";

const lineOf = (values: string): Uint8Array => utf8(`{"entry":0,"openings":{"labels":{"indices":[0],"salts":"","values":${values}}}}`);

function openedBy(line: Uint8Array): unknown {
  const read = locateLine(line);
  assert.ok("value" in read, "error" in read ? read.error : "");
  const { openings } = read.value as unknown as { openings: { labels: { values: unknown } } };
  return openings.labels.values;
}

test("the values that a line opens are built one by one, as they stand there", () => {
  const values: Json[] = [true, null, 12, "é\n", [], { a: [1, { b: "x" }] }, "a text that is longer than the sixteen bytes of a key"];
  const unbuilt = openedBy(lineOf(JSON.stringify(values)));
  assert.ok(unbuilt instanceof Unbuilt);
  assert.equal(unbuilt.length, values.length);
  values.forEach((value, i) => {
    assert.equal(JSON.stringify(unbuilt.at(i)), JSON.stringify(value));
    assert.equal(fromUtf8(unbuilt.bytesAt(i)), JSON.stringify(value));
  });
  assert.equal(unbuilt.at(values.length), undefined);
});

test("only the values of a line's openings wait to be built", () => {
  const line = utf8('{"openings":{"labels":{"other":{"values":[1]},"values":[{"values":[1]}]}},"values":[1]}');
  const read = locateLine(line);
  assert.ok("value" in read && isObject(read.value));
  assert.deepEqual(read.value["values"], [1]);
  const unbuilt = openedBy(line);
  assert.ok(unbuilt instanceof Unbuilt);
  assert.equal(JSON.stringify(unbuilt.at(0)), '{"values":[1]}');
  const built = locate(line);
  assert.ok("value" in built);
  assert.ok(!JSON.stringify(built.value).includes("places"), "elsewhere all is built");
});

test("what is not canonical is refused in values that nobody asks for", () => {
  for (const values of ["[01]", "[1,]", '[{"b":1,"a":2}]', '["\\u000a"]', '["x]', "[1 ]", '[{"a":1,"a":1}]', "[tru]", "["]) {
    assert.ok("error" in locateLine(lineOf(values)), values);
  }
  const beyond = locateLine(lineOf("[[9007199254740992]]"));
  assert.ok("value" in beyond && beyond.beyond !== null);
});

test("a value may be 24 deep, whether it is built or not", () => {
  for (const read of [locate, locateLine]) {
    for (const [depth, fits] of [[24, true], [25, false]] as const) {
      const values = `[1,${"[".repeat(depth)}${"]".repeat(depth)}]`;
      const read24 = read(utf8(`{"openings":{"labels":{"indices":[0,1],"salts":"${"00".repeat(32)}","values":${values}}}}`));
      assert.ok("value" in read24);
      const fault = openingsFault((read24.value as { openings: never }).openings);
      assert.equal(fault, fits ? null : 'a value of the opened field "labels" is too deep');
    }
  }
});

test("a salt for each value, or one for all that stands there once", () => {
  const fault = (salts: string, count: number): string | null =>
    openingsFault({ labels: { indices: [...Array(count).keys()], salts, values: Array<Json>(count).fill(true) } });
  const [a, b] = ["0a".repeat(32), "0b".repeat(32)];
  for (const [salts, count] of [[a, 1], [a, 2], [a + b, 2], [a + a + b, 3]] as const) assert.equal(fault(salts, count), null);
  for (const [salts, count] of [[a + a, 2], [a + b, 3], [a + b, 1], ["", 1], [a.toUpperCase(), 1]] as const) {
    assert.equal(fault(salts, count), 'the salts of the opened field "labels" are of a wrong form');
  }
});

test("lines that are cut by chunks are put together in the same bytes", () => {
  const lines = new Lines();
  const texts: string[] = [];
  const buffers = new Set<ArrayBufferLike>();
  const chunk = new Uint8Array(3);
  const text = "first line\n\nsecond\nx\nthe fifth line\nand no newline";
  for (let at = 0; at < text.length; at += 3) {
    // The chunk's bytes are used again too: a line must not depend on those of an earlier chunk.
    const piece = utf8(text.slice(at, at + 3));
    chunk.set(piece);
    for (const line of lines.push(chunk.subarray(0, piece.length))) {
      texts.push(fromUtf8(line!)!);
      if (line!.length > 3) buffers.add(line!.buffer);
    }
  }
  assert.deepEqual(texts, text.split("\n").slice(0, -1));
  assert.equal(buffers.size, 1);
  assert.ok(lines.unfinished);
});

test("a line is as long as 2^24 bytes, and no longer", () => {
  const all = (length: number): (number | null)[] => {
    const lines = new Lines();
    const found: (number | null)[] = [];
    for (const chunk of [new Uint8Array(length - 1), utf8("x\n")]) for (const line of lines.push(chunk)) found.push(line && line.length);
    return found;
  };
  assert.deepEqual(all(2 ** 24), [2 ** 24]);
  assert.equal(all(2 ** 24 + 1)[0], null);
});

test("of a document that is out only the number is kept", () => {
  const known = new Known();
  const doc = (number: number | null, isOut: boolean): Doc => Object.assign(new Doc(3, 0, false), { number, shown: isOut });
  const numbers = [0, 7, 8, 4095, 4096, 2 ** 31 - 1];
  for (const number of numbers) known.add(number);
  for (const number of numbers) assert.ok(known.has(number));
  for (const number of [1, 6, 9, 4094, 4097, 2 ** 31 - 2]) assert.ok(!known.has(number));
  const withheld = doc(7, false);
  known.settle(withheld);
  known.settle(doc(8, true));
  known.settle(doc(null, false));
  assert.equal(known.get(7), withheld);
  assert.equal(known.get(8), undefined);
  known.settle(Object.assign(withheld, { privileged: true }));
  assert.equal(known.get(7), undefined);
  assert.ok(known.has(7) && known.has(8));
});

test("bytes are compared with hex without writing it", () => {
  const bytes = new Uint8Array([0, 1, 0x9a, 0xff]);
  assert.ok(isHexOf("00019aff", bytes));
  for (const text of ["00019afe", "00019AFF", "00019af", "00019aff0", ""]) assert.ok(!isHexOf(text, bytes));
});
