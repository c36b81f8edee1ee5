/** Requests of `--batch` for what is opened beside a copy. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { sample, sampled } from "../support/samples.ts";

type Answer = Record<string, unknown> & { verdict: string | null; outcomes: Record<string, string>; counts: Record<string, number>; error: string | null };

const scratch = mkdtempSync(join(tmpdir(), "batch-"));
after(() => rmSync(scratch, { recursive: true }));

function answers(...requests: object[]): Answer[] {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("");
  const { stdout, stderr, status } = spawnSync("node", ["dist/verify.mjs", "--batch"], { input, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, requests.length);
  return lines.map((line) => JSON.parse(line) as Answer);
}

sampled("a batch judges production volumes", async () => {
  const [production, against] = [sample("production", "volume1"), sample("copies", "spot-bob.jsonl")];
  const other = join(scratch, "volume");
  cpSync(production, other, { recursive: true });
  writeFileSync(join(other, "surplus.txt"), "x");
  symlinkSync("/nowhere", join(other, "link"));
  symlinkSync(".", join(other, "NATIVES", "loop"));
  writeFileSync(Buffer.concat([Buffer.from(other), Buffer.from("/\xff.txt", "latin1")]), "x");
  const [right, wrong, twice, missing, nothing, whole] = answers(
    { production, against },
    { production: other, against },
    { production, earlier: [production], against },
    { production: join(scratch, "none"), against },
    { production },
    { production, against: join(scratch, "none") },
  );
  assert.deepEqual([right?.verdict, right?.error, right?.["findings"], right?.["checks"], right?.["blamed"]], ["verified", null, [], [], []]);
  assert.deepEqual([right?.counts["P01"], right?.counts["P05"], right?.counts["P09"]], [1, 27, 0]);
  assert.equal(Object.keys(right?.outcomes ?? {}).join(), "P01,P02,P03,P04,P05,P06,P07,P08,P09");
  assert.deepEqual([wrong?.verdict, wrong?.["findings"], wrong?.["checks"]], ["rejected", Array.from({ length: 4 }, () => ["P03", ""]), ["P03"]]);
  assert.deepEqual([twice?.verdict, twice?.outcomes["P08"]], ["undecided", "not checked"]);
  for (const unread of [missing, nothing, whole]) {
    assert.equal(unread?.verdict, null);
    assert.notEqual(unread?.error, null);
  }
});

sampled("a batch judges privilege logs", async () => {
  const [log, against] = [sample("logs", "real.jsonl"), sample("copies", "real-bob.jsonl")];
  const [right, wrong, form, missing, folder] = answers(
    { privilege_log: log, against },
    { privilege_log: log, against: sample("copies", "spot-bob.jsonl") },
    { privilege_log: sample("work", "log.csv"), against },
    { privilege_log: join(scratch, "none"), against },
    { privilege_log: scratch, against },
  );
  assert.deepEqual([right?.verdict, right?.error], ["verified", null]);
  assert.ok(Number(right?.["documents"]) > 2);
  assert.deepEqual([wrong, form, missing, folder].map((answer) => [answer?.verdict, answer?.["documents"], typeof answer?.error]), [["undecided", null, "string"], ["undecided", null, "string"], [null, null, "string"], [null, null, "string"]]);
});

sampled("a batch judges V23 over a folder of handed documents", async () => {
  const file = sample("copies", "spot-bob.jsonl");
  const [some, wrong, empty] = ["some", "wrong", "empty"].map((name) => join(scratch, name)) as [string, string, string];
  cpSync(sample("production", "volume1", "NATIVES"), some, { recursive: true });
  for (const [name, to] of [["broken", "/nowhere"], ["loop", "."], ["again", "0001/ACME00000001.eml"]] as const) symlinkSync(to, join(some, name));
  cpSync(some, wrong, { recursive: true, verbatimSymlinks: true });
  writeFileSync(Buffer.concat([Buffer.from(wrong), Buffer.from("/\xff.txt", "latin1")]), "x");
  mkdirSync(empty);
  const [part, other, none, missing] = answers({ file, handed: some }, { file, handed: wrong }, { file, handed: empty }, { file, handed: join(scratch, "none") });
  assert.deepEqual([part?.verdict, part?.outcomes["V23"], part?.error], ["verified", "not checked", null]);
  assert.deepEqual([other?.verdict, other?.outcomes["V23"], other?.["checks"], other?.["blamed"]], ["rejected", "fail", ["V23"], []]);
  assert.deepEqual([none?.verdict, none?.outcomes["V23"]], ["verified", "not checked"]);
  assert.equal(missing?.verdict, null);
  assert.match(missing?.error ?? "", /ENOENT/);
});
