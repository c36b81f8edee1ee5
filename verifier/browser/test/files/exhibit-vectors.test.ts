/** Every exhibit of the vectors gets the verdict and the findings that exhibits.json states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExhibit } from "../../src/files/exhibit.ts";
import { vectorPath, vectors } from "../engine/vectors.ts";
import { filesBelow } from "../support/disk.ts";

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
