import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { fileOfBytes } from "../../src/files/named-files.ts";
import { type PrivilegeLogVerdict, checkPrivilegeLog } from "../../src/files/privilege-log.ts";
import { fileOnDisk } from "../support/disk.ts";
import { sample, sampled } from "../support/samples.ts";

type Head = { format: unknown; matter: string; numbers: { round: number; value: number[] }[]; path: string };
type Row = { position: number; proof: { parts: { log?: unknown; body?: string }[] } };

const log = (): string => readFileSync(sample("logs", "real.jsonl"), "utf8");

async function check(bytes: Uint8Array | string, copy = "real-bob.jsonl"): Promise<PrivilegeLogVerdict> {
  const file = fileOfBytes("log.jsonl", typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  return checkPrivilegeLog(file, fileOnDisk(sample("copies", copy), copy), {});
}

/** The log with its values changed, written as it was: in the order of the keys. */
function rewritten(change: (head: Head, rows: Row[]) => void): string {
  const [head, ...rows] = log().trimEnd().split("\n").map((line) => JSON.parse(line) as unknown) as [Head, ...Row[]];
  change(head, rows);
  return [head, ...rows].map((line) => `${JSON.stringify(line)}\n`).join("");
}

sampled("the proofs of a log are verified against Bob's copy", async () => {
  const { verdict, rows, reason } = await check(log());
  assert.equal(verdict, "verified", reason);
  assert.equal(rows.length, log().split("\n").length - 2);
  assert.ok(rows.length > 2);
});

sampled("a file that is not lines of canonical JSON, each with its end, decides nothing", async () => {
  const whole = log();
  const utf8 = Buffer.from(whole);
  const files = [whole.slice(0, -1), `${whole}x`, `${whole}\0`, whole.replaceAll("\n", "\r\n"), gzipSync(utf8), gzipSync(utf8).subarray(0, -9), Buffer.from(whole, "utf16le"), Buffer.concat([utf8, Buffer.from([0xff, 10])]), ""];
  for (const [index, file] of files.entries()) assert.equal((await check(file)).verdict, "undecided", `file ${index}`);
});

sampled("a file that does not have its form decides nothing, and one that does is rejected if it is wrong", async () => {
  const forms: ((head: Head, rows: Row[]) => void)[] = [
    (head) => (head.format = "1"),
    (head) => (head.format = true),
    (head) => (head.path = "zz"),
    (head) => (head.path = head.path.toUpperCase()),
    (head) => (head.path += "00"),
    (head) => head.numbers.push(head.numbers[0]!),
    (head) => (head.numbers[0]!.round = 0),
    (_, rows) => rows.push(rows.at(-1)!),
    (_, rows) => rows.reverse(),
    (_, rows) => (rows[0]!.position = 0),
    (_, rows) => (rows[0]!.proof.parts[0]!.log = null),
    (_, rows) => (rows[0]!.proof.parts = []),
  ];
  for (const change of forms) assert.equal((await check(rewritten(change))).verdict, "undecided", String(change));
  const wrong: ((head: Head, rows: Row[]) => void)[] = [
    (head) => (head.path += "00".repeat(32)),
    (head) => head.numbers[0]!.value.reverse(),
    (head) => head.numbers.pop(),
    (_, rows) => rows.pop(),
    (_, rows) => (rows[0]!.proof.parts[0]!.body = "00".repeat(32)),
  ];
  for (const change of wrong) assert.equal((await check(rewritten(change))).verdict, "rejected", String(change));
});

sampled("a log of another matter decides nothing, and one that is another's and has not its form says that", async () => {
  const other = await check(rewritten((head) => (head.matter = "00".repeat(32))));
  assert.equal(other.verdict, "undecided");
  assert.match(other.reason, /another matter/);
  for (const round of [0, 2 ** 31 + 1]) assert.match((await check(rewritten((head) => Object.assign(head.numbers[0]!, { round })), "spot-public.jsonl")).reason, /does not have its form/);
});

sampled("the public copy decides nothing about a log", async () => {
  const { verdict, reason } = await check(log(), "spot-public.jsonl");
  assert.equal(verdict, "undecided");
  assert.match(reason, /public copy/);
});
