/** Every exhibit of the vectors gets the verdict and the findings that exhibits.json states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExhibit } from "../../src/files/exhibit.ts";
import { vectorPath, vectors } from "../engine/vectors.ts";
import { changed, filesBelow } from "../support/disk.ts";

interface Found {
  readonly check: string;
  readonly party: string | null;
  readonly entry: number | null;
}

const { cases } = vectors("exhibits.json");

test("there are exhibits of each verdict", () => {
  const verdicts = new Set(cases.map(({ verdict }: { verdict: string }) => verdict));
  assert.deepEqual([...verdicts].sort(), ["commitment only", "not closed", "rejected", "undecided", "verified"]);
});

for (const { id, comment, exhibit, verdict, findings } of cases) {
  test(`exhibit ${id}: ${comment}`, async () => {
    const judged = await checkExhibit(filesBelow(vectorPath(exhibit)), {});
    const found = judged.findings.map(({ check, party, entry }): Found => ({ check, party, entry }));
    assert.deepEqual({ verdict: judged.verdict, findings: found }, { verdict, findings }, judged.trouble);
  });
}

test("a proof that does not hold is found before the file of an earlier stamp is looked at", async () => {
  const files = filesBelow(vectorPath("exhibits/two-false-proofs"));
  const { findings } = await checkExhibit(changed(files, "stamps/4.tsr", new Uint8Array(1)), {});
  assert.deepEqual(findings.map(({ check, entry }) => [check, entry]), [["V31", 5]]);
  const honest = filesBelow(vectorPath("exhibits/witnessed"));
  assert.equal((await checkExhibit(changed(honest, "stamps/4.tsr", new Uint8Array(1)), {})).verdict, "undecided");
});

test("a row of the certification begins with its blanks, also behind a byte order mark", async () => {
  const files = filesBelow(vectorPath("exhibits/a-batch"));
  const draft = new TextDecoder().decode(await files.find(({ path }) => path === "certification.txt")!.read());
  const row = /^    matter = .*\n/m.exec(draft)![0];
  const verdictOf = async (text: string): Promise<string> => (await checkExhibit(changed(files, "certification.txt", new TextEncoder().encode(text)), {})).verdict;
  const first = row + draft.replace(row, "");
  assert.equal(await verdictOf(first), "verified");
  assert.equal(await verdictOf(`\uFEFF${draft}`), "verified");
  assert.equal(await verdictOf(`\uFEFF${first}`), "undecided");
});

/** The verdict on an exhibit of the vectors with something else in its `exhibit.json`, and without the draft that has its hash. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function judgedWith(name: string, change: (exhibit: any) => void): Promise<string[]> {
  const files = filesBelow(vectorPath(`exhibits/${name}`));
  const exhibit = JSON.parse(new TextDecoder().decode(await files.find(({ path }) => path === "exhibit.json")!.read()));
  change(exhibit);
  const bytes = new TextEncoder().encode(JSON.stringify(exhibit));
  const { verdict, findings, trouble } = await checkExhibit(changed(changed(files, "exhibit.json", bytes), "certification.txt", null), {});
  return [verdict, ...findings.map(({ check }) => check), ...(trouble === "" ? [] : [trouble])];
}
/** Another hash in place of the first. */
const other = (hashes: string): string => (hashes.startsWith("0") ? "1" : "0") + hashes.slice(1);

test("the proof of the document leads to the root of the corpus, and to no other", async () => {
  assert.deepEqual(await judgedWith("witnessed", () => undefined), ["verified"]);
  const [verdict, trouble] = await judgedWith("witnessed", ({ document }) => (document.proof.path = other(document.proof.path)));
  assert.equal(verdict, "undecided");
  assert.match(trouble!, /the document's proof does not lead to the corpus/);
});

test("the prefix of what was seen from outside leads from the root that it names to that of the checkpoint; others have none", async () => {
  const cases: [number, (prefix: string) => string][] = [
    ...[4, 5, 17, 18].flatMap((number): [number, (prefix: string) => string][] => [[number, other], [number, () => ""], [number, (prefix) => prefix.slice(64)]]),
    [12, () => "00".repeat(32)],
  ];
  for (const [number, change] of cases) {
    const [verdict, trouble] = await judgedWith("witnessed", ({ entries }) => {
      const frame = entries.find(({ entry }: { entry: { body: { sequence: number } } }) => entry.body.sequence === number);
      frame.prefix = change(frame.prefix);
    });
    assert.equal(verdict, "undecided", `${number}`);
    assert.match(trouble!, new RegExp(`the prefix of entry ${number} does not fit`));
  }
});

test("what lies beside the files of an exhibit is named, and not looked at", async () => {
  const files = filesBelow(vectorPath("exhibits/a-batch"));
  assert.deepEqual((await checkExhibit(files, {})).besides, []);
  const more = changed(changed(changed(files, "document/forged.eml", new Uint8Array(1)), "extra.txt", new Uint8Array(1)), "Thumbs.db", new Uint8Array(1));
  const { besides, verdict } = await checkExhibit(more, {});
  assert.deepEqual([verdict, besides], ["verified", ["document/forged.eml", "extra.txt"]]);
  const witnessed = filesBelow(vectorPath("exhibits/witnessed"));
  assert.deepEqual((await checkExhibit(witnessed, {})).besides, []);
});
