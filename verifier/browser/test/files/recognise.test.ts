import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { beginningOf, changedOnItsWay } from "../../src/files/beginning.ts";
import { fileOfBytes } from "../../src/files/named-files.ts";
import { recognise } from "../../src/files/recognise.ts";

const file = (path: string, text: string) => fileOfBytes(path, new TextEncoder().encode(text));
const COPY = '{"manifest":{}}\n';
const KEYS = "alice 71931 93712 79461 86738 00949 48402 34418 57555\n";
const paths = (files: readonly { readonly path: string }[]): string[] => files.map((one) => one.path);

test("what was opened is told by what is inside", async () => {
  const found = await recognise([
    file("a.txt", "alice 71931 93712 79461 86738 00949 48402 34418 57555\n"),
    file("copy", '{"manifest":{}}\n'),
    file("log.jsonl", '{"format":1,"matter":"00","numbers":[],"path":""}\n'),
    file("E/exhibit.json", "{}"),
    file("E/document/text.txt", "x"),
    file("VOL001/MANIFEST.json", "{}"),
    file("VOL001/DATA/VOL001.dat", ""),
    file("received/q/question.json", "{}"),
    file("picture.png", "nothing"),
    file("MANIFEST.json", '{"manifest":{},"signature":""}'),
  ]);
  assert.deepEqual(found.trust.map((one) => one.path), ["a.txt"]);
  assert.deepEqual(found.copies.map((one) => one.path), ["copy"]);
  assert.deepEqual(found.proofs.map((one) => one.path), ["log.jsonl"]);
  assert.deepEqual(found.exhibits.map((one) => one.files.length), [2]);
  assert.equal(found.volumes.length, 2);
  assert.deepEqual(found.handed.map((one) => one.path), ["received/q/question.json"]);
  assert.deepEqual(found.unknown.map((one) => one.path), ["picture.png", "MANIFEST.json"]);
  assert.match(found.unknown[1]!.why, /open the whole folder/);
});

test("a folder that was sent with a copy gives its copy, and nothing that only the reader may say", async () => {
  const found = await recognise([file("F/a.jsonl", COPY), file("F/keys.txt", KEYS), file("F/policy", "log x\n")]);
  assert.deepEqual([paths(found.copies), paths(found.trust), paths(found.policies), paths(found.handed)], [["F/a.jsonl"], [], [], []]);
  assert.deepEqual(found.unknown.map((one) => one.why.slice(0, 19)), ["came with the copy.", "came with the copy."]);
});

test("a folder of documents stays one, even if a document has the name of a copy, or looks like fingerprints", async () => {
  const found = await recognise([file("F/a.jsonl", "{}"), file("F/letter.txt", "Dear Bob")]);
  assert.deepEqual([paths(found.copies), paths(found.handed)], [[], ["F/a.jsonl", "F/letter.txt"]]);
  const asked = ["Q/question.json", "Q/documents/a.jsonl"];
  assert.deepEqual(paths((await recognise(asked.map((path) => file(path, COPY)))).handed), asked);
  const only = await recognise([file("F/letter.txt", KEYS)]);
  assert.deepEqual([paths(only.trust), paths(only.handed)], [[], ["F/letter.txt"]]);
});

test("a folder with a copy and other things gives its copy, and documents beside it in a folder of their own stay documents", async () => {
  const many = Array.from({ length: 30 }, (_, n) => file(`M/${n}.txt`, "x"));
  const found = await recognise([file("F/a", COPY), file("F/letter.pdf", "%PDF"), file("F/b.zip", "PK"), file("F/note", ""), file("Q/question.json", "{}"), file("Q/documents/c.jsonl", COPY), ...many, file("M/d.jsonl", COPY)]);
  assert.deepEqual([paths(found.copies), paths(found.handed)], [["F/a", "M/d.jsonl"], ["Q/question.json", "Q/documents/c.jsonl"]]);
  const why = (path: string) => found.unknown.find((one) => one.path === path)?.why ?? "";
  assert.match(why("F/letter.pdf"), /^was left aside, since a copy lies beside it\. If it is a document that you were handed, open the folder/);
  assert.match(why("F/b.zip"), /unpack it first/);
  assert.match(why("F/note"), /is empty/);
  const zips = await recognise([file("x.zip/b.zip", "PK")]);
  assert.deepEqual([zips.handed.length, zips.unknown[0]?.why.slice(0, 40)], [0, "is a zip within a zip: unpack it first, "]);
});

test("of a file only the beginning is read", async () => {
  let read = 0;
  const endless = { path: "a.jsonl", size: 1e12, read: () => Promise.reject(new Error("all of it was read")), stream: () => new ReadableStream<Uint8Array>({ pull: (controller) => void controller.enqueue(new Uint8Array(10_000).fill(32 + (read++ % 2))) }) };
  assert.deepEqual(paths((await recognise([endless])).copies), ["a.jsonl"]);
  assert.ok(read < 20, `${read} pieces were read`);
});

test("a packed file that is cut off is known by what is left of it", async () => {
  const whole = gzipSync(COPY + "x".repeat(1000) + Array.from({ length: 2000 }, (_, n) => n).join());
  assert.deepEqual(paths((await recognise([fileOfBytes("a.bin", new Uint8Array(whole.subarray(0, 1500)))])).copies), ["a.bin"]);
});

test("what a program did to a copy on its way is told where it can be seen", async () => {
  const told = async (bytes: Uint8Array) => changedOnItsWay(await beginningOf(fileOfBytes("a", bytes)));
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.equal(await told(bytes(COPY)), null);
  assert.match((await told(bytes("\uFEFF" + COPY)))!, /byte order mark/);
  assert.match((await told(bytes(COPY.replace("\n", "\r\n"))))!, /CR LF/);
  assert.match((await told(new Uint8Array(Buffer.from("\uFEFF" + COPY, "utf16le"))))!, /UTF-16/);
  assert.match((await told(bytes("<html>")))!, /another file has its name/);
});
