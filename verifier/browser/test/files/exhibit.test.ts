import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checkExhibit } from "../../src/files/exhibit.ts";
import type { NamedFile } from "../../src/files/named-files.ts";
import { changed, filesBelow } from "../support/disk.ts";
import { sample, sampled } from "../support/samples.ts";

const NAMES = ["reported", "ruled", "withheld", "again"];
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function exhibit(name: string): NamedFile[] {
  return filesBelow(sample("exhibits", name));
}

async function text(files: readonly NamedFile[], path: string): Promise<string> {
  const file = files.find((one) => one.path === path);
  assert.ok(file, path);
  return new TextDecoder().decode(await file.read());
}

for (const name of NAMES) {
  sampled(`the exhibit ${name} gets the answer of the Python verifier`, async () => {
    const expected = JSON.parse(readFileSync(sample("exhibits", `${name}.json`), "utf8")) as { verdict: string };
    const verdict = await checkExhibit(exhibit(name), {});
    assert.equal(verdict.verdict, expected.verdict, verdict.trouble);
  });
}

sampled("the story has the sentences of the Python verifier", async () => {
  const flat = (words: string): string => words.replace(/\s+/g, " ");
  for (const name of NAMES) {
    const expected = flat(readFileSync(sample("exhibits", `${name}.txt`), "utf8"));
    const verdict = await checkExhibit(exhibit(name), {});
    // Of the chance of an escalation the page says less: the whole record tells it.
    for (const sentence of verdict.story.filter((one) => !one.includes("One chance held for all"))) assert.ok(expected.includes(sentence), `${name}: ${sentence}`);
  }
});

sampled("a changed byte of the document is damage, and nobody is blamed", async () => {
  const files = exhibit("withheld");
  const verdict = await checkExhibit(changed(files, "document/text.txt", utf8("other")), {});
  assert.equal(verdict.verdict, "undecided");
  assert.deepEqual(verdict.findings, []);
  assert.match(verdict.trouble, /text\.txt is not what the corpus commits to/);
});

sampled("a missing file of the document is damage", async () => {
  const verdict = await checkExhibit(changed(exhibit("withheld"), "document/content.eml", null), {});
  assert.equal(verdict.verdict, "undecided");
});

sampled("a changed label in the openings is damage", async () => {
  const files = exhibit("withheld");
  const json = await text(files, "exhibit.json");
  const verdict = await checkExhibit(changed(files, "exhibit.json", utf8(json.replace('"values":[[false,', '"values":[[true,'))), {});
  assert.equal(verdict.verdict, "undecided");
  assert.match(verdict.trouble, /does not match its commitment|row/);
});

sampled("an entry taken out of a round is damage", async () => {
  const files = exhibit("withheld");
  const value = JSON.parse(await text(files, "exhibit.json")) as { entries: { entry: { body: { statement: { kind: string } } } }[] };
  value.entries = value.entries.filter((entry) => entry.entry.body.statement.kind !== "closed");
  const verdict = await checkExhibit(changed(files, "exhibit.json", utf8(JSON.stringify(value))), {});
  assert.notEqual(verdict.verdict, "verified");
});

sampled("a whole round taken out leaves the commitment only", async () => {
  const files = exhibit("withheld");
  const value = JSON.parse(await text(files, "exhibit.json")) as { entries: { entry: { body: { sequence: number } } }[] };
  value.entries = value.entries.filter((entry) => entry.entry.body.sequence < 4);
  const without = changed(changed(files, "exhibit.json", utf8(JSON.stringify(value))), "certification.txt", null);
  assert.equal((await checkExhibit(without, {})).verdict, "commitment only");
});

sampled("a wrong row of the certification is damage", async () => {
  const files = exhibit("reported");
  const draft = await text(files, "certification.txt");
  const verdict = await checkExhibit(changed(files, "certification.txt", utf8(draft.replace(/document number = (\d+)/, "document number = 99999"))), {});
  assert.equal(verdict.verdict, "undecided");
});

sampled("a key that the reader does not know is a rejection", async () => {
  const other = "00000 00000 00000 00000 00000 00000 00000 00000";
  const verdict = await checkExhibit(exhibit("reported"), { trent: [other] });
  assert.equal(verdict.verdict, "rejected");
  assert.deepEqual(verdict.findings.map(({ check, party }) => [check, party]), [["V04", null]]);
});

test("a folder without exhibit.json is undecided", async () => {
  assert.equal((await checkExhibit([], {})).verdict, "undecided");
});
