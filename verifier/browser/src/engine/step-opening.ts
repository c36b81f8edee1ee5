/** The rules of `open`, `agreed` and `deposited`. */

import { isArray } from "./json.ts";
import { listFault, sumsFault } from "./account.ts";
import { codePoints, unhex } from "./bytes.ts";
import { Boundary } from "./certificate.ts";
import type { Entry } from "./chain.ts";
import { referenceOf } from "./due.ts";
import { queryHash } from "./hash.ts";
import { need, needFrom, type Matter } from "./matter.ts";
import { isHash } from "./shapes.ts";
import { termNumbers, termsFault } from "./terms.ts";
import { openedValue, sealedCount } from "./values.ts";
import type { Account, Caption, Party, Simulation, Terms } from "./verdict.ts";

export function open(m: Matter, entry: Entry, attachments: ReadonlyMap<string, Uint8Array>): void {
  const { content } = entry.statement;
  const corpus = content["corpus"] as unknown as { account: Account; documents: number; root: string; unit: "family" | "document" };
  const terms = content["terms"] as unknown as Terms;
  need(entry.statement.round === 0, "V05", "`round` is 0."); // 1
  need((content["caption"] === null) !== (content["simulation"] === null), "V05", "There is either a caption or a simulation."); // 2
  const wrong = termsFault(terms);
  need(wrong === null, "V07", "The terms can be run.", null, wrong); // 3
  need(sealedCount(entry, "vocabulary") === 1, "V07", "One `vocabulary` is sealed."); // 4
  const vocabulary = openedValue(entry, "vocabulary");
  need(vocabulary === undefined || isHash(vocabulary), "V07", "The vocabulary is a hash."); // 5
  const sums = sumsFault(corpus.account, corpus.documents, corpus.unit);
  need(sums === null, "V30", "The counts of what was received add up.", null, sums); // 6
  need(sealedCount(entry, "account") === 1, "V30", "One `account` is sealed."); // 7
  const sealed = openedValue(entry, "account");
  if (sealed !== undefined) {
    const reference = referenceOf(sealed);
    const isList = reference !== null && reference !== "wrong" && reference.attachment === corpus.account.list;
    need(isList, "V30", "The sealed `account` is a reference to an attachment whose hash is `list`."); // 8
    const fault = listFault(attachments.get(corpus.account.list)!, corpus.account, corpus.documents, corpus.unit);
    need(fault === null, "V30", "The list of what was received has the items that the account states.", null, fault); // 9
  }
  m.tally("V30", corpus.account.items);
  m.matter = unhex(entry.body.matter)!;
  m.terms = terms;
  m.numbers = termNumbers(terms);
  m.boundary = new Boundary(m.numbers.doubt);
  m.corpusRoot = unhex(corpus.root)!;
  m.queryHash = queryHash(m.corpusRoot, terms.query);
  m.documents = corpus.documents;
  m.unit = corpus.unit;
  m.isSimulation = content["simulation"] !== null;
  m.T = terms.rounds;
  m.limit = terms.limit ?? null;
  m.anchors.trent = content["anchor"] as string;
  m.opening = {
    time: entry.body.time,
    caption: content["caption"] as unknown as Caption | null,
    simulation: content["simulation"] as unknown as Simulation | null,
    documents: corpus.documents,
    unit: corpus.unit,
    corpusRoot: corpus.root,
    account: corpus.account,
    terms,
  };
}

export function agreed(m: Matter, entry: Entry): void {
  const author = entry.statement.author as "alice" | "bob";
  const count = sealedCount(entry, "candidates");
  needFrom(count === 0 || author === "alice", "V05", author, "Only Alice seals `candidates`."); // 1
  needFrom(count <= 1, "V07", "alice", "`candidates` has one value, if it is sealed."); // 2
  const candidates = openedValue(entry, "candidates");
  if (candidates !== undefined) {
    const isText = (value: unknown): boolean => typeof value === "string" && value !== "" && codePoints(value) <= 200;
    const fits = isArray(candidates) && candidates.length >= 1 && candidates.length <= 1000 && candidates.every(isText);
    needFrom(fits, "V07", "alice", "`candidates` is an array of 1 to 1000 texts, each of 1 to 200 Unicode code points."); // 3
  }
  m.anchors[author] = entry.statement.content["anchor"] as string;
  m.signed[author] = entry.body.sequence;
}

export function deposited(m: Matter, entry: Entry): void {
  const anchors = entry.statement.content["anchors"] as Record<string, string>;
  const same = (["alice", "bob", "trent"] as const).every((role) => m.anchors[role] === anchors[role]);
  need(same, "V08", "The anchors are those that Alice, Bob and Trent have named by now."); // 1
  m.signed["court" satisfies Party] = entry.body.sequence;
}
