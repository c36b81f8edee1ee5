/** What has passed of each check is counted again from the lines of the copy, by the table of the specification. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { concat, unhex, utf8, verifyCopy } from "../../src/engine/index.ts";
import { vectorFile, vectors } from "./vectors.ts";

/* eslint-disable @typescript-eslint/no-explicit-any */

/** How often an object has a text under this name, at any depth. */
function texts(value: any, name: string): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + (key === name && typeof item === "string" ? 1 : texts(item, name)), 0);
}

function counted(bytes: Uint8Array): Record<string, number> {
  const text = new TextDecoder().decode(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const entries = lines.filter((line) => "entry" in line).map(({ entry, openings }) => ({ ...entry.body, ...entry.body.statement, signature: entry.body.signature, openings }));
  const notes = lines.filter((line) => "checkpoint" in line).map(({ checkpoint }) => checkpoint.split("\n— ").length - 1);
  const ofKind = (...kinds: string[]): any[] => entries.filter(({ kind }) => kinds.includes(kind));
  const sum = (list: any[], of: (entry: any) => number): number => list.reduce((total, entry) => total + of(entry), 0);
  const opens = ({ sealed, openings }: any): boolean => ["labels", "threshold"].every((name) => !(name in sealed) || name in openings);
  const rounds = ofKind("closed").map(({ round }) => round).filter((number) => ofKind("report").every((report) => report.round !== number || opens(report)));
  const closed = rounds.length;
  return {
    V01: lines.length,
    V02: entries.length,
    V03: 1 + sum(entries, ({ signature }) => (signature === null ? 1 : 2)) + notes.reduce((a, b) => a + b, 0),
    V04: 4 + sum(ofKind("rekeyed"), ({ content }) => Number(content.granted)),
    V05: entries.length,
    V06: sum(entries, ({ openings }) => sum(Object.values(openings), ({ values }) => values.length)),
    V07: ofKind("open", "agreed", "deposited").length,
    V08: sum(entries, ({ content }) => texts(content, "link")),
    V09: ofKind("batch").length,
    V12: ofKind("report").filter(opens).length,
    V13: closed,
    V14: sum(ofKind("camera", "disclosure"), ({ openings }) => openings.proofs?.values.length ?? 0),
    V15: ofKind("labels", "dispute", "rulings").length,
    V16: closed,
    V17: sum(ofKind("claims"), ({ content }) => Object.keys(content).length),
    V18: ofKind("closed").length,
    V19: ofKind("conflict").filter(({ openings }) => "evidence" in openings).length,
    V20: (notes.at(-1) ?? 1) - 1,
    V25: sum(ofKind("camera"), ({ round, content }) => (rounds.includes(round) ? content.positions.length : 0)) + sum(ofKind("reclaim"), ({ content }) => content.documents.length),
    V26: ofKind("default", "order", "rekey", "rekeyed", "amend", "amended").length,
    V27: ofKind("escalation", "look").length,
    V28: ofKind("validation", "call").length,
    V29: ofKind("claims").length,
    V31: ofKind("stamped", "logged").length,
    V33: ofKind("logged").length,
  };
}

const passed = new Map<string, number>();

for (const { id, copy, other, trust } of vectors("transcripts.json").cases) {
  if (other !== undefined) continue;
  test(`counts of ${id}`, async () => {
    const { checks } = await verifyCopy([vectorFile(copy)], { trust });
    const passing = checks.filter((check) => check.outcome === "pass");
    if (passing.length === 0) return;
    const expected = counted(vectorFile(copy));
    for (const check of passing) {
      assert.equal(check.items, expected[check.id], check.id);
      passed.set(check.id, Math.max(passed.get(check.id) ?? 0, check.items));
    }
  });
}

test("counts of proofs that satisfy a policy", async () => {
  const copy = vectorFile("transcripts/valid-witnessed-bob.jsonl.gz");
  const log = /"log":"([^"]+)"/.exec(gunzipSync(copy).toString())![1];
  const { checks } = await verifyCopy([copy], { policy: `log ${log}\nquorum none\n` });
  const { outcome, items } = checks.find(({ id }) => id === "V33")!;
  assert.deepEqual([outcome, items], ["pass", counted(copy)["V33"]]);
  assert.ok(items > 0);
  // A file of other bytes is another policy, or none.
  const given = utf8(`log ${log}\nquorum none\n`);
  for (const [bytes, says] of [[given, "pass"], [concat(unhex("efbbbf")!, given), "not checked"], [concat(utf8("# "), unhex("ff")!, utf8("\n"), given), "not checked"]] as const) {
    const check = (await verifyCopy([copy], { policy: bytes })).checks.find(({ id }) => id === "V33")!;
    assert.equal(check.outcome, says, check.reason);
  }
});

test("each check that passes has something to count in some vector", () => {
  const counts = Object.fromEntries(passed);
  const nothing = Object.entries(counts).filter(([, most]) => most === 0);
  assert.deepEqual(nothing, []);
  assert.ok(passed.size >= 20, `${passed.size} checks pass in some vector`);
});
