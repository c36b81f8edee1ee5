/** Changes to orders, keys and amendments, to outside witnesses, to the claims, and to what comes after them. */
import type { Role } from "../../src/engine/verdict.ts";
import { type Entry, type Free, type Matter } from "./matter.ts";
import { type Act, answersTo, at, type Change, contentOf, copyOf, cutAfter, decimalMoved, fit, type Forge, inContent, isAfterClaims, isKeyed, isTrents, kindOf, listChanged, nudged, ofKind, opening, openRound, owing, placeOf, questionOf, quiet, remove, say, shaped, statementOf, terms, toOne } from "./tools.ts";

const PEOPLE = ["alice", "bob", "court", "trent"];

/** A place at which a party owes an answer, and what it owes. */
function silent(forge: Forge): { after: Entry; role: Role; question: Entry } | null {
  const { matter, random } = forge;
  const places = shaped(matter).flatMap((after) => owing(matter, after).filter(({ role, question }) => role !== "court" && kindOf(question) !== "open").map((owed) => ({ after, ...owed })));
  return places.length === 0 ? null : random.pick(places);
}

/** The court says nothing to a silence, or something; the copy ends there. */
function orderAt(forge: Forge, wrong: boolean): boolean {
  const { matter, random } = forge;
  const place = silent(forge);
  if (place === null) return false;
  const { after, role, question } = place;
  cutAfter(forge, after);
  const absent = wrong && random.isOneIn(2) ? random.pick(PEOPLE) : role;
  const served = wrong && random.isOneIn(2) ? random.pick([...matter.entries.slice(-3), matter.entries[0]!]).id : random.pick([question, after]).id;
  const asked = say(forge, after, { author: "trent", kind: "default", asks: ["court"], content: { absent, served } });
  const granted = random.isOneIn(2);
  const link = wrong && random.isOneIn(3) ? random.hash() : null;
  const order = say(forge, asked, { author: "court", kind: "order", answers: asked, content: { absent, granted, link, served } });
  if (wrong || random.isOneIn(2)) return true;
  // What comes next may be due, or too late.
  if (random.isOneIn(2)) say(forge, order, { author: "trent", kind: random.pick(["late", "clawback", "dispute"]), round: openRound(matter, order) ?? 0, asks: ["alice"] });
  else say(forge, order, { author: "trent", kind: "default", asks: ["court"], content: { absent: role, served: question.id } });
  return true;
}

/** A new key is asked for anywhere, granted or not; what became void may be asked again. */
function rekeyAt(forge: Forge): boolean {
  const { matter, random } = forge;
  const begun = ofKind(matter, "deposited")[0];
  const places = shaped(matter).filter((entry) => begun !== undefined && placeOf(matter, entry) >= placeOf(matter, begun) && !isAfterClaims(matter, entry) && !owing(matter, entry).some(({ role }) => role === "court"));
  return toOne(places, random, (after) => {
    cutAfter(forge, after);
    const role = random.pick(["alice", "bob"]);
    const owed = owing(matter, after).filter((one) => one.role === role);
    const key = newKey(forge);
    const asked = say(forge, after, { author: "trent", kind: "rekey", asks: ["court"], content: { key, role } });
    const granted = !random.isOneIn(4);
    const said = say(forge, asked, { author: "court", kind: "rekeyed", answers: asked, content: { granted, key, role } });
    for (const { question } of owed) {
      if (random.isOneIn(4)) continue;
      const again = say(forge, matter.entries.at(-1) ?? said, { author: "trent", kind: "again", round: statementOf(question).round, asks: [role], content: { question: question.id } });
      if (kindOf(question) === "amend") say(forge, again, { author: role as Role, kind: "amended", answers: again, content: { accepted: true } });
    }
    return true;
  });
}

/** A key that nobody has or had: the forger gets one of its own in its place. */
const SPARE_KEYS = ["d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"];
function newKey({ matter, random }: Forge): string {
  const key = random.pick(SPARE_KEYS);
  if (!matter.keys.includes(key)) matter.keys.push(key);
  return key;
}

/** An amendment where nobody must answer, with its answers; the copy goes on, or ends there. */
function amendAt(forge: Forge): boolean {
  const { matter, random } = forge;
  const after = quiet(forge);
  if (after === null) return false;
  if (random.isOneIn(2)) cutAfter(forge, after);
  const { rounds, limit = null, draws } = terms(matter);
  const changed = random.pick([rounds + 1, rounds - 1, rounds, 1, rounds + 2, 2 ** 12, 2 ** 12 + 1, Math.floor(draws / 2), Math.floor(draws / 2) + 1]);
  const content = { limit: limit === null ? random.pick([null, null, null, "0.5"]) : random.pick([limit, limit, decimalMoved(limit, random), `${limit}0`, "0", "1.1", null]), rounds: Math.max(1, changed) };
  const asked = say(forge, after, { author: "trent", kind: "amend", asks: ["alice", "bob", "court"], content });
  let last = asked;
  for (const author of ["alice", "bob", "court"] as const) last = say(forge, last, { author, kind: "amended", answers: asked, content: { accepted: !random.isOneIn(5) } });
  return true;
}

/** What the claims state, wherever it stands: a number, a text, true or false. */
function paths(value: Free, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => paths(item, [...path, i]));
  if (isKeyed(value)) return Object.entries(value).flatMap(([key, item]) => paths(item, [...path, key]));
  return [path];
}
function inClaims(act: (content: Record<string, Free>, forge: Forge, entry: Entry) => boolean | void): Act {
  return inContent("claims", act);
}
/** Another value of the same type at a place of the claims below a name. */
function otherAt(content: Record<string, Free>, name: string, forge: Forge): boolean {
  const found = paths(content[name]);
  if (found.length === 0) return false;
  const path = [name, ...forge.random.pick(found)];
  let holder: Free = content;
  for (const key of path.slice(0, -1)) holder = holder[key];
  const key = path.at(-1)!;
  const value = holder[key];
  holder[key] = typeof value === "number" ? Math.max(0, nudged(value, forge.random)) : typeof value === "boolean" ? !value : typeof value === "string" ? forge.random.pick([`${value} `, "", "rounds", "batch"]) : 0;
  return true;
}

const amendedEnd = (matter: Matter): Entry | undefined => ofKind(matter, "claims")[0];
/** Something said after the claims. */
const afterwards = (act: (claims: Entry, last: Entry, forge: Forge) => void): Act => (forge) => {
  const claims = amendedEnd(forge.matter);
  if (claims === undefined) return false;
  act(claims, forge.matter.entries.at(-1)!, forge);
  return true;
};

export const END: readonly Change[] = [
  // Silence.
  ["V26", "a default is about another party", inContent("default", (content, { random }) => {
    content["absent"] = random.pick(PEOPLE.filter((one) => one !== content["absent"]));
  })],
  ["V26", "a default and its order are about another party", at("default", (entry, { matter, random }) => {
    const absent = random.pick(PEOPLE.filter((one) => one !== contentOf(entry)["absent"]));
    for (const one of [entry, ...answersTo(matter, entry)]) contentOf(one)["absent"] = absent;
  })],
  ["V26", "a default served something else", at("default", (entry, { matter, random }) => {
    const served = random.pick([matter.entries[0]!.id, random.hash(), matter.entries[Math.max(0, placeOf(matter, entry) - 1)]!.id, ...matter.entries.slice(Math.max(0, placeOf(matter, entry) - 4), placeOf(matter, entry)).map(({ id }) => id)]);
    for (const one of [entry, ...answersTo(matter, entry)]) contentOf(one)["served"] = served;
  })],
  ["V26", "an order is about another party, or served something else", inContent("order", (content, { random }) => {
    if (random.isOneIn(2)) content["absent"] = random.pick(PEOPLE.filter((one) => one !== content["absent"])); else content["served"] = random.hash();
  })],
  ["V26", "an order gives a link, or none", inContent("order", (content, { random }) => {
    content["link"] = content["link"] === null ? random.hash() : null;
  })],
  ["V08", "an order gives another link", inContent("order", (content, { random }) => {
    if (content["link"] === null) return false;
    content["link"] = random.hash();
    return true;
  })],
  ["", "the court grants what it did not, or the other way", inContent(["order", "rekeyed"], (content) => {
    content["granted"] = !content["granted"];
  })],
  ["", "silence, and an order", (forge) => orderAt(forge, false)],
  ["V26", "silence of another, or an order that is wrong", (forge) => orderAt(forge, true)],
  ["V05", "a party answers while the court is asked about its silence, or after", (forge) => toOne(ofKind(forge.matter, "labels", "link", "report", "claim", "amended", "look", "reclaim").filter((entry) => statementOf(entry).author !== "court"), forge.random, (entry) => {
    const { matter, random } = forge;
    const question = questionOf(matter, entry);
    if (question === undefined) return false;
    const after = matter.entries[placeOf(matter, entry) - 1]!;
    const content = { absent: statementOf(entry).author as string, served: question.id };
    const asked = say(forge, after, { author: "trent", kind: "default", asks: ["court"], content });
    const order = { author: "court", kind: "order", answers: asked, content: { ...content, granted: !random.isOneIn(3), link: null } } as const;
    if (random.isOneIn(2)) say(forge, asked, order); else say(forge, entry, order);
    return true;
  })],
  ["V26", "a default, a new key or an amendment before all have signed", (forge) => {
    const { matter, random } = forge;
    const after = random.pick([opening(matter), ...ofKind(matter, "agreed")]);
    switch (random.below(3)) {
      case 0:
        say(forge, after, { author: "trent", kind: "default", asks: ["court"], content: { absent: "bob", served: opening(matter).id } });
        break;
      case 1:
        say(forge, after, { author: "trent", kind: "rekey", asks: ["court"], content: { key: newKey(forge), role: "bob" } });
        break;
      default:
        say(forge, after, { author: "trent", kind: "amend", asks: ["alice", "bob", "court"], content: { limit: terms(matter)["limit"] ?? null, rounds: terms(matter)["rounds"] + 1 } });
    }
  }],
  // Keys.
  ["V26", "a new key is for the court or Trent, or is taken", inContent("rekey", (content, { random, matter }) => {
    if (random.isOneIn(2)) content["role"] = random.pick(["court", "trent", content["role"] === "alice" ? "bob" : "alice"]); else content["key"] = random.pick([...Object.values(contentOf(opening(matter))["keys"]), "00".repeat(32), `01${"00".repeat(31)}`, "ff".repeat(32)]);
  })],
  ["V03", "a new key is for the court or Trent, or is taken, and is granted", at("rekey", (entry, { random, matter }) => {
    const change = random.pick<Free>([{ role: "court" }, { role: "trent" }, { key: "00".repeat(32) }, { key: random.pick(Object.values(contentOf(opening(matter))["keys"])) }]);
    for (const one of [entry, ...answersTo(matter, entry)]) Object.assign(contentOf(one), change);
  })],
  ["V26", "the court grants another key, or for another", inContent("rekeyed", (content, forge) => {
    if (forge.random.isOneIn(2)) content["key"] = newKey(forge); else content["role"] = content["role"] === "alice" ? "bob" : "alice";
  })],
  ["", "a new key where somebody may owe an answer", rekeyAt],
  ["V03", "a party signs by the key that it gave up, or that it does not have yet", (forge) => {
    const { matter, random } = forge;
    const grants = ofKind(matter, "rekeyed").filter((entry) => contentOf(entry)["granted"] === true);
    return toOne(grants, random, (grant) => {
      const { role, key } = contentOf(grant);
      const said = shaped(matter).filter((entry) => statementOf(entry).author === role);
      const isLater = random.isOneIn(2);
      const some = said.filter((entry) => placeOf(matter, entry) > placeOf(matter, grant) === isLater);
      if (some.length === 0) return false;
      random.pick(some).signer = isLater ? contentOf(opening(matter))["keys"][role] : key;
      return true;
    });
  }],
  ["V05", "what became void is not asked again", (forge) => toOne(ofKind(forge.matter, "again"), forge.random, (entry) => {
    for (const answer of answersTo(forge.matter, entry)) statementOf(answer).answers = contentOf(entry)["question"];
    remove(forge.matter, entry);
  })],
  ["V05", "another question is asked again", inContent("again", (content, { matter, random }) => {
    content["question"] = random.pick([random.hash(), ...matter.entries.slice(0, 30).map(({ id }) => id)]);
  })],
  ["V05", "an again asks another, or more than one", at("again", (entry, { random }) => {
    entry.body.asks = random.pick([["alice", "bob"], ["court"], [entry.body.asks[0] === "alice" ? "bob" : "alice"], []]);
  })],
  ["V05", "a question is asked again that is not void", (forge) => {
    const place = silent(forge);
    if (place === null) return false;
    cutAfter(forge, place.after);
    say(forge, place.after, { author: "trent", kind: "again", round: statementOf(place.question).round, asks: [place.role], content: { question: place.question.id } });
    return true;
  }],
  // Amendments.
  ["V26", "an amendment states other rounds or another limit", inContent("amend", (content, { random, matter }) => {
    if (random.isOneIn(2)) content["rounds"] = random.pick([1, 2 ** 12, 2 ** 12 + 1, content["rounds"] + 1, Math.max(1, content["rounds"] - 1), terms(matter)["rounds"]]); else content["limit"] = random.pick([null, "0.5", "1", "0", "1.1", "x", content["limit"] === null ? "0" : `${content["limit"]}0`]);
  })],
  ["", "somebody accepts an amendment that it did not, or the other way", inContent("amended", (content) => {
    content["accepted"] = !content["accepted"];
  })],
  ["", "an amendment", amendAt],
  // Witnesses.
  ["V31", "a stamp or a log proof is about another root", at(["stamped", "logged"], (entry, { matter, random }) => {
    entry.keep.add("root");
    contentOf(entry)["root"] = random.pick([random.hash(), matter.entries[0]!.id]);
  })],
  ["V31", "a stamp or a log proof is missing", at(["stamped", "logged"], (entry, { matter }) => remove(matter, entry))],
  ["V31", "a proof of the log is another", at("logged", (entry, { matter, random }) => {
    const proof = contentOf(entry)["proof"] as string;
    entry.keep.add("proof");
    const other = ofKind(matter, "logged").find((one) => one !== entry);
    contentOf(entry)["proof"] = random.pick<Free>([proof, proof.replace("index ", "index 0"), "", proof.replace("tlog-proof", "tlog"), contentOf(other ?? entry)["proof"], null]);
  })],
  ["V31", "a stamp or a log proof comes one entry too early or too late", at(["stamped", "logged"], (entry, { matter, random }) => {
    const place = placeOf(matter, entry);
    matter.entries.splice(place, 1);
    matter.entries.splice(Math.max(1, place + random.pick([1, -1, 2])), 0, entry);
  })],
  ["V05", "a log proof or a stamp in a round", (forge) => {
    const { matter, random } = forge;
    const after = quiet(forge, random.isOneIn(4) ? "between" : "open");
    if (after === null) return false;
    const entry = say(forge, after, { author: "trent", kind: "stamped", content: { root: random.hash(), token: random.hash() } });
    if (!random.isOneIn(5)) entry.keep.delete("root");
    return matter.entries.length > 0;
  }],
  ["V31", "a proof of the log where the terms have none", (forge) => {
    if (terms(forge.matter)["witnesses"] !== null) return false;
    const after = quiet(forge, "between");
    if (after === null) return false;
    const entry = say(forge, after, { author: "trent", kind: "logged", content: { proof: "", root: forge.random.hash() } });
    entry.keep.delete("root");
    return true;
  }],
  // Claims.
  ...["rounds", "certificates", "validations", "truth"].map((name): Change => [name === "certificates" ? "V18" : "V17", `\`${name}\` of the claims are others`, inClaims((content, forge) => otherAt(content, name, forge))]),
  ["V17", "a number of the claims is another", inClaims((content, forge) => otherAt(content, forge.random.pick(["alice_errors", "clawed_back", "compelled_rounds", "defaults", "disputes", "found", "in_camera", "nrd", "privileged", "revealed", "reviewed"]), forge))],
  ["V17", "two numbers of the claims that balance", inClaims((content, { random }) => {
    const [a, b] = random.pick([["privileged", "in_camera"], ["in_camera", "privileged"], ["found", "nrd"]] as const);
    content[a] += 1;
    content[b] = Math.max(0, content[b] - 1);
  })],
  ["V17", "the guarantee is in other words", inClaims((content, { random }) => {
    content["guarantee"] = random.pick([`${content["guarantee"]} `, "", content["guarantee"].toLowerCase()]);
  })],
  ["V18", "an at_most of the claims is one less or more", inClaims((content, { random }) => {
    const { certificates, validations } = content;
    const all = [certificates?.reviewed, certificates?.collection, ...(validations ?? [])].filter((one) => isKeyed(one) && typeof one["at_most"] === "number");
    if (all.length === 0) return false;
    const one = random.pick(all);
    one.at_most = Math.max(0, one.at_most + random.pick([1, -1]));
    return true;
  })],
  ["V18", "a certificate says the other of reached", inClaims(({ certificates, validations }, { random }) => {
    const all = [certificates?.reviewed, certificates?.collection, ...(validations ?? [])].filter((one) => isKeyed(one) && typeof one["reached"] === "boolean");
    if (all.length === 0) return false;
    const one = random.pick(all);
    one.reached = !one.reached;
    return true;
  })],
  ["V18", "a certificate has another target, doubt or number found, or none", inClaims(({ certificates }, { random }) => {
    const one = random.pick([certificates?.reviewed, certificates?.collection]);
    if (!isKeyed(one)) return false;
    Object.assign(one, random.pick<Free>([{ target: one["target"] === null ? "0.5" : null }, { doubt: `${one["doubt"]}0` }, { found: (one["found"] as number) + 1 }, { assumes: "" }, ...("unreviewed" in one ? [{ at_most: null }, { unreviewed: (one["unreviewed"] as number) + 1 }] : [])]));
    return true;
  })],
  ["V29", "the claims say otherwise why the review ended", inClaims((content, { random }) => {
    content["ended"] = random.pick(["rounds", "documents", "validation", "amendment", ""].filter((one) => one !== content["ended"]));
  })],
  ["V17", "the claims leave out a round, or have one twice", inClaims((content, { random }) => {
    const name = random.pick(["rounds", "validations"]);
    if (!Array.isArray(content[name]) || content[name].length === 0) return false;
    content[name] = listChanged(content[name] as Free[], random, content[name][0]);
    return true;
  })],
  ["V05", "the claims have another type", inClaims((content, { random }) => {
    Object.assign(content, random.pick<Free>([{ found: -1 }, { rounds: null }, { ended: null }, { truth: {} }, { certificates: null }, { validations: {} }, { guarantee: 1 }]));
  })],
  ["V29", "the claims come too early", (forge) => {
    const { matter, random } = forge;
    const claims = amendedEnd(matter);
    const closes = ofKind(matter, "closed");
    if (claims === undefined || closes.length < 2) return false;
    const content = structuredClone(contentOf(claims));
    const after = random.pick(closes.slice(0, -1));
    cutAfter(forge, after);
    say(forge, after, { author: "trent", kind: "claims", content });
    return true;
  }],
  ["V05", "the claims come twice", afterwards((claims, last, forge) => { copyOf(forge, claims, last); })],
  // After the claims.
  ["V05", "something comes after the claims", afterwards((_, last, forge) => {
    const { random, matter } = forge;
    const kind = random.pick(["clawback", "late", "rekey", "amend", "stamped", "again", "conflict", "claims", "nothing"]);
    const content: Record<string, Free> = kind === "rekey" ? { key: newKey(forge), role: "bob" } : kind === "amend" ? { limit: null, rounds: 9 } : {};
    say(forge, last, { author: "trent", kind, asks: kind === "rekey" ? ["court"] : kind === "clawback" || kind === "late" ? ["alice"] : [], content });
    fit(forge);
    return matter;
  })],
  ["V26", "the matter ends without one, by an order", afterwards((claims, last, forge) => {
    const { random } = forge;
    const absent = random.pick(["alice", "bob", "bob", "court", "trent"]);
    const served = random.pick([claims, last, last, forge.matter.entries.at(-3) ?? last]).id;
    const asked = say(forge, last, { author: "trent", kind: "default", asks: ["court"], content: { absent, served } });
    say(forge, asked, { author: "court", kind: "order", answers: asked, content: { absent, granted: !random.isOneIn(4), link: random.isOneIn(6) ? random.hash() : null, served } });
  })],
  ["", "the matter ends without one, whose line is not there", afterwards((claims, last, forge) => {
    const { random, matter } = forge;
    const absent = random.pick(["alice", "bob"]);
    const granted = !random.isOneIn(3);
    const asked = say(forge, last, { author: "trent", kind: "default", asks: ["court"], content: { absent, served: claims.id } });
    say(forge, asked, { author: "court", kind: "order", answers: asked, content: { absent, granted, link: null, served: claims.id } });
    const gone = random.pick([absent, absent, "court", "alice", "bob"]);
    for (const { tail } of matter.entries) for (const one of tail) if (one.kind === "checkpoint" && one.point.lines.length > 1) one.point.lines = one.point.lines.filter(({ name }) => !name.endsWith(`/${gone}`));
  })],
  // The copy as a whole.
  ["", "the copy ends earlier", (forge) => toOne(shaped(forge.matter).slice(1), forge.random, (entry) => cutAfter(forge, entry))],
  ["", "the copy ends earlier, after an entry of a rare kind", (forge) => toOne(shaped(forge.matter).filter((entry) => ["camera", "privilege", "claim", "look", "call", "validation", "order", "rekeyed", "again", "returned", "default"].includes(kindOf(entry))), forge.random, (entry) => cutAfter(forge, entry))],
  ["V05", "Trent goes on while somebody must answer", (forge) => {
    const place = silent(forge);
    if (place === null) return false;
    cutAfter(forge, place.after);
    const next = forge.random.pick(["stamped", "late", "clawback", "amend", "draw"]);
    say(forge, place.after, { author: "trent", kind: next, round: next === "late" ? (openRound(forge.matter, place.after) ?? 0) : 0, asks: next === "late" || next === "clawback" ? ["alice"] : next === "amend" ? ["alice", "bob", "court"] : [], content: next === "amend" ? { limit: terms(forge.matter)["limit"] ?? null, rounds: terms(forge.matter)["rounds"] + 1 } : {} });
    return true;
  }],
  ["", "times go backwards", (forge) => {
    for (const entry of shaped(forge.matter)) entry.body.time = 2 ** 53 - 1 - entry.body.time;
    return shaped(forge.matter).some(isTrents);
  }],
];
