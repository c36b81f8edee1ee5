/** Changes to the opening: what the matter is about, its terms, what was received, and how the parties sign it. */
import { fromUtf8, utf8 } from "../../src/engine/bytes.ts";
import { textOf } from "../../src/engine/json.ts";
import { attachmentBytes, type Free, type Matter } from "./matter.ts";
import { type Act, addSealed, ALICE_AND_COURT, at, type Change, contentOf, decimalMoved, fit, type Forge, inContent, inTerms, isKeyed, nudged, ofKind, openedIn, opening, seal, statementOf, terms } from "./tools.ts";

/** One of these terms gets one of these values. */
const term = (name: string, ...values: readonly Free[]): Act => inTerms((all, { random }) => {
  if (!(name in all)) return false;
  all[name] = random.pick(values);
  return true;
});
const part = (name: string, act: (part: Record<string, Free>, forge: Forge) => boolean | void): Act => inTerms((all, forge) => isKeyed(all[name]) && act(all[name], forge));
const validation = (name: string, ...values: readonly Free[]): Act => part("validation", (all, { random }) => { all[name] = random.pick(values); });
/** A decimal of the terms moves a little: what follows from it may be as before, or not. */
const moved = (name: string): Act => inTerms((all, { random }) => {
  if (typeof all[name] !== "string") return false;
  all[name] = decimalMoved(all[name], random);
  return true;
});
const movedInValidation = (name: string): Act => part("validation", (all, { random }) => {
  if (typeof all[name] !== "string") return false;
  all[name] = decimalMoved(all[name], random);
  return true;
});

const ofOpening = (act: (content: Record<string, Free>, forge: Forge) => boolean | void): Act => (forge) => isKeyed(contentOf(opening(forge.matter))["corpus"]) && act(contentOf(opening(forge.matter)), forge);
const ofAccount = (act: (account: Record<string, Free>, forge: Forge) => boolean | void): Act => ofOpening(({ corpus }, forge) => isKeyed(corpus.account) && act(corpus.account, forge));

/** The list of what was received, where the copy opens it: its lines are changed, and all that names it. */
const ofList = (act: (items: Free[], forge: Forge, text: (items: Free[]) => void) => boolean | void): Act => (forge) => {
  const { matter } = forge;
  const hash = contentOf(opening(matter))["corpus"]?.account?.list;
  const bytes = typeof hash === "string" ? attachmentBytes(matter, hash) : null;
  if (bytes === null || bytes.length === 0) return false;
  const items = (fromUtf8(bytes) ?? "").trimEnd().split("\n").map((row) => JSON.parse(row) as Free);
  let text = null as string | null;
  if (act(items, forge, (all) => (text = all.map((item) => (typeof item === "string" ? item : `${textOf(item)}\n`)).join(""))) === false) return false;
  matter.attachments.set(hash, utf8(text ?? items.map((item) => `${textOf(item)}\n`).join("")));
  return true;
};

const vocabulary = (act: (forge: Forge) => boolean | void): Act => (forge) => statementOf(opening(forge.matter)).sealed["vocabulary"] !== undefined && act(forge);
const named = (count: number): string[] => Array.from({ length: count }, (_, i) => `c${String.fromCharCode(97 + i)}`);
const TOKEN_KEYS = ["aa", "bb"].map((byte) => byte.repeat(32));

function setCandidates(matter: Matter, forge: Forge, value: Free): boolean {
  const alice = ofKind(matter, "agreed").find((entry) => statementOf(entry).author === "alice");
  if (alice === undefined) return false;
  seal(forge, alice, "candidates", ["alice"], [value]);
  return true;
}

export const OPENING: readonly Change[] = [
  ["V05", "the opening is of a round", (forge) => {
    statementOf(opening(forge.matter)).round = 1;
    for (const entry of ofKind(forge.matter, "agreed", "deposited")) statementOf(entry).round = 1;
  }],
  ["V05", "a caption and a simulation, or neither", ofOpening((content, { random }) => {
    const caption = { case: "", court: "", names: { alice: "", bob: "", court: "", trent: "" }, request: "" };
    const simulation = { alice: "", bob: "", court: "", label: "x", responsive: 1, seed: "", truth: "00".repeat(32) };
    if (random.isOneIn(2)) {
      content["caption"] = null;
      content["simulation"] = null;
    } else {
      content["caption"] ??= caption;
      content["simulation"] ??= simulation;
    }
  })],
  ["V16", "a caption in place of the simulation", ofOpening((content) => {
    content["caption"] = { case: "", court: "", names: { alice: "", bob: "", court: "", trent: "" }, request: "" };
    content["simulation"] = null;
  })],
  ["V05", "a caption lacks a name", ofOpening((content, { random }) => {
    content["simulation"] = null;
    content["caption"] = random.pick([{ case: "", court: "", names: { alice: "", bob: "", court: "" }, request: "" }, { case: "", court: "", names: { alice: "", bob: "", court: "", trent: "" } }, {}]);
  })],
  ["V05", "a simulation states another type", ofOpening((content, { random }) => {
    if (!isKeyed(content["simulation"])) return false;
    Object.assign(content["simulation"], random.pick<Free>([{ responsive: 0 }, { responsive: 2 ** 31 }, { responsive: 2 ** 31 + 1 }, { seed: 103 }, { truth: "" }]));
    return true;
  })],
  ["V17", "a simulation states another number of responsive documents", ofOpening((content, { random }) => {
    if (!isKeyed(content["simulation"])) return false;
    content["simulation"]["responsive"] = Math.max(1, nudged(content["simulation"]["responsive"], random));
    return true;
  })],
  // The form of the terms.
  ["V05", "a number of the terms is 0, or too large", (forge) => term(forge.random.pick(["k", "batch", "rounds", "draws", "every"]), 0, 2 ** 31 + 1, -1, "1", null)(forge)],
  ["", "a number of the terms is as large as can be", (forge) => term(forge.random.pick(["k", "batch", "every"]), 2 ** 31, 1)(forge)],
  ["V05", "the terms lack a field, or have one more", inTerms((all, { random }) => {
    if (random.isOneIn(2)) all["more"] = null; else delete all[random.pick(Object.keys(all))];
  })],
  ["V05", "the terms have a field of another rule", inTerms((all, { random }) => {
    all[random.pick(["delta", "limit", "rate", "penalty"].filter((name) => !(name in all)))] = "0.5";
  })],
  ["", "the rule is another", term("protocol", "spot-check", "reveal-all", "label", "classifier", "Label", "", "other")],
  ["", "the rule is another, with its terms", inTerms((all, { random }) => {
    const other = random.pick(["reveal-all", "label", "classifier"]);
    delete all["every"];
    delete all["limit"];
    delete all["rate"];
    delete all["target"];
    delete all["penalty"];
    delete all["k"];
    delete all["delta"];
    all["protocol"] = other;
    if (other !== "reveal-all") {
      all["k"] = 1;
      all["delta"] = "0.5";
    }
  })],
  ["V07", "a text of the terms is no decimal", (forge) => term(forge.random.pick(["delta", "doubt", "rate", "target", "limit"]), "", "1.", ".5", "00.5", "0.5 ", "5e-1", "-0.5", "0,5", "\u0660.\u0665", "+0.5", `0.${"5".repeat(29)}`, "0x1", "0.5\n", "NaN")(forge)],
  ["V07", "a decimal of the terms is at the edge", (forge) => term(forge.random.pick(["delta", "doubt", "rate", "target"]), "0", "1", "0.0", "1.0", "0.000", `0.${"9".repeat(28)}`, `0.${"0".repeat(27)}1`, `0.${"0".repeat(28)}`)(forge)],
  ["V07", "the limit is at the edge", term("limit", "0", "1", "0.0", "1.00", "1.01", "2", `1.${"0".repeat(28)}`, `1.${"0".repeat(29)}`)],
  ["V05", "a penalty is another, or of another type", term("penalty", "all", "None", "", null)],
  ["", "a penalty is the other one", inTerms((all) => {
    if (!("penalty" in all)) return false;
    all["penalty"] = all["penalty"] === "none" ? "batch" : "none";
    return true;
  })],
  ["V07", "the chains are too short or too long for the rounds", inTerms((all, { random }) => {
    const T = all["rounds"] as number;
    [all["rounds"], all["draws"]] = random.pick([[T, 2 * T], [T, 2 * T - 1], [T, 2 ** 14], [T, 2 ** 14 + 1], [2 ** 12, 2 ** 13], [2 ** 12 + 1, 2 ** 14], [2 ** 12, 2 ** 13 - 1]]);
  })],
  ["V08", "the chains end before the draws do", inTerms((all, { random, matter }) => {
    const last = Math.max(0, ...ofKind(matter, "draw", "link", "report").map((entry) => contentOf(entry)["draw"] as number));
    if (!(last > 0)) return false;
    all["draws"] = Math.max(last + random.pick([0, -1, 1, 2]), 2 * (all["rounds"] as number));
    return true;
  })],
  ["V07", "classes are too many, none, in disorder, or no names", inTerms((all, { random }) => {
    all["classes"] = { names: random.pick([[], ["b", "a"], ["a", "a"], named(16), named(17), ["A"], [""]]), share: all["classes"]?.share ?? "0.5" };
  })],
  ["V07", "the share of the classes is at the edge", part("classes", (all, { random }) => {
    all["share"] = random.pick(["0", "1", "0.0", "0.000001", "0.9999999999", "1.0", "x"]);
  })],
  ["V25", "the share of the classes moves", part("classes", (all, { random, matter }) => {
    const documents = contentOf(opening(matter))["corpus"].documents as number;
    all["share"] = random.isOneIn(2) ? decimalMoved(all["share"], random) : (random.below(12) / documents).toFixed(6);
  })],
  ["V05", "a part of the classes or witnesses is missing", (forge) => part(forge.random.pick(["classes", "witnesses", "validation"]), (all, { random }) => {
    if (random.isOneIn(2)) delete all[random.pick(Object.keys(all))]; else all["more"] = null;
  })(forge)],
  ["V05", "terms of a validation are of another type", (forge) => validation(...forge.random.pick<[string, ...Free[]]>([["viewer", "trent", "alice", ""], ["every", 0, "1"], ["window", 0, null], ["hits", -1, "2"], ["show", null, 1], ["yield", 1]]))(forge)],
  ["V07", "terms of a validation are at the edge", (forge) => validation(...forge.random.pick<[string, ...Free[]]>([["hits", 0, 1000, 1001], ["show", "0", "1", "0.99999", "0.000000000000000000001"], ["target", "0", "1", "0.001"], ["review", "0", "1", "0.00000000001"], ["yield", "0", "1", "0.999", "0.0001"]]))(forge)],
  ["V07", "a review stands with hits, or with the court as viewer", part("validation", (all, { random }) => {
    if (all["review"] === null) return false;
    if (random.isOneIn(2)) all["hits"] = 2; else all["viewer"] = "court";
    return true;
  })],
  ["V07", "a review and a share that hardly call anything", part("validation", (all, { random }) => {
    if (all["review"] === null) return false;
    [all["review"], all["show"]] = random.pick([["0.0000000001", "0.0000000001"], ["0.000000001", "0.0000000001"], ["0.00000000000000000001", "0.5"], ["0.0000000000000000001", "0.5"], ["0.0000000000000000002", "0.6"]]);
    return true;
  })],
  ["V28", "the validations come at another time", (forge) => validation(forge.random.pick(["every", "window"]), 1, 2, 3, 2 ** 31)(forge)],
  ["V28", "no validation is in the terms, or one that was not", inTerms((all) => {
    all["validation"] = all["validation"] === null ? { every: 1, hits: null, review: null, show: "0.3", target: "0.5", viewer: "bob", window: 1, yield: null } : null;
  })],
  ["V28", "the other stages, or the other viewer", part("validation", (all, { random }) => {
    if (random.isOneIn(2)) all["viewer"] = all["viewer"] === "bob" ? "court" : "bob"; else all["review"] = all["review"] === null ? "0.5" : null;
  })],
  ...["show", "target", "review", "yield"].map((name): Change => ["V28", `\`${name}\` of a validation moves`, movedInValidation(name)]),
  ...["delta", "doubt", "rate", "target", "limit"].map((name): Change => ["", `\`${name}\` of the terms moves`, moved(name)]),
  ["V13", "k is another", term("k", 1, 2, 3, 7)],
  ["V29", "the rounds are one more or less", inTerms((all, { random }) => { all["rounds"] = Math.max(1, all["rounds"] + random.pick([1, -1])); })],
  ["V27", "escalations come at another time", term("every", 1, 2, 3)],
  ["V09", "batches are of another size", inTerms((all, { random }) => { all["batch"] = Math.max(1, all["batch"] + random.pick([1, -1])); })],
  ["", "the query is empty, or another", term("query", "", " ", "other", "\u0000")],
  // Witnesses.
  ["V07", "authorities are in disorder, too many, or none without a log", inTerms((all, { random }) => {
    const log = all["witnesses"]?.log ?? null;
    all["witnesses"] = random.pick<Free>([{ authorities: [...TOKEN_KEYS].reverse(), log }, { authorities: [TOKEN_KEYS[0], TOKEN_KEYS[0]], log }, { authorities: [], log: null }, { authorities: Array.from({ length: 17 }, (_, i) => (16 + i).toString(16).repeat(32)), log }, { authorities: Array.from({ length: 16 }, (_, i) => (16 + i).toString(16).repeat(32)), log }]);
  })],
  ["V31", "witnesses are asked for that are not there", inTerms((all) => {
    if (all["witnesses"] !== null) return false;
    all["witnesses"] = { authorities: TOKEN_KEYS, log: null };
    return true;
  })],
  ["V07", "the log is no verifier key", part("witnesses", (all, { random }) => {
    all["log"] = random.pick(["", "log", "tallystick/x+00000000+AAAA", "trent.example/log+00000000+AAAA"]);
  })],
  ["V31", "the terms have no log, or no authorities", part("witnesses", (all, { random }) => {
    if (random.isOneIn(2)) all["log"] = null; else all["authorities"] = [];
  })],
  // The vocabulary, the corpus and the account.
  ["V07", "two vocabularies, or one that is no hash", vocabulary((forge) => {
    seal(forge, opening(forge.matter), "vocabulary", ["court"], forge.random.pick<Free[]>([[forge.random.hash(), forge.random.hash()], ["x"], [null], [forge.random.hash().toUpperCase()]]));
  })],
  ["V30", "a number of the account is another", ofAccount((account, { random }) => {
    const name = random.pick(["containers", "duplicates", "entered", "exceptions", "families", "items", "parts", "unread", "custodians"]);
    account[name] = Math.max(0, nudged(account[name], random));
  })],
  ["V30", "two numbers of the account that balance", ofAccount((account, { random }) => {
    const [a, b] = random.pick([["items", "containers"], ["families", "duplicates"]] as const);
    account[a] += 1;
    account[b] += 1;
    if (a === "families") account["items"] += 1;
  })],
  ["V30", "reasons of exceptions are others", ofAccount((account, { random }) => {
    account["reasons"] = { ...account["reasons"], [random.pick(["encrypted", "damaged", "\u00e9"])]: random.pick<Free>([1, 0, 2 ** 31, "1"]) };
    if (random.isOneIn(2)) {
      account["exceptions"] += 1;
      account["items"] += 1;
    }
  })],
  ["V05", "the account has another type or field", ofAccount((account, { random }) => {
    Object.assign(account, random.pick<Free>([{ more: 1 }, { first: 1 }, { protections: [1] }, { protections: ["x"] }, { unread: -1 }, { list: "" }, { reasons: [] }]));
  })],
  ["V30", "the documents are as many as others", ofOpening(({ corpus }, { random }) => {
    corpus.documents = Math.max(1, nudged(corpus.documents, random));
  })],
  ["", "the unit is the other one", ofOpening(({ corpus }, { random }) => {
    corpus.unit = random.pick([corpus.unit === "family" ? "document" : "family", "part"]);
  })],
  ["", "the root of the corpus is another", ofOpening(({ corpus }, { random }) => { corpus.root = random.hash(); })],
  ["V30", "two accounts are sealed, or none, or no reference", (forge) => {
    if (statementOf(opening(forge.matter)).sealed["account"] === undefined) return false;
    const own = openedIn(opening(forge.matter), "account")[0]?.value ?? null;
    if (own !== null) opening(forge.matter).tail = opening(forge.matter).tail.filter(({ kind }) => kind === "checkpoint");
    seal(forge, opening(forge.matter), "account", ALICE_AND_COURT, forge.random.pick<Free[]>([[null, null], ["x"], [[]], [{ size: 1 }]]));
    return true;
  }],
  ["V30", "the list is another than the account names", ofAccount((account, { random }) => { account["list"] = random.hash(); })],
  ["V30", "an item of the list is missing, doubled or in another place", ofList((items, { random }, write) => {
    const i = random.below(items.length);
    write(random.pick([items.filter((_, j) => j !== i), [...items, items[i]], [...items.slice(1), items[0]]]));
  })],
  ["V30", "an item of the list has another outcome or reason", ofList((items, { random }) => {
    Object.assign(random.pick(items), random.pick([{ outcome: "duplicate" }, { outcome: "container" }, { outcome: "other" }, { reason: "x" }, { outcome: "exception", reason: "" }, { outcome: "exception", documents: [] }]));
  })],
  ["V30", "an item of the list has other documents", ofList((items, { random }) => {
    const item = random.pick(items);
    item.documents = random.pick<Free>([[], [...item.documents, 0], [item.documents[0] + 1], [100_000], [-1], ["0"], item.documents.concat(item.documents), null]);
  })],
  ["V30", "an item of the list has one field more or less", ofList((items, { random }) => {
    const item = random.pick(items);
    if (random.isOneIn(2)) item.more = 1; else delete item[random.pick(Object.keys(item))];
  })],
  ["V30", "a duplicate equals a later item, or none", ofList((items, { random, matter }) => {
    const account = contentOf(opening(matter))["corpus"].account;
    account.items += 1;
    account.families += 1;
    account.duplicates += 1;
    const own = random.pick(items.filter((item: Free) => item.outcome === "entered"));
    const duplicate = { ...own, outcome: "duplicate", where: "again" };
    items.splice(random.pick([0, items.length, items.indexOf(own), items.indexOf(own) + 1]), 0, random.pick([duplicate, duplicate, { ...duplicate, documents: [] }, { ...duplicate, documents: [...own.documents, ...own.documents] }]));
  })],
  ["V30", "a container or an exception more, by the account and its list", ofList((items, { random, matter }) => {
    const account = contentOf(opening(matter))["corpus"].account;
    account.items += 1;
    const isContainer = random.isOneIn(2);
    if (isContainer) account.containers += 1; else {
      account.exceptions += 1;
      account.reasons = { ...account.reasons, locked: (account.reasons.locked ?? 0) + 1 };
    }
    items.splice(random.below(items.length), 0, { documents: [], outcome: isContainer ? "container" : "exception", reason: isContainer ? random.pick(["", "locked"]) : random.pick(["locked", "other", ""]), where: random.pick(["x", "", "a/b\u0000\ud83d\ude00"]) });
  })],
  ["V30", "the list is not canonical, or ends otherwise", ofList((items, { random }, write) => {
    const rows = items.map((item) => `${textOf(item)}\n`);
    write(random.pick([[rows.join("").slice(0, -1)], [...rows, "\n"], [rows.join("").replace(":", ": ")], [...rows, "[]\n"], [...rows, "x\n"], ["\n", ...rows], [rows.join("").replaceAll("\n", "\r\n")]]));
  })],
  // Signing the opening.
  ["V05", "Bob seals candidates, or Alice for the court", (forge) => {
    const signed = ofKind(forge.matter, "agreed");
    if (signed.length === 0) return false;
    const entry = forge.random.pick(signed);
    seal(forge, entry, "candidates", statementOf(entry).author === "bob" ? ["alice"] : ALICE_AND_COURT, [["x"]]);
    return true;
  }],
  ["V07", "candidates are none, too many, too long, or of another type", (forge) => setCandidates(forge.matter, forge, forge.random.pick<Free>([[], Array(1000).fill("a"), Array(1001).fill("a"), ["x".repeat(200)], ["x".repeat(201)], ["\u{1f600}".repeat(200)], ["\u{1f600}".repeat(201)], [""], [1], "x", ["x", "x"]]))],
  ["V07", "two candidates are sealed", (forge) => {
    if (!setCandidates(forge.matter, forge, ["x"])) return false;
    addSealed(forge, ofKind(forge.matter, "agreed").find((entry) => statementOf(entry).author === "alice")!, "candidates", ["y"]);
    return true;
  }],
  ["V08", "an anchor in deposit is another's, or none's", inContent("deposited", ({ anchors }, { random }) => {
    if (!isKeyed(anchors)) return false;
    const [a, b] = random.pick([["alice", "bob"], ["bob", "trent"]] as const);
    if (random.isOneIn(2)) [anchors[a], anchors[b]] = [anchors[b], anchors[a]]; else anchors[a] = random.hash();
    return true;
  })],
  ["V05", "the deposit lacks an anchor, or has one more", inContent("deposited", ({ anchors }, { random }) => {
    if (random.isOneIn(2)) delete anchors[random.pick(["alice", "bob", "trent"])]; else anchors["court"] = random.hash();
  })],
  ["V08", "the court signs before Alice or Bob", at("deposited", (entry, { matter, random }) => {
    const place = matter.entries.indexOf(entry);
    matter.entries.splice(place, 1);
    matter.entries.splice(place - random.pick([1, 2]), 0, entry);
  })],
  ["", "Alice and Bob have one anchor", (forge) => {
    const [a, b] = ofKind(forge.matter, "agreed");
    const deposit = ofKind(forge.matter, "deposited")[0];
    if (b === undefined || deposit === undefined) return false;
    contentOf(b)["anchor"] = contentOf(a!)["anchor"];
    contentOf(deposit)["anchors"][statementOf(b).author] = contentOf(a!)["anchor"];
    return true;
  }],
  ["V06", "the opening releases its account to Bob", (forge) => {
    opening(forge.matter).body.releases = [{ audience: "bob", entry: 0, field: "account", indices: null }];
    fit(forge);
    return terms(forge.matter) !== undefined;
  }],
];
