/** The forger of copies: what it does not change stays as it was, and what it changes breaks every rule that a copy can break. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyCopy, type Verdict } from "../../src/engine/index.ts";
import { COINS } from "../forge/changes-coins.ts";
import { CHANGES, forge } from "../forge/forge.ts";
import { renew } from "../forge/matter.ts";
import { matterOf, names } from "../forge/sources.ts";
import { vectorFile } from "./vectors.ts";

/** What needs the corpus, fingerprints, files, roots or a policy: no copy breaks it by itself. */
const OUT_OF_REACH = ["V04", "V10", "V11", "V21", "V22", "V23", "V24", "V32", "V33"];

const failed = ({ checks }: Verdict): string[] => checks.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
const said = ({ verdict, blamed, checks }: Verdict): unknown => [verdict, blamed, checks.map(({ id, outcome, items }) => [id, outcome, outcome === "pass" ? items : 0])];

test("under other keys every copy gets the same verdict, outcomes and counts", async () => {
  const left: string[] = [];
  for (const name of names) {
    const matter = matterOf(name);
    if (matter === null) left.push(name.slice(name.lastIndexOf("/") + 1));
    else assert.deepEqual(said(await verifyCopy([renew(matter, "other keys")])), said(await verifyCopy([vectorFile(name)])), name);
  }
  assert.ok(left.length <= 20, `too many copies are left: ${left.join(", ")}`);
  assert.deepEqual(left.filter((name) => !name.startsWith("damage-") && !name.startsWith("edge-")), []);
});

test("a seed gives the same copy each time, and another seed another", async () => {
  const seed = CHANGES.length - 1;
  assert.deepEqual((await forge(seed)).copy, (await forge(seed)).copy);
  assert.notDeepEqual((await forge(seed)).copy, (await forge(seed + CHANGES.length)).copy);
});

test("each change fits some copy, and together they break every check that a copy can break", async () => {
  const broken = new Set<string>();
  const aimed = new Set<string>();
  const verdicts: Record<string, number> = { rejected: 0, undecided: 0 };
  let anew = 0;
  const count = 2 * CHANGES.length;
  for (let seed = 0; seed < count; seed++) {
    const { aim, copy } = await forge(seed);
    const verdict = await verifyCopy([copy], { withoutPositions: true });
    verdicts[verdict.verdict] = (verdicts[verdict.verdict] ?? 0) + 1;
    const checks = failed(verdict);
    if (COINS.includes(CHANGES[seed % CHANGES.length]!) && checks.length === 0) anew++;
    for (const check of checks) broken.add(check);
    if (aim !== "" && checks.join() === aim) aimed.add(aim);
  }
  const reachable = Array.from({ length: 33 }, (_, i) => `V${String(i + 1).padStart(2, "0")}`).filter((id) => !OUT_OF_REACH.includes(id));
  assert.deepEqual([...broken].sort(), reachable);
  assert.deepEqual([...aimed].sort(), [...new Set(CHANGES.flatMap(([aim]) => (aim === "" ? [] : [aim])))].sort(), "a change breaks the check at which it aims, and nothing else");
  assert.ok(anew >= COINS.length, "with other coins, or other terms, half of the copies are right anew");
  assert.ok(verdicts["rejected"]! > 0.7 * count, "most copies break a rule");
  assert.ok(verdicts["undecided"]! < 0.12 * count, "few copies are no more than damaged");
});
