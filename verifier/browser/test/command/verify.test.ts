/** The command of Node's: how it is called wrongly, and that one bad request does not end a batch. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { vectorFile, vectorPath } from "../engine/vectors.ts";
import { logKeyOf } from "../support/policy.ts";

const COPY = vectorPath("transcripts/valid-label-bob.jsonl");
const WITNESSED = vectorPath("transcripts/valid-witnessed-bob.jsonl.gz");
const folder = mkdtempSync(join(tmpdir(), "tallystick-command-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/* eslint-disable @typescript-eslint/no-explicit-any */

function run(args: readonly string[], input = ""): { code: number | null; said: string; answers: any[] } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/verify.mjs", ...args], { input, encoding: "utf8" });
  return { code: status, said: stderr, answers: stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)) };
}

function written(name: string, bytes: string | Uint8Array): string {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

const log = /"log":"([^"]+)"/.exec(gunzipSync(vectorFile("transcripts/valid-witnessed-bob.jsonl.gz")).toString())![1];
const policy = `log ${log}\nquorum none\n`;

test("a policy or fingerprints that cannot be used are wrong usage, said in a sentence", () => {
  const cases = [
    ["--policy", join(folder, "missing"), /cannot read the policy/],
    ["--policy", folder, /cannot read the policy/],
    ["--policy", written("latin", new Uint8Array([0x23, 0xe9, 0x0a, ...new TextEncoder().encode(policy)])), /no text in UTF-8/],
    ["--policy", written("words", "hello\n"), /is no policy: line 1/],
    ["--policy", written("marked", `\uFEFF${policy}`), /is no policy: line 1/],
    ["--trust", join(folder, "missing"), /cannot read the fingerprints/],
  ] as const;
  for (const [option, path, sentence] of cases) {
    const { code, said, answers } = run([option, path, COPY]);
    assert.equal(code, 2, `${option} ${path}: ${said}`);
    assert.match(said, sentence);
    assert.doesNotMatch(said, /^\s+at /m);
    assert.deepEqual(answers, []);
  }
});

test("what is no request is answered with an error, and the batch goes on", () => {
  const bad = [
    "null", "5", '"file"', "[]", "{", "{}", '{"file":5}', '{"file":"a\\u0000b"}', '{"copy":5}', '{"copy":"?"}', '{"compare":5}', '{"compare":["a"]}', '{"compare":["a",5]}', '{"exhibit":5}', '{"exhibit":"a\\u0000b"}',
    ...['{"alice":"71931"}', '{"alice":[5]}', '{"alice":null}', '{"carol":[]}', "[]", "5"].map((trust) => `{"file":${JSON.stringify(COPY)},"trust":${trust}}`),
    `{"file":${JSON.stringify(COPY)},"policy":5}`,
    `{"file":${JSON.stringify(COPY)},"policy":"hello"}`,
    `{"file":${JSON.stringify(COPY)},"handed":5}`,
    ...['"production":5', '"production":"a","earlier":"b"', '"production":"a","earlier":[5]', '"privilege_log":["a"]'].map((field) => `{${field},"against":${JSON.stringify(COPY)}}`),
    '{"production":"a"}', '{"production":"a","against":5}', '{"privilege_log":"a","against":{}}',
  ];
  const { code, said, answers } = run(["--batch"], `${[...bad, JSON.stringify({ file: COPY, trust: null, policy: null })].join("\n")}\n`);
  assert.equal(code, 0, said);
  assert.equal(answers.length, bad.length + 1);
  for (const [i, line] of bad.entries()) {
    assert.equal(typeof answers[i].error, "string", line);
    assert.equal(answers[i].verdict, null, line);
  }
  assert.equal(answers.at(-1).verdict, "verified");
});

test("the policy of a batch counts for each request that brings none, as the fingerprints do", () => {
  const path = written("policy", policy);
  const other = `log ${logKeyOf("other.example")}\nquorum none\n`;
  const requests = [{ file: WITNESSED }, { file: WITNESSED, policy: other }];
  const { answers } = run(["--policy", path, "--batch"], requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  assert.deepEqual(answers.map(({ outcomes }) => outcomes.V33), ["pass", "not checked"]);
  const without = run(["--batch"], `${JSON.stringify({ file: WITNESSED })}\n`);
  assert.equal(without.answers[0].outcomes.V33, "not checked");
});
