import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { verifyCopy } from "../../src/engine/index.ts";
import type { DocumentProven, Verdict } from "../../src/engine/verdict.ts";
import { checkHanded, documentsAmong, withHanded } from "../../src/files/handed.ts";
import { chunksOfFile, fileOfBytes } from "../../src/files/named-files.ts";
import { filesInZip } from "../../src/files/zip.ts";
import { emptyDesk, open } from "../../src/page/desk.ts";
import { type PageFile, pageFile } from "../../src/page/drop.ts";
import { fileOnDisk, filesBelow } from "../support/disk.ts";
import { sample, sampled } from "../support/samples.ts";

async function bob(): Promise<{ verdict: Verdict; documents: DocumentProven[] }> {
  const documents: DocumentProven[] = [];
  const copy = fileOnDisk(sample("copies", "spot-bob.jsonl"), "spot-bob.jsonl");
  const verdict = await verifyCopy(chunksOfFile(copy), { onDocument: (document) => documents.push(document) });
  return { verdict, documents };
}

sampled("a folder with other files, and without some documents, fails V23 as the Python verifier says", async () => {
  const { verdict, documents } = await bob();
  const handed = await checkHanded(filesBelow(sample("production", "volume1")), documents);
  const judged = withHanded(verdict, handed, documents.length);
  assert.equal(judged.verdict, "rejected");
  const finding = judged.findings.find((one) => one.check === "V23");
  assert.equal(finding?.blamed, null);
  assert.match(finding?.expected ?? "", /^one of the \d+ contents that the record discloses$/);
  assert.match(finding?.found ?? "", /^other content in DATA\/VOL001\.dat, .* and \d+ more; no file has the content of /);
});

sampled("files that are all disclosed documents pass, as far as all are there", async () => {
  const { verdict, documents } = await bob();
  const natives = filesBelow(sample("production", "volume1", "NATIVES"));
  const handed = await checkHanded(natives, documents);
  assert.ok(handed.files.every((file) => file.part !== null));
  const shown = new Set(handed.files.map((file) => file.sha256));
  const those = documents.filter((document) => document.parts.every((part) => part !== null && shown.has(part.content)));
  const judged = withHanded(verdict, await checkHanded(natives, those), those.length);
  assert.equal(judged.checks.find((check) => check.id === "V23")?.outcome, "pass");
  assert.equal(judged.verdict, "verified");
});

sampled("V23 stays open where no file is wrong, and some content has no file", async () => {
  const { verdict, documents } = await bob();
  const judged = withHanded(verdict, await checkHanded(filesBelow(sample("production", "volume1", "NATIVES")), documents), documents.length);
  const check = judged.checks.find((one) => one.id === "V23");
  assert.equal(check?.outcome, "not checked");
  assert.match(check?.reason ?? "", /^no file has the content of .* and \d+ more$/);
  assert.deepEqual([judged.verdict, judged.findings], ["verified", []]);
});

sampled("V23 stays open where the record discloses nothing", async () => {
  const { verdict } = await bob();
  const judged = withHanded(verdict, await checkHanded([], []), 0);
  assert.equal(judged.checks.find((check) => check.id === "V23")?.outcome, "not checked");
});

test("a part in which a withheld part lies, at any depth, counts by its text, and every other open part by its content", async () => {
  const part = (name: string, parent?: number) => ({ content: hashOf(`${name} bytes`), text: hashOf(`${name} text`), rest: {}, salt: "", ...(parent === undefined ? {} : { log: { parent } }) });
  const withheld = { body: "", rest: "", salt: "", log: { parent: 1 } };
  const parts = [part("mail"), part("inner", 0), withheld, part("note", 0)];
  const document = { kind: "disclosure", round: 1, position: 1, name: "mail.eml", proof: { row: "", parts }, parts: [] } as unknown as DocumentProven;
  const files = ["mail text", "inner text", "note bytes", "mail bytes", "inner bytes", "note text"].map((text) => fileOfBytes(text, Buffer.from(text)));
  const { files: looked, missing } = await checkHanded(files, [document]);
  assert.deepEqual(looked.filter((file) => file.part !== null).map((file) => file.path), ["mail text", "inner text", "note bytes"]);
  assert.deepEqual(missing, []);
});

test("of a question only its documents are looked at", () => {
  const paths = ["q/question.json", "q/README.txt", "q/documents/0001-r1-memo.txt", "q/texts/0001.txt", "other/loose.txt"];
  const files = paths.map((path) => fileOfBytes(path, new Uint8Array()));
  assert.deepEqual(documentsAmong(files).map((file) => file.path), ["q/documents/0001-r1-memo.txt", "other/loose.txt"]);
});

test("a zip of a question is read like its folder", async () => {
  const zip = zipOf([["question.json", "{}"], ["documents/0001-r1-memo.txt", "a memo ".repeat(50)]]);
  const files = await filesInZip("mail.zip", zip);
  assert.deepEqual(files.map((file) => file.path), ["mail.zip/question.json", "mail.zip/documents/0001-r1-memo.txt"]);
  assert.equal(new TextDecoder().decode(await files[1]!.read()), "a memo ".repeat(50));
});

test("a zip that says another size is refused", async () => {
  const zip = zipOf([["a.txt", "hello"]], 3);
  await assert.rejects(filesInZip("bad.zip", zip), /larger than it says/);
});

test("nothing more of a zip is unpacked once its reader gives it up", async () => {
  const zip = zipOf([["a.txt", "hello"], ["b.txt", "hello"]]);
  const giving = new AbortController();
  assert.equal((await filesInZip("whole.zip", zip, giving.signal)).length, 2);
  giving.abort();
  await assert.rejects(filesInZip("left.zip", zip, giving.signal), { name: "AbortError" });
});

test("a zip is refused before it fills the memory, and so is one that two programs would unpack differently", async () => {
  // The sizes lie, and would be found out by unpacking: the list alone is enough to refuse them.
  const many = zipOf([["a.txt", "x"], ["b.txt", "x"], ["c.txt", "x"]], 2 ** 29);
  await assert.rejects(filesInZip("large.zip", many), /more than this page unpacks/);
  await assert.rejects(filesInZip("two.zip", zipOf([["a.txt", "x"], ["a.txt", "y"]])), /two files of one name/);
  await assert.rejects(filesInZip("cut.zip", zipOf([["a.txt", "x"]]).subarray(0, 40)), /is cut off, or damaged/);
});

test("all zips that are opened together share one room, wherever they lie", async () => {
  const zipped = (path: string): PageFile => {
    const bytes = zipOf([["question.json", "{}"], ["documents/a.txt", "a memo ".repeat(10)]]);
    return pageFile(path, new File([bytes as Uint8Array<ArrayBuffer>], "q.zip"));
  };
  const opened = (left: number) => open(emptyDesk(), [zipped("q1.zip"), zipped("questions/q2.zip")], new AbortController().signal, () => false, { left });
  // Each has 72 bytes in it, and is itself larger than that.
  const size = zipped("q1.zip").size;
  assert.deepEqual((await opened(size + 72)).left, []);
  assert.deepEqual((await opened(size + 71)).left.map(({ path }) => path), ["questions/q2.zip"]);
  assert.match((await opened(size - 1)).left[0]!.why, /larger than what this page unpacks/);
});

test("what macOS adds to a zip is left out, and the backslashes of Windows lead into folders", async () => {
  const files = await filesInZip("a.zip", zipOf([["__MACOSX/._copy.jsonl", "x"], ["matter\\copy.jsonl", "y"]]));
  assert.deepEqual(files.map((file) => file.path), ["a.zip/matter/copy.jsonl"]);
});

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A small zip, deflated; `size` lies about the size of every file. */
function zipOf(files: readonly (readonly [string, string])[], size?: number): Uint8Array {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, text] of files) {
    const data = deflateRawSync(Buffer.from(text));
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(size ?? text.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name), data);
    central.push(entry, Buffer.from(name));
    at += 30 + name.length + data.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...locals, list, end]));
}
