import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkProduction } from "../../src/files/production.ts";
import type { NamedFile } from "../../src/files/named-files.ts";
import { changed, fileOnDisk, filesBelow } from "../support/disk.ts";
import { sample, sampled } from "../support/samples.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const volume = (): NamedFile[] => filesBelow(sample("production", "volume1"), "VOL001/");
const copy = (name: string): NamedFile => fileOnDisk(sample("copies", name), name);

async function textOf(files: readonly NamedFile[], path: string): Promise<string> {
  const file = files.find((one) => one.path === path);
  assert.ok(file);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.read());
}

for (const name of ["spot-bob", "spot-alice", "spot-court"]) {
  sampled(`the sample volume is verified against ${name}`, async () => {
    const verdict = await checkProduction(volume(), copy(`${name}.jsonl`), {});
    assert.equal(verdict.verdict, "verified", verdict.reason + JSON.stringify(verdict.findings.slice(0, 2)));
    assert.ok(verdict.checks.every((check) => check.outcome === "pass"));
  });
}

sampled("outcomes and counts are those of the Python verifier", async () => {
  const answer = JSON.parse(readFileSync(sample("production", "volume1.json"), "utf8")) as { verdict: string; checks: { check: string; outcome: string; items: number }[] };
  const verdict = await checkProduction(volume(), copy("spot-bob.jsonl"), {});
  assert.equal(verdict.verdict, answer.verdict);
  assert.deepEqual(
    verdict.checks.map((check) => [check.id, check.outcome, Number.parseInt(check.detail, 10)]),
    answer.checks.map((check) => [check.check, check.outcome, check.items]),
  );
});

sampled("a public copy shows no documents, so nothing is decided", async () => {
  assert.equal((await checkProduction(volume(), copy("spot-public.jsonl"), {})).verdict, "undecided");
});

sampled("a copy of another matter decides nothing", async () => {
  const verdict = await checkProduction(volume(), copy("label-bob.jsonl.gz"), {});
  assert.equal(verdict.verdict, "undecided");
  assert.match(verdict.reason, /another matter/);
});

sampled("a folder without a manifest decides nothing", async () => {
  assert.equal((await checkProduction(changed(volume(), "VOL001/MANIFEST.json", null), copy("spot-bob.jsonl"), {})).verdict, "undecided");
});

sampled("a native that was changed fails P03, and nobody is blamed", async () => {
  const verdict = await checkProduction(changed(volume(), "VOL001/NATIVES/0001/ACME00000001.eml", utf8("other")), copy("spot-bob.jsonl"), {});
  assert.equal(verdict.verdict, "rejected");
  assert.deepEqual([...new Set(verdict.findings.map((finding) => [finding.check, finding.blamed].join()))], ["P03,"]);
});

sampled("a file that is missing fails P03", async () => {
  const verdict = await checkProduction(changed(volume(), "VOL001/TEXT/0001/ACME00000002.txt", null), copy("spot-bob.jsonl"), {});
  assert.deepEqual(verdict.findings.map((finding) => finding.check), ["P03"]);
});

sampled("a file that was added fails P03", async () => {
  const verdict = await checkProduction(changed(volume(), "VOL001/NATIVES/0001/EXTRA.exe", utf8("x")), copy("spot-bob.jsonl"), {});
  assert.match(verdict.findings[0]?.what ?? "", /EXTRA\.exe is not in the manifest/);
});

sampled("a changed load file is not the one of the manifest, and its fields are not checked", async () => {
  const files = volume();
  const dat = await textOf(files, "VOL001/DATA/VOL001.dat");
  const verdict = await checkProduction(changed(files, "VOL001/DATA/VOL001.dat", utf8(dat.replace("halden", "hidden"))), copy("spot-bob.jsonl"), {});
  assert.equal(verdict.verdict, "rejected");
  assert.equal(verdict.checks.find((check) => check.id === "P07")?.outcome, "not checked");
});

sampled("a manifest that Trent did not sign fails P01, and blames nobody for anything", async () => {
  const files = volume();
  const manifest = await textOf(files, "VOL001/MANIFEST.json");
  const verdict = await checkProduction(changed(files, "VOL001/MANIFEST.json", utf8(manifest.replace('"number":"ACME00000001"', '"number":"ACME00000009"'))), copy("spot-bob.jsonl"), {});
  assert.equal(verdict.verdict, "rejected");
  assert.ok(verdict.findings.some((finding) => finding.check === "P01"));
  assert.ok(verdict.findings.some((finding) => finding.check === "P04"));
  assert.ok(verdict.findings.every((finding) => finding.blamed === null));
});

sampled("a manifest of another format decides nothing", async () => {
  const files = volume();
  const manifest = await textOf(files, "VOL001/MANIFEST.json");
  const verdict = await checkProduction(changed(files, "VOL001/MANIFEST.json", utf8(manifest.replace('"format":1', '"format":2'))), copy("spot-bob.jsonl"), {});
  assert.equal(verdict.verdict, "undecided");
});
