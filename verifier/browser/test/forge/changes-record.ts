/** Changes to the record itself: shapes, chain, signatures, openings, attachments, checkpoints, manifest. */
import { utf8 } from "../../src/engine/bytes.ts";
import { attachmentBytes, type Entry, type Free, hashOfStatement, type Matter } from "./matter.ts";
import type { Checkpoint } from "./note.ts";
import { type Act, answersTo, at, before, type Change, contentOf, copyOf, fit, type Forge, isTrents, kindOf, ofKind, openedIn, opening, placeOf, questionOf, remove, say, shaped, statementOf, toOne } from "./tools.ts";

const trents = (forge: Forge): Entry[] => shaped(forge.matter).filter(isTrents);
const partys = (forge: Forge): Entry[] => shaped(forge.matter).filter((entry) => !isTrents(entry));
const later = (list: Entry[]): Entry[] => list.slice(1);

type OfEntry = (entry: Entry, forge: Forge) => boolean | void;
const any = (act: OfEntry): Act => (forge) => toOne(shaped(forge.matter), forge.random, (entry) => act(entry, forge));
const anyLater = (act: OfEntry): Act => (forge) => toOne(later(shaped(forge.matter)), forge.random, (entry) => act(entry, forge));
const anyTrents = (act: OfEntry): Act => (forge) => toOne(trents(forge), forge.random, (entry) => act(entry, forge));
const anyPartys = (act: OfEntry): Act => (forge) => toOne(partys(forge), forge.random, (entry) => act(entry, forge));
const sealing = (act: (entry: Entry, field: string, forge: Forge) => boolean | void): Act => (forge) =>
  toOne(shaped(forge.matter).filter((entry) => Object.keys(statementOf(entry).sealed).length > 0), forge.random, (entry) => act(entry, forge.random.pick(Object.keys(statementOf(entry).sealed)), forge));
const releasing = (act: OfEntry): Act => (forge) => toOne(shaped(forge.matter).filter((entry) => entry.body.releases.length > 0), forge.random, (entry) => act(entry, forge));

/** The entry no longer has the shape of one: its body is signed as it is. */
function misshapen(entry: Entry, change: (body: Free) => void): void {
  change(entry.body);
  entry.raw = entry.opened === null ? entry.raw : {};
}

function deep(levels: number): Free {
  let value: Free = {};
  for (let i = 1; i < levels; i++) value = { a: value };
  return value;
}

const points = (matter: Matter): Checkpoint[] => matter.entries.flatMap(({ tail }) => tail.flatMap((one) => (one.kind === "checkpoint" ? [one.point] : [])));
const onPoint = (act: (point: Checkpoint, forge: Forge) => boolean | void): Act => (forge) => {
  const all = points(forge.matter);
  return all.length > 0 && act(forge.random.pick(all), forge) !== false;
};
const lineOf = (point: Checkpoint, forge: Forge): Checkpoint["lines"][number] => forge.random.pick(point.lines);

const line = (matter: Matter, key: string): Entry[] => matter.entries.filter(({ tail }) => tail.some((one) => one.kind === "line" && key in one.value));

/** A line behind an entry is missing, comes twice, or has another value. */
const oneLine = (key: "chunk" | "token", other: Free): Act => (forge) => {
  const all = line(forge.matter, key);
  if (all.length === 0) return false;
  const { tail } = forge.random.pick(all);
  const i = tail.findIndex((one) => one.kind === "line" && key in one.value);
  switch (forge.random.below(3)) {
    case 0:
      tail.splice(i, 1);
      break;
    case 1:
      tail.splice(i, 0, structuredClone(tail[i]!));
      break;
    default:
      (tail[i] as Free).value[key] = other;
  }
  return true;
};

export const RECORD: readonly Change[] = [
  // Shapes of a body that Trent signs.
  ["V01", "a body has one field more", anyTrents((entry) => misshapen(entry, (body) => (body.note = "")))],
  ["V01", "a body lacks its time", any((entry) => misshapen(entry, (body) => delete body.time))],
  ["V01", "a time is negative, or as large as can be, or larger", any((entry, { random }) => misshapen(entry, (body) => (body.time = random.pick([-1, 2 ** 53 - 1, 2n ** 53n, null, "0"]))))],
  ["V01", "a kind is no name", any((entry, { random }) => misshapen(entry, (body) => (body.statement.kind = random.pick(["", "Draw", "9", "a".repeat(64), "a".repeat(65), "é"]))))],
  ["V01", "an author is none of the four", anyLater((entry) => misshapen(entry, (body) => (body.statement.author = "carol")))],
  ["V01", "a content is deep", any((entry, { random }) => { contentOf(entry)["more"] = deep(random.pick([21, 22, 23, 24, 25, 28, 29])); })],
  ["V01", "a key is outside ASCII", any((entry, { random }) => { contentOf(entry)[random.pick(["é", "\u{1f600}", "\uffff"])] = 1; })],
  ["V01", "a hash is in capitals, or too short", any((entry, { random }) => misshapen(entry, (body) => {
    entry.keep.add("previous");
    body.previous = random.pick([body.previous.toUpperCase(), body.previous.slice(2), `${body.previous}00`]);
  }))],
  ["V01", "a signature has another length, or is null though a party speaks", anyPartys((entry, { random }) => {
    entry.keep.add("signature");
    entry.body.signature = random.pick(["", "00".repeat(63), "00".repeat(64), null]);
  })],
  ["V01", "a round is no natural", any((entry, { random }) => { statementOf(entry).round = random.pick<Free>([-1, null, "1", 2n ** 60n, true]); })],
  ["V01", "a sealed field has one part more, or is none", sealing((entry, field, { random }) => {
    statementOf(entry).sealed[field] = random.pick<Free>([{ ...statementOf(entry).sealed[field], more: 1 }, null, []]);
    entry.raw = {};
    entry.opened = null;
  })],
  ["V01", "a name of a sealed field is no name", sealing((entry, field) => { statementOf(entry).sealed["A"] = statementOf(entry).sealed[field]!; })],
  ["V01", "asks are in disorder, doubled, or have Trent", any((entry, { random }) => {
    entry.body.asks = random.pick([["bob", "alice"], ["alice", "alice"], [...entry.body.asks, "trent"], ["trent"]]);
  })],
  ["V01", "replaces are in disorder or doubled", anyPartys((entry, { random }) => {
    const a = random.hash();
    statementOf(entry).replaces = random.pick([[a, a], ["ff".repeat(32), "00".repeat(32)]]);
  })],
  ["V05", "an answer replaces what nobody has said", anyPartys((entry, { random }) => { statementOf(entry).replaces = [random.hash()]; })],
  ["V01", "audiences are in disorder, doubled, or have the public", sealing((entry, field, { random }) => {
    const sealed = statementOf(entry).sealed[field]!;
    sealed.audiences = random.pick([[...sealed.audiences].reverse(), [...sealed.audiences, sealed.audiences.at(-1)!], [...sealed.audiences, "public"]]);
  })],
  ["V01", "a sealed field has no commitment", sealing((entry, field) => {
    statementOf(entry).sealed[field]!.commitments = [];
    delete entry.opened![field];
  })],
  ["V01", "two commitments are equal", sealing((entry, field) => {
    const { commitments } = statementOf(entry).sealed[field]!;
    const own = openedIn(entry, field)[0];
    if (own !== undefined) entry.opened![field] = [...openedIn(entry, field), { ...own, index: commitments.length }];
    commitments.push(commitments[0]!);
  })],
  ["V01", "releases are in disorder, or one stands twice", releasing((entry) => { entry.body.releases.push({ ...entry.body.releases[0]! }); })],
  ["V01", "a release has no index, or indices in disorder", releasing((entry, { random }) => {
    const release = random.pick(entry.body.releases);
    release.indices = random.pick([[], [1, 0], [0, 0]]);
  })],
  ["V01", "a release names its own entry, or a later one", releasing((entry, forge) => {
    entry.keep.add("releases");
    const own = placeOf(forge.matter, entry);
    for (const release of entry.body.releases) release.entry = own + forge.random.below(2);
  })],
  ["V01", "a release is for the public", releasing((entry) => { entry.body.releases.at(-1)!.audience = "public"; })],
  // The chain.
  ["V02", "an entry names another before it", anyLater((entry, { matter, random }) => {
    entry.keep.add("previous");
    entry.body.previous = random.pick([matter.entries[0]!.id, random.hash(), "00".repeat(32)]);
  })],
  ["V02", "the first entry names one before it", (forge) => {
    const entry = opening(forge.matter);
    entry.keep.add("previous");
    entry.body.previous = forge.random.hash();
  }],
  ["V02", "a statement is of another matter", any((entry, { random }) => { statementOf(entry).matter = random.hash(); })],
  ["", "an entry is of another matter, statement and all", anyLater((entry, { random }) => {
    entry.body.matter = statementOf(entry).matter = random.hash();
  })],
  ["", "an entry has another number", anyLater((entry, { random }) => {
    entry.keep.add("sequence");
    entry.body.sequence += random.pick([1, -1, 7]);
  })],
  ["V05", "a second opening", anyLater((entry, forge) => {
    const copy = copyOf(forge, opening(forge.matter), entry);
    copy.opened = {};
    fit(forge);
  })],
  ["V05", "the record begins with another kind", (forge) => {
    statementOf(opening(forge.matter)).kind = forge.random.pick(["draw", "closed", "openn"]);
  }],
  ["V05", "another entry is of the kind open", anyLater((entry) => { statementOf(entry).kind = "open"; })],
  ["V03", "two roles have one key", (forge) => {
    const keys = contentOf(opening(forge.matter))["keys"];
    const [a, b] = forge.random.pick([["alice", "bob"], ["court", "trent"], ["alice", "trent"]] as const);
    keys[a] = keys[b];
  }],
  ["V05", "Trent's words answer something", anyTrents((entry, forge) => {
    statementOf(entry).answers = before(forge.matter, entry)?.id ?? entry.id;
  })],
  ["V05", "Trent's words have a signature of their own", anyTrents((entry) => { entry.keep.delete("signature"); })],
  ["V05", "Trent's words replace others", anyTrents((entry) => { statementOf(entry).replaces = [entry.statementId]; })],
  ["V03", "a party's words are signed by another", anyPartys((entry, { matter, random }) => {
    const keys = contentOf(opening(matter))["keys"];
    entry.signer = keys[random.pick(["alice", "bob", "court", "trent"].filter((role) => role !== statementOf(entry).author))];
  })],
  ["V03", "a party's words come under another name, by its own key", anyPartys((entry, { matter }) => {
    const author = statementOf(entry).author;
    entry.signer = contentOf(opening(matter))["keys"][author];
    statementOf(entry).author = author === "alice" ? "bob" : "alice";
  })],
  ["V05", "a party's words come under another name, by that one's key", anyPartys((entry) => {
    statementOf(entry).author = statementOf(entry).author === "alice" ? "bob" : "alice";
  })],
  ["V05", "a party speaks as Trent", anyPartys((entry) => {
    statementOf(entry).author = "trent";
    entry.keep.add("signature");
    entry.body.signature = null;
    statementOf(entry).answers = null;
  })],
  ["V05", "Trent's words come from a party", anyTrents((entry, { random }) => {
    statementOf(entry).author = random.pick(["alice", "bob", "court"]);
    entry.keep.delete("signature");
  })],
  ["V05", "a party answers twice", anyPartys((entry, forge) => {
    const copy = copyOf(forge, entry, entry);
    copy.opened = structuredClone(entry.opened);
  })],
  ["V05", "a party answers an entry that has not asked it", anyPartys((entry, { matter, random }) => {
    statementOf(entry).answers = random.pick(matter.entries.slice(0, placeOf(matter, entry))).id;
  })],
  ["V05", "a party answers what is not there, or nothing", anyPartys((entry, { random }) => {
    statementOf(entry).answers = random.pick([random.hash(), null]);
  })],
  ["V05", "an answer is of another round", anyPartys((entry, { random }) => { statementOf(entry).round += random.pick([1, 2]); })],
  ["V05", "Trent's entry is of another round", anyTrents((entry, { matter, random }) => {
    const by = random.pick([1, -1, 1, 3]);
    if (statementOf(entry).round + by < 0) return false;
    statementOf(entry).round += by;
    for (const answer of answersTo(matter, entry)) statementOf(answer).round += by;
    return true;
  })],
  ["V05", "an answer comes in place of the next", anyPartys((entry, { matter }) => {
    const place = placeOf(matter, entry);
    const next = matter.entries[place + 1];
    if (next === undefined || !next.isShaped) return false;
    matter.entries.splice(place, 2, next, entry);
    return true;
  })],
  ["", "two answers to one question change places", (forge) => toOne(shaped(forge.matter).filter((entry) => answersTo(forge.matter, entry).length > 1), forge.random, (entry) => {
    const [a, b] = answersTo(forge.matter, entry);
    const { entries } = forge.matter;
    const [i, j] = [entries.indexOf(a!), entries.indexOf(b!)];
    if (j !== i + 1) return false;
    entries[i] = b!;
    entries[j] = a!;
    return true;
  })],
  ["V05", "an answer is missing", anyPartys((entry, forge) => { remove(forge.matter, entry); fit(forge); })],
  ["V05", "an entry of Trent's is missing", (forge) => toOne(later(trents(forge)), forge.random, (entry) => {
    for (const answer of answersTo(forge.matter, entry)) remove(forge.matter, answer);
    remove(forge.matter, entry);
    fit(forge);
  })],
  ["", "an entry comes twice, as it is", anyLater((entry, forge) => {
    const copy = copyOf(forge, entry, entry);
    for (const part of ["sequence", "previous"] as const) copy.keep.add(part);
    copy.body.sequence = placeOf(forge.matter, entry);
    copy.body.previous = before(forge.matter, entry)!.id;
  })],
  ["", "one number has two entries", anyLater((entry, forge) => {
    const copy = copyOf(forge, entry, entry);
    copy.keep.add("sequence");
    copy.keep.add("previous");
    copy.body.sequence = placeOf(forge.matter, entry);
    copy.body.previous = before(forge.matter, entry)!.id;
    copy.body.time += 1;
  })],
  ["V05", "an entry asks one party more", anyTrents((entry, { random }) => {
    entry.body.asks = [...new Set([...entry.body.asks, random.pick(["alice", "bob", "court"])])].sort();
  })],
  ["V05", "an answer asks somebody, or not", anyPartys((entry, { random }) => {
    entry.body.asks = entry.body.asks.length > 0 ? [] : [random.pick(["alice", "bob", "court"])];
  })],
  ["V05", "an entry asks one party less", (forge) => toOne(trents(forge).filter((entry) => entry.body.asks.length > 0), forge.random, (entry) => {
    entry.body.asks.splice(forge.random.below(entry.body.asks.length), 1);
  })],
  ["V05", "a party that owes an answer says something else", (forge) => toOne(shaped(forge.matter).filter((entry) => !isTrents(entry)), forge.random, (entry) => {
    statementOf(entry).kind = forge.random.pick(["labels", "link", "amended", "whatever", "report", "claims"]);
  })],
  ["V05", "a content has one field more", any((entry, { random }) => {
    contentOf(entry)[random.pick(["note", "positions", "Round"])] = random.pick<Free>([1, null, "x", []]);
  })],
  ["V05", "a content lacks a field", any((entry, { random }) => {
    const names = Object.keys(contentOf(entry));
    if (names.length === 0) return false;
    delete contentOf(entry)[random.pick(names)];
    return true;
  })],
  ["V05", "a field is sealed for one more, or for one less", sealing((entry, field, forge) => {
    const sealed = statementOf(entry).sealed[field]!;
    sealed.audiences = sealed.audiences.length === 1 || forge.random.isOneIn(2) ? [...new Set([...sealed.audiences, "bob", "court"])].sort() : sealed.audiences.slice(0, -1);
    fit(forge);
  })],
  ["V05", "a field is sealed that the kind does not have", any((entry, { random }) => {
    statementOf(entry).sealed[random.pick(["labels", "reasons", "evidence", "extra"])] ??= { audiences: ["alice", "bob", "court"], commitments: [random.hash()] };
    entry.keep.add("openings");
  })],
  ["V05", "a sealed field is not there", sealing((entry, field) => { delete statementOf(entry).sealed[field]; delete entry.opened![field]; })],
  ["V05", "an entry releases something though its kind does not", (forge) => toOne(shaped(forge.matter).filter((entry) => ["batch", "draw", "dispute", "late", "claims", "labels"].includes(kindOf(entry))), forge.random, (entry) => {
    const batch = ofKind(forge.matter, "batch").find((one) => placeOf(forge.matter, one) < placeOf(forge.matter, entry));
    if (batch === undefined) return false;
    entry.body.releases = [{ audience: "bob", entry: batch.number, field: "numbers", indices: null }];
    fit(forge);
    return true;
  })],
  // Openings and releases.
  ["V06", "a release comes once more, of what was released", releasing((entry, forge) => {
    const other = shaped(forge.matter).find((one) => one.body.releases.length > 0 && placeOf(forge.matter, one) > placeOf(forge.matter, entry));
    if (other === undefined) return false;
    other.body.releases.push(...structuredClone(entry.body.releases).filter((release) => !other.body.releases.some((one) => one.entry === release.entry && one.field === release.field && one.audience === release.audience)));
    other.body.releases.sort((a, b) => (a.audience === b.audience ? a.entry - b.entry : a.audience < b.audience ? -1 : 1));
    return true;
  })],
  ["V06", "a release names an index that is not there", releasing((entry) => {
    const release = entry.body.releases.find(({ indices }) => indices !== null);
    if (release === undefined) return false;
    release.indices!.push(100_000);
    return true;
  })],
  ["V06", "a release names a field that is not sealed", releasing((entry) => { entry.body.releases.at(-1)!.field = "nothing"; })],
  ["", "a release is for another audience", releasing((entry, forge) => {
    for (const release of entry.body.releases) release.audience = forge.random.pick(["alice", "court"]);
    fit(forge);
  })],
  ["", "a list that is full stands for null, or null for a list", releasing((entry, forge) => {
    const release = forge.random.pick(entry.body.releases);
    const target = forge.matter.entries.find((one) => one.number === release.entry);
    const count = target && statementOf(target).sealed[release.field]?.commitments.length;
    if (count === undefined) return false;
    release.indices = release.indices === null ? Array.from({ length: count }, (_, i) => i) : null;
    fit(forge);
    return true;
  })],
  ["V06", "an opening is missing", sealing((entry, field, { random }) => {
    const list = entry.opened![field];
    if (list === undefined) return false;
    list.splice(random.below(list.length), 1);
    entry.keep.add("openings");
    return true;
  })],
  ["V06", "an opening too many", sealing((entry, field, { random }) => {
    if (openedIn(entry, field).length > 0) return false;
    entry.opened![field] = [{ index: 0, salt: random.hash(), value: true }];
    return true;
  })],
  ["V06", "an opening does not match", sealing((entry, field, { random }) => {
    const list = openedIn(entry, field);
    if (list.length === 0) return false;
    const one = random.pick(list);
    entry.keep.add(`commitments/${field}/${one.index}`);
    if (random.isOneIn(2)) one.salt = random.hash(); else statementOf(entry).sealed[field]!.commitments[one.index] = random.hash();
    return true;
  })],
  ["V06", "openings stand in another order", sealing((entry, field) => {
    const list = openedIn(entry, field);
    if (list.length < 2) return false;
    list.reverse();
    return true;
  })],
  ["", "all salts of a field are one", sealing((entry, field, { random }) => {
    const list = openedIn(entry, field);
    if (list.length < 2) return false;
    const salt = random.hash();
    for (const one of list) one.salt = salt;
    return true;
  })],
  ["V06", "a reference has one field more, or states another size", (forge) => {
    const all = shaped(forge.matter).flatMap((entry) => [...openedIn(entry, "model"), ...openedIn(entry, "account")]).filter(({ value }) => value?.attachment !== undefined);
    if (all.length === 0) return false;
    const { value } = forge.random.pick(all);
    if (forge.random.isOneIn(2)) value.more = 1; else value.size += 1;
    return true;
  }],
  ["", "a model is that of an earlier batch", (forge) => {
    const all = shaped(forge.matter).filter((entry) => openedIn(entry, "model").length > 0);
    if (all.length < 2) return false;
    const [a, b] = all as [Entry, Entry];
    openedIn(b, "model")[0]!.value = structuredClone(openedIn(a, "model")[0]!.value);
    b.tail = b.tail.filter((one) => one.kind !== "line" || !("chunk" in one.value));
    return true;
  }],
  // Pieces and tokens.
  ["", "an attachment is cut short, empty, or as long as a piece", (forge) => {
    const hashes = line(forge.matter, "chunk").flatMap(({ tail }) => tail.flatMap((one) => (one.kind === "line" && "chunk" in one.value ? [one.value.attachment as string] : [])));
    if (hashes.length === 0) return false;
    const hash = forge.random.pick(hashes);
    const bytes = attachmentBytes(forge.matter, hash);
    if (bytes === null) return false;
    forge.matter.attachments.set(hash, forge.random.pick([bytes.subarray(0, -1), utf8("x"), new Uint8Array(2 ** 20).fill(32), new Uint8Array(2 ** 20 + 1).fill(32)]));
    return true;
  }],
  ["", "a piece is missing, or comes twice, or has another number", oneLine("chunk", 1)],
  ["", "a token is missing, doubled, or another", oneLine("token", "AAAA")],
  ["", "a checkpoint comes before what hangs on its entry", (forge) => toOne(forge.matter.entries.filter(({ tail }) => tail.length > 0), forge.random, (entry) => {
    entry.tail.reverse();
  })],
  // Checkpoints.
  ["V20", "a checkpoint states another root or head", onPoint((point, forge) => {
    if (forge.random.isOneIn(2)) point.root = forge.random.hash(); else point.head = forge.matter.entries[0]!.id;
  })],
  ["", "a checkpoint states another size", onPoint((point, forge) => { point.size = forge.matter.entries.length + forge.random.pick([1, -1]); })],
  ["V20", "a checkpoint lacks a line", onPoint((point, forge) => {
    point.lines.splice(forge.random.below(point.lines.length), 1);
    return point.lines.length > 0;
  })],
  ["V20", "a checkpoint has a line twice", onPoint((point, forge) => {
    point.lines.push({ ...lineOf(point, forge), time: BigInt(forge.random.below(2)) });
  })],
  ["", "the lines of a checkpoint stand in another order", onPoint((point) => { point.lines.reverse(); })],
  ["V20", "a line of a checkpoint is by another's key", onPoint((point, forge) => {
    const one = lineOf(point, forge);
    if (one.as !== null) return false;
    const other = forge.random.pick(forge.matter.keys);
    if (forge.random.isOneIn(2)) one.idOf = one.key;
    one.key = other;
    return true;
  })],
  ["V20", "a line of a checkpoint has another's id", onPoint((point, forge) => {
    const one = lineOf(point, forge);
    if (one.as !== null) return false;
    one.idOf = forge.random.pick(forge.matter.keys);
    return true;
  })],
  ["V20", "a line of a checkpoint is by a stranger", onPoint((point, forge) => {
    const one = lineOf(point, forge);
    if (one.as !== null) return false;
    point.lines.push({ ...one, name: forge.random.pick([`${one.name}s`, `tallystick/${"00".repeat(32)}/bob`, "witness.example"]) });
    return true;
  })],
  ["V20", "a cosignature has a time at the edge", onPoint((point, forge) => {
    const one = point.lines.find(({ name, as }) => as === null && name.split("/").length === 3);
    if (one === undefined) return false;
    one.time = forge.random.pick([0n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 53n]);
    return true;
  })],
  ["", "a checkpoint comes twice", (forge) => toOne(forge.matter.entries.filter(({ tail }) => tail.some(({ kind }) => kind === "checkpoint")), forge.random, (entry) => {
    entry.tail.push(structuredClone(entry.tail.find(({ kind }) => kind === "checkpoint")!));
  })],
  ["", "one more checkpoint, in the midst", anyLater((entry, forge) => {
    const last = points(forge.matter).at(-1);
    if (last === undefined || entry.tail.some(({ kind }) => kind === "checkpoint")) return false;
    const lines = structuredClone(last.lines).filter(({ as }) => as === null);
    entry.tail.push({ kind: "checkpoint", point: { ...structuredClone(last), lines: forge.random.isOneIn(2) ? lines : lines.slice(0, 1), id: forge.random.hash() } });
    return lines.length > 0;
  })],
  ["", "the last checkpoint is not there", (forge) => {
    const entry = forge.matter.entries.findLast(({ tail }) => tail.some(({ kind }) => kind === "checkpoint"));
    if (entry === undefined) return false;
    entry.tail = entry.tail.filter(({ kind }) => kind !== "checkpoint");
    return true;
  }],
  // The manifest.
  ["V02", "the manifest states another head or root", ({ matter, random }) => {
    const part = random.pick(["head", "root"] as const);
    matter.keepOfManifest.add(part);
    matter.manifest[part] = random.pick([random.hash(), matter.entries[0]!.id]);
  }],
  ["", "the manifest states another number of entries", ({ matter, random }) => {
    matter.keepOfManifest.add("size");
    matter.manifest["size"] = matter.entries.length + random.pick([1, -1, 5, -5]);
  }],
  ["", "the manifest states other openings", ({ matter, random }) => {
    if (random.isOneIn(2)) {
      matter.keepOfManifest.add("openings_root");
      matter.manifest["openings_root"] = random.hash();
    } else {
      matter.keepOfManifest.add("openings");
      matter.manifest["openings"] += random.pick([1, -1]);
    }
  }],
  ["", "the manifest names other checkpoints", ({ matter, random }) => {
    matter.keepOfManifest.add("checkpoints");
    matter.manifest["checkpoints"] = random.pick([[], [...matter.manifest["checkpoints"], random.hash()], [random.hash()]]);
  }],
  ["V06", "the copy is for another audience", ({ matter, random }) => {
    matter.manifest["audience"] = random.pick(["alice", "bob", "court", "public"].filter((one) => one !== matter.manifest["audience"]));
  }],
  ["", "the manifest is of another matter", ({ matter, random }) => { matter.manifest["matter"] = random.hash(); }],
  ["", "the manifest is signed by a party", ({ matter, random }) => {
    matter.manifestSigner = contentOf(opening(matter))["keys"][random.pick(["alice", "bob", "court"])];
  }],
  ["", "an entry is signed by a party in Trent's place", anyLater((entry, { matter, random }) => {
    entry.trents = contentOf(opening(matter))["keys"][random.pick(["alice", "bob", "court"])];
  })],
  ["", "the versions are others", (forge) => {
    const content = contentOf(opening(forge.matter));
    const { random } = forge;
    switch (random.below(3)) {
      case 0:
        forge.matter.manifest["format"] = random.pick<Free>([0, 2, 2n ** 64n, "1", null]);
        break;
      case 1:
        content["format"] = random.pick<Free>([0, 2, "1", null, -1]);
        break;
      default:
        content["method"] = random.pick<Free>([5, 7, "6", null, true]);
    }
  }],
  // Two answers.
  ["V19", "a second answer of a party's is on record", at(["link", "report", "labels", "rulings", "agreed", "amended", "privilege", "claim", "look", "order", "reclaim", "deposited", "returned", "rekeyed"], (entry, forge) => conflict(entry, forge))],
  ["V19", "a second answer is that on record, or was withdrawn", at(["labels", "rulings", "amended", "link", "privilege", "report", "claim"], (entry, forge) => conflict(entry, forge, forge.random.pick(["same", "withdrawn", "withdraws"])))],
  ["V19", "what stands as a second answer is none", at(["labels", "rulings", "amended", "link", "report", "claim"], (entry, forge) => conflict(entry, forge, forge.random.pick(["kind", "round", "matter", "author", "question", "content", "seals", "signer", "unsigned", "shape"])))],
  ["V19", "a conflict is about no answer", at("conflict", (entry, { matter, random }) => {
    contentOf(entry)["answer"] = random.pick([0, entry.number, random.below(matter.entries.length), 10_000]);
    entry.keep.add("answer");
  })],
  ["V05", "a conflict seals for others than it should, or two answers", at("conflict", (entry, forge) => {
    const { evidence } = statementOf(entry).sealed;
    if (evidence === undefined) return false;
    if (forge.random.isOneIn(2)) evidence.commitments.push(forge.random.hash()); else evidence.audiences = forge.random.pick([["alice", "court"], ["bob"], ["alice", "bob"], ["court"]]);
    fit(forge);
    return true;
  })],
];

type Wrong = "" | "same" | "withdrawn" | "withdraws" | "kind" | "round" | "matter" | "author" | "question" | "content" | "seals" | "signer" | "unsigned" | "shape";

/** Puts another answer of the same party's on record, some entries later. */
function conflict(entry: Entry, forge: Forge, wrong: Wrong = ""): boolean {
  const { matter, random } = forge;
  const own = statementOf(entry);
  if (own.answers === null || questionOf(matter, entry) === undefined) return false;
  const end = ofKind(matter, "claims")[0];
  const places = shaped(matter).filter((one) => placeOf(matter, one) >= placeOf(matter, entry) && (end === undefined || placeOf(matter, one) < placeOf(matter, end)));
  if (places.length === 0) return false;
  const statement = structuredClone(own);
  if (wrong !== "same") otherWords(statement, forge);
  if (wrong === "withdraws") statement.replaces = [entry.statementId];
  if (wrong === "kind") statement.kind = statement.kind === "labels" ? "rulings" : "labels";
  if (wrong === "round") statement.round += 1;
  if (wrong === "matter") statement.matter = random.hash();
  if (wrong === "author") statement.author = statement.author === "alice" ? "bob" : "alice";
  if (wrong === "question") statement.answers = random.pick(matter.entries).id;
  if (wrong === "content") statement.content = { ...statement.content, more: 1 };
  if (wrong === "seals") statement.sealed["reasons"] = { audiences: ["alice"], commitments: [random.hash()] };
  const after = random.pick(places);
  const id = hashOfStatement(statement);
  const audiences = ["report", "claim"].includes(own.kind) ? ["alice", "court"] : ["alice", "bob", "court"];
  const value: Free = wrong === "shape" ? { statement } : { signature: "00".repeat(64), statement };
  const said = sayConflict(forge, after, entry, audiences, value);
  if (openedIn(said, "evidence").length > 0 && wrong !== "shape") said.evidence = { id, signer: wrong === "unsigned" ? "" : wrong === "signer" ? contentOf(opening(matter))["keys"].trent : entry.signer };
  if (wrong === "withdrawn") own.replaces = [id];
  return true;
}

/** The same kind of answer in other words: as near as can be to what was said. */
function otherWords(statement: { content: Record<string, Free>; sealed: Record<string, Free> }, { random }: Forge): void {
  const { content, sealed } = statement;
  const [field] = Object.keys(sealed);
  if (field !== undefined) sealed[field].commitments[0] = random.hash();
  else if (Array.isArray(content["labels"]) && content["labels"].length > 0) content["labels"][0] = !content["labels"][0];
  else if (typeof content["accepted"] === "boolean") content["accepted"] = !content["accepted"];
  else if (typeof content["granted"] === "boolean") content["granted"] = !content["granted"];
  else if ("link" in content) content["link"] = random.hash();
  else if (Array.isArray(content["upheld"]) && content["upheld"].length > 0) content["upheld"][0] = !content["upheld"][0];
  else if ("anchor" in content) content["anchor"] = random.hash();
  else content["draw"] = 1;
}

function sayConflict(forge: Forge, after: Entry, about: Entry, audiences: string[], value: Free): Entry {
  return say(forge, after, { author: "trent", kind: "conflict", content: { answer: about.number }, round: statementOf(about).round, sealed: { evidence: { audiences, values: [value] } } });
}
