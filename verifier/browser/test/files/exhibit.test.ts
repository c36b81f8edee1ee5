import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { checkExhibit } from "../../src/files/exhibit.ts";
import type { NamedFile } from "../../src/files/named-files.ts";
import { commitment, fingerprint, openingsHash } from "../../src/engine/hash.ts";
import { encode } from "../../src/engine/json.ts";
import { hex, unhex } from "../../src/engine/bytes.ts";
import { changed, filesBelow } from "../support/disk.ts";
import { type Frame, forged, hashOf } from "../support/forge.ts";
import { sample, sampled } from "../support/samples.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function exhibit(name: string): NamedFile[] {
  return filesBelow(sample("exhibits", name));
}

async function text(files: readonly NamedFile[], path: string): Promise<string> {
  const file = files.find((one) => one.path === path);
  assert.ok(file, path);
  return new TextDecoder().decode(await file.read());
}

sampled("every exhibit gets the verdict and the story of the Python verifier", async () => {
  const names = readdirSync(sample("exhibits")).filter((name) => !name.endsWith(".json"));
  assert.ok(["reported", "classes-0", "stages-0", "classifier-0", "real-0"].every((name) => names.includes(name)));
  for (const name of names) {
    const expected = JSON.parse(readFileSync(sample("exhibits", `${name}.json`), "utf8")) as { verdict: string; story: string[] };
    const verdict = await checkExhibit(exhibit(name), {});
    assert.equal(verdict.verdict, expected.verdict, `${name}: ${verdict.trouble}`);
    assert.deepEqual(verdict.findings, [], name);
    assert.deepEqual(verdict.story, expected.story, name);
  }
});

sampled("a changed byte of the document is damage, and nobody is blamed", async () => {
  const files = exhibit("withheld");
  const verdict = await checkExhibit(changed(files, "document/text.txt", utf8("other")), {});
  assert.equal(verdict.verdict, "undecided");
  assert.deepEqual(verdict.findings, []);
  assert.match(verdict.trouble, /text\.txt has other bytes than the record states/);
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

/** The exhibit with something else in its `exhibit.json`, and without the draft that has its hash. */
async function rewritten(files: readonly NamedFile[], change: (value: Written) => void): Promise<NamedFile[]> {
  const value = JSON.parse(await text(files, "exhibit.json")) as Written;
  change(value);
  return changed(changed(files, "exhibit.json", utf8(JSON.stringify(value))), "certification.txt", null);
}

interface Written {
  document: { proof: { path: string; row: string } };
  entries: { entry: { body: { sequence: number; statement: { content: { role?: string }; kind: string } } }; openings: { [field: string]: unknown }; path: string }[];
}

async function damaged(files: readonly NamedFile[], what: string): Promise<void> {
  const { verdict, findings } = await checkExhibit(files, {});
  assert.deepEqual([verdict, findings], ["undecided", []], what);
}

sampled("any entry taken out of a round is damage", async () => {
  const { length } = (JSON.parse(await text(exhibit("real-0"), "exhibit.json")) as Written).entries;
  for (let index = 0; index < length; index++) {
    await rewritten(exhibit("real-0"), ({ entries }) => entries.splice(index, 1)).then((files) => damaged(files, `without entry ${index}`));
  }
});

sampled("an opening taken out, or one too many, is damage", async () => {
  for (const kind of ["batch", "report"]) {
    const without = await rewritten(exhibit("real-0"), ({ entries }) => (entries.find(({ entry }) => entry.body.statement.kind === kind)!.openings = {}));
    await damaged(without, `without the openings of the ${kind}`);
  }
  const other = JSON.parse(await text(exhibit("real-1"), "exhibit.json")) as Written;
  const more = await rewritten(exhibit("real-0"), ({ entries }) => {
    const claim = entries.find(({ entry }) => entry.body.statement.kind === "batch")!;
    Object.assign(claim.openings, other.entries.find(({ entry }) => entry.body.sequence === claim.entry.body.sequence)!.openings);
  });
  await damaged(more, "with the place of another document");
});

sampled("a path that does not lead to the checkpoint is damage", async () => {
  await damaged(await rewritten(exhibit("real-0"), ({ entries }) => (entries[5]!.path = entries[4]!.path)), "with the path of another entry");
});

sampled("a new key taken out, under which a party signs, is damage", async () => {
  const files = await rewritten(await exhibitWith("look"), (value) => (value.entries = value.entries.filter(({ entry }) => !/^rekey/.test(entry.body.statement.kind) || entry.body.statement.content.role !== "alice")));
  await damaged(files, "without the key under which Alice looked");
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
  assert.match(verdict.trouble, /the row 'document number' is unknown, repeated or has another value/);
});

sampled("the rows of the certification may end with blanks, and with CR or CR LF, and no other line may look like one", async () => {
  const files = exhibit("reported");
  const draft = await text(files, "certification.txt");
  const as = (written: string): NamedFile[] => changed(files, "certification.txt", utf8(written));
  for (const end of ["\r", "\r\n", "  \n"]) assert.equal((await checkExhibit(as(draft.replaceAll("\n", end)), {})).verdict, (await checkExhibit(files, {})).verdict, JSON.stringify(end));
  for (const row of ["    judge = me", "     matter = 1"]) await damaged(as(`${draft}${row}\n`), row);
  await damaged(as(draft.replace(/^    matter = .*$/m, "")), "without a row");
  await damaged(as(draft.replace(/^    matter = .*$/m, "$&\n$&")), "with a row twice");
});

sampled("a key that the reader does not know is a rejection", async () => {
  const other = "00000 00000 00000 00000 00000 00000 00000 00000";
  const verdict = await checkExhibit(exhibit("reported"), { trent: [other] });
  assert.equal(verdict.verdict, "rejected");
  assert.deepEqual(verdict.findings.map(({ check, party }) => [check, party]), [["V04", null]]);
  assert.match(verdict.findings[0]!.rule, /of Trent is not one of those that you were told/);
});

sampled("an exhibit of a later format sends the reader to another verifier", async () => {
  const { trouble } = await checkExhibit(await rewritten(exhibit("reported"), (value) => Object.assign(value, { format: 4 })), {});
  assert.match(trouble, /its format is 4, and this page knows format 3\. Use a verifier that knows this version\.$/);
});

test("a folder without exhibit.json is undecided", async () => {
  assert.equal((await checkExhibit([], {})).verdict, "undecided");
});

/** Who holds which key in the real matter of the samples. */
const KEYS = {
  alice: ["alice", "alice-2"],
  bob: ["bob", "bob-1"],
  court: ["court"],
  trent: ["trent"],
} as const;
const keys = (): Parameters<typeof forged>[1] => Object.fromEntries(Object.entries(KEYS).map(([role, names]) => [role, names.map((name) => sample("work", "real", `${name}.key`))])) as unknown as Parameters<typeof forged>[1];

type Content = { [name: string]: unknown };
const numbers = (content: Content, field: string): number[] => content[field] as number[];
const flip = (link: unknown): string => String(link).replace(/^./, (digit) => (digit === "0" ? "1" : "0"));

/** An exhibit of the real matter with an entry of a kind: its coins differ each time that it is played. */
async function exhibitWith(kind: string): Promise<NamedFile[]> {
  for (const name of readdirSync(sample("exhibits")).filter((one) => /^real-\d+$/.test(one)).sort()) {
    if ((await text(exhibit(name), "exhibit.json")).includes(`"kind":"${kind}"`)) return exhibit(name);
  }
  throw new Error(`no exhibit of the real matter has a ${kind}`);
}

/** What is changed in the first entry of a kind, and what comes of it: a check and whom it blames, or damage. */
const FORGERIES: readonly [what: string, kind: string, change: (content: Content, body: Frame["entry"]["body"]) => void, check: string | null, party?: string][] = [
  ["Bob labels what he was not shown", "labels", (content) => (content["labels"] as boolean[]).push(true), "V15", "bob"],
  ["the court leaves a claim open", "privilege", (content) => (content["upheld"] as boolean[]).pop(), "V25", "court"],
  ["the court leaves a dispute open", "rulings", (content) => (content["labels"] as boolean[]).pop(), "V15", "court"],
  ["Trent shows the court claims out of order", "camera", (content) => numbers(content, "positions").unshift(99), "V25", "trent"],
  ["Trent asks the court about what is agreed", "dispute", (content) => (content["positions"] = [4]), "V15", "trent"],
  ["Trent closes with another label", "closed", (content) => numbers(content, "responsive").shift(), "V16", "trent"],
  ["Trent closes with another count", "closed", (content) => (content["sampled"] = 0), "V16", "trent"],
  ["Trent closes with a false link", "closed", (content) => (content["link"] = flip(content["link"])), "V08", "trent"],
  ["Trent gives a false link to a batch", "batch", (content) => ((content["drawn"] as Content)["link"] = flip((content["drawn"] as Content)["link"])), "V08", "trent"],
  ["Alice gives a false link", "link", (content) => (content["link"] = flip(content["link"])), "V08", "alice"],
  ["the order names somebody else", "order", (content) => (content["absent"] = "alice"), "V26", "court"],
  ["the order brings a false link", "order", (content) => (content["link"] = flip(content["link"])), null],
  ["the order was served too early", "default", (content, body) => (content["served"] = body.matter), "V26", "trent"],
  ["Alice claims late out of order", "claim", (content) => numbers(content, "positions").reverse(), "V25", "alice"],
  ["Alice asks back what Bob was not shown", "reclaim", (content) => ((content["documents"] as Content[])[1]!["position"] = 99), "V25", "alice"],
  ["the court does not rule on what is asked back", "returned", (content) => (content["upheld"] as boolean[]).pop(), "V25", "court"],
  ["Trent asks for a key that is none", "rekey", (content) => (content["role"] = "court"), null],
  ["Trent states the wrong draw", "draw", (content) => (content["draw"] = 2), null],
  ["an entry of the round is of another one", "disclosure", (_, body) => (body.statement = { ...body.statement, round: 2 }), "V05", "trent"],
  ["Trent asks nobody for labels", "disclosure", (_, body) => (body.asks = []), "V05", "trent"],
  ["Alice gives up what is not there", "look", (content) => numbers(content, "positions").push(99), "V27", "alice"],
];

for (const [what, kind, change, check, party] of FORGERIES) {
  sampled(`in an exhibit, ${what}: ${check === null ? "damage" : `${check}, ${party}`}`, async () => {
    const files = await forged(await exhibitWith(kind), keys(), (frames) => {
      const { body } = frames.find(({ entry }) => entry.body.statement.kind === kind)!.entry;
      change(body.statement.content as Content, body);
    });
    const { verdict, findings, trouble } = await checkExhibit(files, {});
    assert.deepEqual(findings.map((one) => [one.check, one.party]), check === null ? [] : [[check, party]], trouble);
    assert.equal(verdict, check === null ? "undecided" : "rejected", trouble);
  });
}

async function found(files: readonly NamedFile[], ...expected: readonly (readonly [check: string, party: string])[]): Promise<void> {
  const { findings, trouble } = await checkExhibit(files, {});
  assert.deepEqual(findings.map((one) => [one.check, one.party]), expected, trouble);
}

sampled("a body of another matter than its statement is a finding before the checkpoint's matter is looked at", async () => {
  await found(await forged(exhibit("real-0"), keys(), (frames) => (frames[0]!.entry.body.matter = "0".repeat(64))), ["V02", "trent"]);
});

sampled("a prefix where there must be none is damage before any content is looked at", async () => {
  const change = (prefix: string) => (frames: Frame[]): void => {
    const batch = frames.find(({ entry }) => entry.body.statement.kind === "batch")!;
    batch.entry.body.statement.content["size"] = "1";
    batch.prefix = prefix;
  };
  await found(await forged(exhibit("real-0"), keys(), change("")), ["V05", "trent"]);
  await damaged(await forged(exhibit("real-0"), keys(), change("0")), "with a prefix");
});

sampled("the prefix of a stamp whose root is no hash is not looked at: V05, trent", async () => {
  const files = await forged(exhibit("real-0"), keys(), (frames) => {
    const { statement } = frames.find(({ entry }) => entry.body.statement.kind === "rekey")!.entry.body;
    Object.assign(statement, { kind: "stamped", content: { root: "0", token: "0".repeat(64) } });
  });
  await found(files, ["V05", "trent"]);
});

sampled("an unknown kind in a round is a finding, also where it begins like one that only the whole record tells: V05, trent", async () => {
  const files = await forged(exhibit("real-0"), keys(), (frames) => (frames.find(({ entry }) => entry.body.statement.kind === "rekey")!.entry.body.statement.kind = "rekeyx"));
  await found(files, ["V05", "trent"]);
});

sampled("an opening that its author signed and that matches no commitment is a finding, whatever else is wrong with the others: V12, alice", async () => {
  const files = await forged(exhibit("real-0"), keys(), (frames) => {
    const { entry, openings } = frames.find(({ entry }) => entry.body.statement.kind === "report")!;
    openings["another"] = { indices: [0], salts: "00".repeat(32), values: [1] };
    const { indices, values } = openings["privilege"] as unknown as { indices: number[]; values: unknown[] };
    indices.push(indices[0]!);
    values.push(values[0]);
    entry.body.statement.content["openings"] = hex(openingsHash(encode(openings)));
  });
  await found(files, ["V12", "alice"]);
});

sampled("a proof, or its path, that does not have its form is damage, whatever else is wrong", async () => {
  const broken = await forged(exhibit("real-0"), keys(), (frames) => (frames.find(({ entry }) => entry.body.statement.kind === "batch")!.entry.body.statement.content["size"] = "1"));
  await found(broken, ["V05", "trent"]);
  for (const field of ["path", "row"] as const) await damaged(await rewritten(broken, ({ document }) => (document.proof[field] = "0")), field);
});

sampled("a validation that does not list the document whose place is opened: V28, trent", async () => {
  const files = await forged(await exhibitWith("validation"), keys(), (frames) => {
    const { entry, openings } = frames.find(({ entry }) => entry.body.statement.kind === "validation")!;
    const { indices } = openings["documents"] as unknown as { indices: number[] };
    numbers(entry.body.statement.content, "numbers")[indices[0]!]!++;
  });
  await found(files, ["V28", "trent"]);
});

sampled("a batch of more than N documents: V09, trent", async () => {
  const files = await forged(exhibit("real-0"), keys(), (frames) => {
    const { statement } = frames.find(({ entry }) => entry.body.statement.kind === "batch")!.entry.body;
    const size = (frames[0]!.entry.body.statement.content["terms"] as { batch: number }).batch + 1;
    const commitments = statement.sealed["documents"]!.commitments as string[];
    while (commitments.length < size) commitments.push(hex(new Uint8Array(32).fill(commitments.length)));
    statement.content["size"] = size;
  });
  await found(files, ["V09", "trent"]);
});

sampled("a validation releases to Bob numbers, with null: V28, trent", async () => {
  for (const change of [{ audience: "alice" }, { field: "documents" }, { indices: [0] }]) {
    const files = await forged(await exhibitWith("validation"), keys(), (frames) => {
      Object.assign(frames.find(({ entry }) => entry.body.statement.kind === "validation")!.entry.body.releases[0]!, change);
    });
    await found(files, ["V28", "trent"]);
  }
});

type Bodies = Record<"clawback" | "reclaim" | "returned", Frame["entry"]["body"]>;

/** An exhibit of a round that is closed, and behind it Alice asks the document back. */
async function askedBack(change: (bodies: Bodies) => void): Promise<NamedFile[]> {
  for (const name of readdirSync(sample("exhibits")).filter((one) => /^real-\d+$/.test(one)).sort()) {
    const { entries } = JSON.parse(await text(exhibit(name), "exhibit.json")) as { entries: Frame[] };
    const { sequence, statement } = entries.at(-1)!.entry.body;
    const list = entries.filter(({ openings }) => Object.hasOwn(openings, "documents"));
    if (statement.kind !== "closed" || sequence > 60 || list.length !== 1) continue;
    return forged(exhibit(name), keys(), (frames) => frames.push(...clawedBack(frames, list[0]!, change)));
  }
  throw new Error("no exhibit of the real matter ends with a close");
}

function clawedBack(frames: readonly Frame[], list: Frame, change: (bodies: Bodies) => void): Frame[] {
  const { matter, sequence } = frames.at(-1)!.entry.body;
  const { indices } = list.openings["documents"] as unknown as { indices: number[] };
  const documents = [{ position: indices[0]! + 1, round: list.entry.body.statement.round }];
  const salt = new Uint8Array(32);
  const sealed = { privilege: { audiences: ["alice", "bob", "court"], commitments: [hex(commitment(salt, utf8('"by mistake"')))] } };
  const body = (kind: string, author: string, asks: readonly string[], content: object, sealed: object, number: number): Bodies["clawback"] => {
    const statement = { answers: null, author, content, kind, matter, replaces: [], round: 0, sealed };
    return { asks, matter, previous: "0".repeat(64), releases: [], sequence: sequence + 2 * number, signature: null, statement, time: 0 } as unknown as Bodies["clawback"];
  };
  const bodies = {
    clawback: body("clawback", "trent", ["alice"], {}, {}, 1),
    reclaim: body("reclaim", "alice", ["court"], { documents }, sealed, 2),
    returned: body("returned", "court", [], { upheld: [true] }, {}, 3),
  };
  change(bodies);
  const { clawback, reclaim, returned } = bodies;
  Object.assign(reclaim.statement, { answers: hashOf(clawback) });
  Object.assign(returned.statement, { answers: hashOf(returned.statement.answers === null ? reclaim : clawback) });
  const openings = { privilege: { indices: [0], salts: hex(salt), values: ["by mistake"] } };
  return [clawback, reclaim, returned].map((one) => ({ entry: { body: one, signature: "" }, openings: one === reclaim ? openings : {}, path: "", prefix: "" }) as Frame);
}

sampled("between rounds Alice asks the document back, and the court rules on that", async () => {
  for (const change of [() => undefined, ({ clawback }: Bodies) => Object.assign(clawback.statement, { kind: "again", content: { question: clawback.matter } })]) {
    const { verdict, trouble, findings, story } = await checkExhibit(await askedBack(change), {});
    assert.equal(verdict, "verified", trouble + JSON.stringify(findings));
    assert.ok(story.some((one) => /^Asked back.*upheld/.test(one)), story.join(" "));
  }
});

/** What does not belong between rounds: each is validly signed, and answers what it names. */
const ASKED_BACK: readonly [what: string, change: (bodies: Bodies) => void][] = [
  ["the court rules on more than is asked", ({ returned }) => (returned.statement.content["upheld"] = [true, false])],
  ["Bob asks back", ({ clawback, reclaim }) => [Object.assign(clawback, { asks: ["alice", "bob"] }), Object.assign(reclaim.statement, { author: "bob" })]],
  ["Alice rules", ({ reclaim, returned }) => [Object.assign(reclaim, { asks: ["alice"] }), Object.assign(returned.statement, { author: "alice" })]],
  ["she answers a demand for a key", ({ clawback }) => Object.assign(clawback.statement, { kind: "rekey", content: { key: clawback.matter, role: "alice" } })],
  ["the court rules on no demand of hers", ({ clawback, returned }) => [Object.assign(clawback, { asks: ["alice", "court"] }), Object.assign(returned.statement, { answers: "" })]],
];

for (const [what, change] of ASKED_BACK) {
  sampled(`between rounds, ${what}: damage`, async () => {
    const files = await askedBack(change);
    await damaged(files, what);
    assert.match((await checkExhibit(files, {})).trouble, /does not belong between rounds/);
  });
}

sampled("the close of a validation in one stage is judged, though it rests on other rounds what was drawn", async () => {
  const files = await forged(await exhibitWith("validation"), keys(), (frames) => {
    const begun = frames.findIndex(({ entry }) => entry.body.statement.kind === "validation");
    frames.slice(begun).find(({ entry }) => entry.body.statement.kind === "closed")!.entry.body.statement.content["sampled"] = 0;
  });
  await found(files, ["V16", "trent"]);
});

sampled("an exhibit that is signed again without a change still holds", async () => {
  const { verdict, trouble, findings } = await checkExhibit(await forged(exhibit("real-0"), keys(), () => undefined), {});
  assert.equal(verdict, "verified", trouble + JSON.stringify(findings));
});

sampled("a finding blames nobody whose key the reader does not trust", async () => {
  const files = await forged(exhibit("real-0"), keys(), (frames) => (frames.find(({ entry }) => entry.body.statement.kind === "labels")!.entry.body.statement.content["labels"] as boolean[]).push(true));
  const { findings } = await checkExhibit(files, { bob: [fingerprint(unhex("00".repeat(32))!)] });
  assert.deepEqual(findings[0]?.party, null);
  assert.deepEqual(findings.map((one) => one.check), ["V15", "V04", "V04"]);
});
