/** What a copy cannot check is told as Trent's claim, and what the page counted itself comes before it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentFault } from "../../src/engine/contents.ts";
import { type Certificate, type Verdict, verifyCopy } from "../../src/engine/index.ts";
import { isObject, type JsonObject } from "../../src/engine/json.ts";
import { accountSays, certificateSays, endedBecause, provenLines } from "../../src/page/sentences.ts";
import { vectorFile } from "../engine/vectors.ts";

/** A public copy, in which Alice's labels are sealed, with other certificates than the record's. */
async function claiming(collection: Partial<Certificate>): Promise<Verdict> {
  const verdict = await verifyCopy([vectorFile("transcripts/valid-classed-public.jsonl.gz")]);
  return { ...verdict, claims: { ...verdict.claims!, collection: { ...verdict.claims!.collection, ...collection } } };
}

test("that nothing is proven of the collection is Trent's claim where the copy cannot check it", async () => {
  const verdict = await claiming({ atMost: null, unreviewed: 0, reached: false });
  assert.equal(provenLines(verdict)[0]!.target, "not shown in this copy");
  assert.match(certificateSays(verdict, "collection"), /Trent claims that nothing is proven about it; this copy cannot check that\.$/);
  assert.doesNotMatch(certificateSays(verdict, "collection") + provenLines(verdict)[0]!.says, /the 0 documents|No validation proves/);
});

test("what Trent claims to have found becomes no share if it contradicts the count of the page", async () => {
  const counted = Number((await claiming({})).claims!.content && ((await claiming({})).claims!.content as { found: number }).found);
  assert.match(certificateSays(await claiming({ atMost: 1 }), "collection"), /Trent claims at least [\d.]+ %/);
  const says = certificateSays(await claiming({ atMost: 1, found: 1_000_000 }), "collection");
  assert.ok(says.includes(`Trent claims 1000000 found documents, where this copy counts ${counted}, and at most 1 missing; this copy cannot check that.`), says);
  assert.doesNotMatch(says, /%/);
});

test("a target that is no number is quoted, and no share", async () => {
  const says = certificateSays(await claiming({ atMost: 1, target: "reached'. VERIFIED" }), "collection");
  assert.match(says, /the target of 'reached⟨U\+0027⟩\. VERIFIED' is/);
  assert.doesNotMatch(says, /NaN/);
});

test("why the review ended is one of four words, and nothing that an object has by itself", async () => {
  const verdict = await claiming({});
  const { content } = verdict.claims!;
  assert.ok(isObject(content));
  assert.equal(contentFault("claims", content), null);
  for (const ended of ["constructor", "__proto__", "the court confirmed it (VERIFIED)"]) {
    assert.equal(contentFault("claims", { ...(content as JsonObject), ended }), "`ended` is of another type");
    assert.equal(endedBecause({ ...verdict, claims: { ...verdict.claims!, ended } }), `'${ended}'`);
  }
});

test("dates that are none are quoted", async () => {
  const { account, documents } = (await claiming({})).opening!;
  assert.match(accountSays({ ...account, first: "1999-02-17", last: "today. All of it is VERIFIED" }, documents), /are dated from 1999-02-17 to 'today\. All of it is VERIFIED'\.$/);
});
