import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { checkProduction } from "../../src/files/production.ts";
import { type NamedFile, fileOfBytes } from "../../src/files/named-files.ts";
import { vectorPath } from "../engine/vectors.ts";
import { changed, fileOnDisk, filesBelow } from "../support/disk.ts";
import { loadFileLines } from "../../src/files/load-file.ts";
import type { Manifest } from "../../src/files/volume.ts";
import { sample, sampled } from "../support/samples.ts";
import { Forged } from "../support/volumes.ts";

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

sampled("a load file or a list for return that is not the one of the manifest is compared too, and blames nobody", async () => {
  for (const [path, check] of [["DATA/VOL001.dat", "P07"], ["RETURN.csv", "P08"]] as const) {
    const files = volume();
    const text = await textOf(files, `VOL001/${path}`);
    const verdict = await checkProduction(changed(files, `VOL001/${path}`, utf8(text.replace(/e/g, "x"))), copy("spot-bob.jsonl"), {});
    assert.deepEqual(verdict.findings.map((finding) => [finding.check, finding.blamed]), [["P03", null], [check, null]]);
  }
});

sampled("a manifest that Trent did not sign fails P01, blames nobody, and nothing else is compared with it", async () => {
  const files = volume();
  const manifest = await textOf(files, "VOL001/MANIFEST.json");
  for (const change of [(text: string) => text.replace('"number":"ACME00000001"', '"number":"ACME00000009"'), (text: string) => text.replace('"size":38,"volume"', '"size":999,"volume"')]) {
    const verdict = await checkProduction(changed(files, "VOL001/MANIFEST.json", utf8(change(manifest))), copy("spot-bob.jsonl"), {});
    assert.equal(verdict.verdict, "rejected");
    assert.deepEqual(verdict.findings.map((finding) => [finding.check, finding.blamed]), [["P01", null]]);
    assert.ok(verdict.checks.every((check) => check.id === "P01" || check.outcome === "not checked"));
  }
});

sampled("a manifest that is not the canonical bytes, or has a field of another form, decides nothing", async () => {
  const files = volume();
  const manifest = await textOf(files, "VOL001/MANIFEST.json");
  const forms: readonly (readonly [string | RegExp, string])[] = [["", "\n"], ['"format":1', '"format":"1"'], ['"digits":8', '"digits":1000000000'], ['"begin":1,', '"begin":null,'], ['"next":28', '"next":"28"'], ['"volume":1}', '"volume":2}'], ['"prefix":"ACME"', '"prefix":"A/B"'], ['"size":38,"volume"', '"size":0,"volume"'], ['"next":28', '"next":100000001'], [/"position":\d+/, '"position":0'], [/"position":\d+/, '"position":2147483649'], [/"round":\d+/, '"round":0']];
  for (const [from, to] of forms) {
    const other = from === "" ? manifest + to : manifest.replace(from, to);
    assert.notEqual(other, manifest, to);
    const verdict = await checkProduction(changed(files, "VOL001/MANIFEST.json", utf8(other)), copy("spot-bob.jsonl"), {});
    assert.equal(verdict.verdict, "undecided", to);
  }
});

sampled("a file named MANIFEST.json inside a volume is a file too many, and what systems leave behind is none", async () => {
  const verdict = await checkProduction([...volume(), fileOfBytes("VOL001/NATIVES/MANIFEST.json", utf8("{}"))], copy("spot-bob.jsonl"), {});
  assert.deepEqual(verdict.findings.map((finding) => finding.check), ["P03"]);
  assert.ok(verdict.checks.every((check) => check.id === "P03" || check.outcome === "pass"));
  const left = await checkProduction([...volume(), fileOfBytes("VOL001/NATIVES/.DS_Store", utf8("x"))], copy("spot-bob.jsonl"), {});
  assert.equal(left.verdict, "verified");
});

test("a rejected copy rejects every volume, even one that cannot be read", async () => {
  const rejected = fileOnDisk(vectorPath("transcripts/alice-asks-back-a-number.jsonl.gz"), "copy.jsonl.gz");
  const { verdict, checks } = await checkProduction([fileOfBytes("VOL001/MANIFEST.json", utf8("{}"))], rejected, {});
  assert.equal(verdict, "rejected");
  assert.ok(checks.every((check) => check.outcome === "not checked"));
});

/** The findings where Trent signs a volume with something changed. */
async function found(change: (volume: Forged) => void): Promise<string[]> {
  const volume = await Forged.volume();
  change(volume);
  const { findings, verdict, reason } = await checkProduction(volume.in("VOL001"), copy("real-bob.jsonl"), {});
  assert.equal(reason, "");
  assert.equal(verdict, findings.length > 0 ? "rejected" : "verified");
  assert.ok(findings.every((finding) => finding.blamed === "trent"), JSON.stringify(findings));
  return findings.map((finding) => finding.check);
}

sampled("what Trent signs beyond the files of a volume fails P03", async () => {
  assert.deepEqual(await found(() => undefined), []);
  assert.deepEqual(await found((one) => one.put("NATIVES/0001/R-00000099.eml", "a mail that is withheld")), ["P03"]);
  assert.deepEqual(await found((one) => one.put("DATA/VOL001.opt", "an image")), ["P03"]);
  assert.deepEqual(await found(({ manifest }) => manifest.files.reverse()), ["P03"]);
});

sampled("a native or a text that lies elsewhere fails P05", async () => {
  for (const [kind, other] of [["native", "NATIVES/0002/R-00000001.eml"], ["text", "TEXT/0001/other.txt"]] as const) {
    const checks = await found((one) => {
      const record = one.manifest.records[0]!;
      const path = record[kind]!;
      one.move(path, other);
      record[kind] = other;
      one.put("DATA/VOL001.dat", one.text("DATA/VOL001.dat").replace(path.replaceAll("/", "\\"), other.replaceAll("/", "\\")));
    });
    assert.deepEqual(checks, ["P05"]);
  }
});

sampled("two columns of one name, or one without a name, fail P07", async () => {
  for (const name of ["ENDBATES", ""]) {
    const checks = await found((one) => {
      one.manifest.fields[0]!.called = name;
      one.put("DATA/VOL001.dat", one.text("DATA/VOL001.dat").replace("BEGBATES", name));
    });
    assert.deepEqual(checks, ["P07"]);
  }
});

sampled("a table fails that has a line end too few, or too many", async () => {
  for (const [path, check] of [["DATA/VOL001.dat", "P07"], ["RETURN.csv", "P08"]] as const) {
    assert.deepEqual(await found((one) => one.put(path, one.text(path).slice(0, -2))), [check]);
    assert.deepEqual(await found((one) => one.put(path, `${one.text(path)}\r\n`)), [check]);
  }
});

sampled("records that are not the parts that are due fail P04, and are compared with no other parts", async () => {
  const volume = await Forged.volume();
  const [first, second] = volume.manifest.records;
  volume.manifest.records.splice(0, 2, second!, first!);
  const { findings, checks } = await checkProduction(volume.in("VOL001"), copy("real-bob.jsonl"), {});
  assert.deepEqual(findings.map((finding) => finding.check), ["P04"]);
  assert.deepEqual(checks.filter((check) => check.outcome === "not checked").map((check) => check.id), ["P05", "P06", "P07"]);
});

/** The checks that fail and those that are left open where Trent signs the volume with something changed. */
async function judgedWith(change: (volume: Forged) => void): Promise<{ failed: string[]; open: string[] }> {
  const volume = await Forged.volume();
  change(volume);
  const { verdict: _, ...rest } = await judged(volume.in("VOL001"));
  return rest;
}

sampled("before the first record that is not due at its place the others are compared, and what is wrong there is found", async () => {
  const strange = ({ manifest }: Forged): void => void (manifest.records.at(-1)!.part += 1);
  const [P05, P06, P07] = ["P05", "P06", "P07"];
  assert.deepEqual(await judgedWith(strange), { failed: ["P04"], open: [P05, P06, P07] });
  const first = (one: Forged): string => one.manifest.records[0]!.number;
  const native = await judgedWith((one) => {
    strange(one);
    one.put(one.manifest.records[0]!.native!, "other");
  });
  assert.deepEqual(native, { failed: ["P04", P05], open: [P06, P07] });
  const slip = await judgedWith((one) => {
    strange(one);
    one.manifest.records[0]!.withheld = true;
  });
  assert.deepEqual(slip, { failed: ["P04", P06], open: [P05, P07] });
  for (const [number, failed, open] of [[first, ["P04", P07], [P05, P06]], [(one: Forged) => one.manifest.records.at(-1)!.number, ["P04"], [P05, P06, P07]]] as const) {
    const line = await judgedWith((one) => {
      strange(one);
      one.put("DATA/VOL001.dat", one.text("DATA/VOL001.dat").replace(`þ${number(one)}þ`, "þotherþ"));
    });
    assert.deepEqual(line, { failed, open });
  }
});

sampled("P07 reads the lines of the records that are compared to their ends, and nothing behind them", async () => {
  const noUtf8 = (text: string): Uint8Array => new Uint8Array([...utf8(text), 0xff]);
  const last = (text: string): number => text.lastIndexOf("\r\n", text.length - 3) + 2;
  const behind: readonly ((text: string) => string | Uint8Array)[] = [(text) => text.slice(0, -2), noUtf8, (text) => noUtf8(text.slice(0, last(text))), (text) => text.slice(0, last(text)), (text) => `${text}þmoreþ`];
  const before: typeof behind = [(text) => text.slice(0, last(text) - 2), (text) => noUtf8(text.slice(0, last(text) - 2)), (text) => text.slice(0, last(text) - 2) + text.slice(last(text) - 1)];
  const load = "DATA/VOL001.dat";
  const [P05, P06, P07] = ["P05", "P06", "P07"];
  for (const [forms, failed, open] of [[behind, ["P04"], [P05, P06, P07]], [before, ["P04", P07], [P05, P06]]] as const) {
    for (const form of forms) {
      const strange = await judgedWith((one) => {
        one.manifest.records.at(-1)!.part += 1;
        one.put(load, form(one.text(load)));
      });
      assert.deepEqual(strange, { failed, open }, String(form));
    }
  }
  for (const form of [...behind, ...before]) assert.deepEqual(await found((one) => one.put(load, form(one.text(load)))), [P07], String(form));
});

sampled("the line without its end is the one that P07 names", async () => {
  for (const isStrange of [true, false]) {
    const volume = await Forged.volume();
    const { records } = volume.manifest;
    const load = volume.text("DATA/VOL001.dat");
    volume.put("DATA/VOL001.dat", load.split("\r\n").slice(0, isStrange ? -2 : -1).join("\r\n"));
    if (isStrange) records.at(-1)!.part += 1;
    const { findings } = await checkProduction(volume.in("VOL001"), copy("real-bob.jsonl"), {});
    assert.match(findings.at(-1)!.what, new RegExp(`the line of ${records.at(isStrange ? -2 : -1)!.number} is not`));
  }
});

sampled("a record too few fails P04, and what is there is compared", async () => {
  const fewer = await judgedWith((one) => {
    const { number, text, native } = one.manifest.records.pop()!;
    one.remove(text);
    if (native !== null) one.remove(native);
    one.manifest.next -= 1;
    one.put("DATA/VOL001.dat", one.text("DATA/VOL001.dat").split("\r\n").filter((line) => !line.startsWith(`þ${number}`)).join("\r\n"));
  });
  assert.deepEqual(fewer, { failed: ["P04"], open: [] });
});

test("a single value stands in the load file as it is, and of several each without semicolons and blanks around it", () => {
  const rest = { custodians: [" Ann; Bob ", "", "Zoë"], paths: ["a;b", " c"], name: "x/y.txt" };
  const document = { round: 1, position: 1, document: 0, name: "y.txt", proof: { row: "", parts: [{ content: "00", rest, salt: "" }] } };
  const record = { number: "A1", document: 0, part: 0, round: 1, position: 1, withheld: false, text: "TEXT/0001/A1.txt", native: null };
  const fields = (["custodian", "all_custodians", "path", "all_paths"] as const).map((field) => ({ field, called: field }));
  const manifest = { fields, records: [record], prefix: "A", digits: 1, begin: 1 } as unknown as Manifest;
  assert.equal(loadFileLines(manifest, [{ document, part: 0 }])[1], ["þ Ann; Bob þ", "þAnn, Bob; Zoëþ", "þa;bþ", "þa,b; cþ"].join("\x14"));
});

/** A pair of volumes; the second names the first as it is after the change. */
async function pair(change: (first: Forged) => void = () => undefined, after: (second: Forged) => void = () => undefined): Promise<[Forged, Forged]> {
  const first = await Forged.volume();
  const second = await Forged.next(first);
  change(first);
  second.manifest.earlier[0]!.manifest = first.hash;
  after(second);
  return [first, second];
}

async function judged(...volumes: NamedFile[][]): Promise<{ verdict: string; failed: string[]; open: string[] }> {
  const { verdict, checks, findings } = await checkProduction(volumes.flat(), copy("real-bob.jsonl"), {});
  return { verdict, failed: [...new Set(findings.map((finding) => finding.check))], open: checks.filter((check) => check.outcome === "not checked").map((check) => check.id) };
}

sampled("an earlier volume is the one that the manifest names, with its numbers, size and head", async () => {
  const [first, second] = await pair();
  assert.deepEqual(await judged(second.in("b"), first.in("a")), { verdict: "verified", failed: [], open: [] });
  assert.deepEqual(await judged(second.in("b")), { verdict: "verified", failed: [], open: ["P09"] });
  const changes: ((one: Forged) => void)[] = [({ manifest }) => (manifest.head = "00".repeat(32)), ({ manifest }) => (manifest.size += 1), ({ manifest }) => (manifest.records[0]!.number = "R-00000009"), ({ manifest }) => manifest.records.pop()];
  for (const change of changes) {
    const [other, naming] = await pair(change);
    assert.deepEqual(await judged(naming.in("b"), other.in("a")), { verdict: "rejected", failed: ["P09"], open: [] });
  }
});

sampled("a volume that is made of fewer entries than the one before fails P02, and nothing is compared", async () => {
  const lines = readFileSync(sample("copies", "real-bob.jsonl"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { entry?: { body: { sequence: number; previous: string } } });
  const [, second] = await pair(undefined, ({ manifest }) => {
    manifest.size -= 1;
    manifest.head = lines.find(({ entry }) => entry?.body.sequence === manifest.size)!.entry!.body.previous;
  });
  const { findings } = await checkProduction(second.in("b"), copy("real-bob.jsonl"), {});
  assert.deepEqual(findings.map(({ what }) => what), ["volume 2 is made of fewer entries than the one before"]);
  assert.deepEqual(await judged(second.in("b")), { verdict: "rejected", failed: ["P02"], open: ["P03", "P04", "P05", "P06", "P07", "P08", "P09"] });
});

sampled("without the earlier volumes all of RETURN.csv but its numbers is compared", async () => {
  const [, second] = await pair();
  const back = second.text("RETURN.csv");
  second.put("RETURN.csv", back.replace(/""\r\n/, '"R-00000001-R-00000001"\r\n'));
  assert.deepEqual(await judged(second.in("b")), { verdict: "verified", failed: [], open: ["P09"] });
  second.put("RETURN.csv", back.slice(0, -2));
  assert.deepEqual(await judged(second.in("b")), { verdict: "rejected", failed: ["P08"], open: ["P09"] });
});

sampled("an earlier volume that cannot be read, or a second one of its number, leaves the answer open unless there is a finding", async () => {
  const [first, second] = await pair();
  const open = ["P08", "P09"];
  const unread = [fileOfBytes("c/MANIFEST.json", utf8("{}"))];
  assert.deepEqual(await judged(second.in("b"), unread), { verdict: "undecided", failed: [], open });
  assert.deepEqual(await judged(second.in("b"), first.in("a"), first.in("c")), { verdict: "undecided", failed: [], open });
  second.put("surplus.txt", "x", false);
  assert.deepEqual(await judged(second.in("b"), unread), { verdict: "rejected", failed: ["P03"], open });
});

sampled("an earlier volume has a signature, and the prefix and the digits of this one", async () => {
  const [first, second] = await pair((one) => (one.isSigned = false));
  assert.deepEqual(await judged(second.in("b"), first.in("a")), { verdict: "rejected", failed: ["P09"], open: [] });
  const { findings } = await checkProduction([...second.in("b"), ...first.in("a")], copy("real-bob.jsonl"), {});
  assert.deepEqual(findings.map(({ blamed }) => blamed), [null]);
  for (const change of [{ digits: 9 }, { prefix: "Q-" }]) {
    const one = await Forged.volume();
    const two = await Forged.next(one);
    Object.assign(two.manifest, change);
    const three = await Forged.next(one, two);
    assert.deepEqual(await judged(three.in("c"), two.in("b"), one.in("a")), { verdict: "rejected", failed: ["P09"], open: [] });
  }
});

sampled("numbers go on from each volume to the next", async () => {
  const one = await Forged.volume();
  const two = await Forged.next(one);
  const three = await Forged.next(one, two);
  assert.deepEqual(await judged(three.in("c"), two.in("b"), one.in("a")), { verdict: "verified", failed: [], open: [] });
  three.manifest.earlier[1]!.begin += 1;
  assert.deepEqual(await judged(three.in("c")), { verdict: "rejected", failed: ["P04"], open: ["P09"] });
});

sampled("the answer names every folder that is no earlier volume, or one of several with a number", async () => {
  const [first, second] = await pair();
  const { reason } = await checkProduction([...second.in("b"), ...first.in("a"), ...first.in("c"), ...second.in("d"), fileOfBytes("e/MANIFEST.json", utf8("{}"))], copy("real-bob.jsonl"), {});
  for (const sentence of [/a is one of 2 that are volume 1\./, /c is one of 2 that are volume 1\./, /d is none of the volumes before volume 2\./, /of e does not have/]) assert.match(reason, sentence);
});

sampled("an earlier volume that is not the one that is named gives no number to RETURN.csv, so nobody is blamed for one", async () => {
  const [first, second] = await pair();
  const [, document] = /^"\d+","\d+","(\d+)"/m.exec(second.text("RETURN.csv"))!;
  first.manifest.records[0]!.document = Number(document);
  const { findings } = await checkProduction([...second.in("b"), ...first.in("a")], copy("real-bob.jsonl"), {});
  assert.deepEqual(findings.map(({ check, blamed }) => [check, blamed]), [["P09", null]]);
});

sampled("a manifest of another format decides nothing", async () => {
  const files = volume();
  const manifest = await textOf(files, "VOL001/MANIFEST.json");
  const verdict = await checkProduction(changed(files, "VOL001/MANIFEST.json", utf8(manifest.replace('"format":1', '"format":2'))), copy("spot-bob.jsonl"), {});
  assert.equal(verdict.verdict, "undecided");
});
