/** Changes at the edges of types and texts: where a program's own numbers, keys and strings are not those of the record. */
import { base64, hex } from "../../src/engine/bytes.ts";
import { sha256 } from "../../src/engine/sha256.ts";
import { attachmentBytes, type Entry, type Free } from "./matter.ts";
import { proofsIn } from "./corpus.ts";
import { type Act, type Change, contentOf, type Forge, isKeyed, isTrents, ofKind, openedIn, opening, seal, shaped, statementOf, terms, toOne } from "./tools.ts";

/** Names that objects of JavaScript have by themselves. */
const OWN_NAMES = ["constructor", "valueof", "hasownproperty", "__proto__", "toString", "prototype", "length"];
const own = (forge: Forge): string => forge.random.pick(OWN_NAMES);

type Place = [holder: Free, key: string | number];
function leaves(holder: Free, is: (value: Free) => boolean): Place[] {
  if (typeof holder !== "object" || holder === null) return [];
  return Object.keys(holder).flatMap((key): Place[] => [...(is(holder[key]) ? [[holder, key] as Place] : []), ...leaves(holder[key], is)]);
}
/** A leaf of some type in some content gets another value. */
const leaf = (is: (value: Free) => boolean, other: (forge: Forge) => Free): Act => (forge) =>
  toOne(shaped(forge.matter).filter((entry) => leaves(contentOf(entry), is).length > 0), forge.random, (entry) => {
    const [holder, key] = forge.random.pick(leaves(contentOf(entry), is));
    holder[key] = other(forge);
  });

/** A value that the copy opens is another. */
const value = (of: (entry: Entry) => boolean, other: (forge: Forge, entry: Entry) => Free): Act => (forge) =>
  toOne(shaped(forge.matter).filter((entry) => of(entry) && Object.values(entry.opened!).some((list) => list.length > 0)), forge.random, (entry) => {
    const lists = Object.values(entry.opened!).filter((list) => list.length > 0);
    forge.random.pick(forge.random.pick(lists)).value = other(forge, entry);
  });

function deep(levels: number): Free {
  let one: Free = levels % 2 === 0 ? [] : {};
  for (let i = 1; i < levels; i++) one = i % 2 === 0 ? [one] : { a: one };
  return one;
}

/** Every text that is written in a way of its own. */
const TEXTS = ["\u0000\u0001\u0007\b\t\n\u000b\f\r\u001f\"\\/", "\u007f\u0080\u009f\u00a0\u2028\u2029\ufeff\ufffe\uffff", "\u{1f600}\u{10ffff}", "e\u0301 \u00e9", "</script>", "\ud800", "\udc00x", "x".repeat(70_000)];

const lastPoint = (act: (lines: Free[], forge: Forge) => void): Act => (forge) => {
  const points = forge.matter.entries.flatMap(({ tail }) => tail.flatMap((one) => (one.kind === "checkpoint" ? [one.point] : [])));
  if (points.length === 0) return false;
  act(forge.random.pick(points).lines, forge);
  return true;
};
const DASH = "\u2014";
const raw = (text: string): Free => ({ name: "", key: "", idOf: null, time: 0n, as: text });

/** A stamp gets a token of the forger's own, in a line or not. */
function withToken(forge: Forge, bytes: Uint8Array, text = base64(bytes)): boolean {
  return toOne(ofKind(forge.matter, "stamped"), forge.random, (entry) => {
    contentOf(entry)["token"] = hex(sha256(bytes));
    entry.tail = [{ kind: "line", value: { token: text } }, ...entry.tail.filter((one) => one.kind !== "line" || !("token" in one.value))];
  });
}

/** An opened value refers to an attachment: to one that is there, to an empty one, or in a wrong form. */
function reference({ matter, random }: Forge): Free {
  const hashes = matter.entries.flatMap(({ tail }) => tail.flatMap((one) => (one.kind === "line" && "chunk" in one.value ? [one.value.attachment as string] : [])));
  const there = hashes.length === 0 ? null : random.pick(hashes);
  const size = there === null ? 0 : (attachmentBytes(matter, there)?.length ?? 0);
  const empty = hex(sha256(new Uint8Array(0)));
  return random.pick<Free>([{ attachment: there ?? empty, size }, { attachment: there ?? empty, size: size + 1 }, { attachment: empty, size: 0 }, { attachment: empty, size: 1 }, { attachment: empty }, { attachment: 1, size: 1 }, { attachment: null }, { attachment: empty, more: 1, size: 0 }, { attachment: empty, size: -1 }, [{ attachment: empty, size: 1 }], { attachment: empty.toUpperCase(), size: 0 }, { attachment: empty, size: "0" }]);
}

export const EDGES: readonly Change[] = [
  ["V05", "a number of a content is at the edge of its type", leaf((one) => typeof one === "number", ({ random }) => random.pick<Free>([0, 1, 2 ** 31, 2 ** 31 + 1, 2 ** 53 - 1, -1, "1", null, true, [1]]))],
  ["V05", "true or false is another value that a program might take for it", leaf((one) => typeof one === "boolean", ({ random }) => random.pick<Free>([0, 1, null, "true", "", []]))],
  ["V05", "a null is another value that a program might take for it", leaf((one) => one === null, ({ random }) => random.pick<Free>([0, false, "", [], {}, "null"]))],
  ["", "a text is written in a way of its own", leaf((one) => typeof one === "string" && !/^[0-9a-f]{64}$/.test(one), ({ random }) => random.pick(TEXTS))],
  ["", "a hash is of another length, in capitals, or no hex", leaf((one) => typeof one === "string" && /^[0-9a-f]{64}$/.test(one), ({ random }) => random.pick(["", "0".repeat(62), "0".repeat(66), "A".repeat(64), "g".repeat(64), "0".repeat(63), `${"0".repeat(63)}\u0660`]))],
  ["V01", "a number of a body is too large", leaf((one) => typeof one === "number", ({ random }) => random.pick<Free>([2n ** 53n, -(2n ** 53n), 2n ** 64n, 10n ** 400n]))],
  ["", "a value that is opened is deep, or holds a number that is too large", value(() => true, ({ random }) => random.pick<Free>([deep(23), deep(24), deep(25), deep(26), 2n ** 53n, -(2n ** 53n) + 1n, 2 ** 53 - 1]))],
  ["", "a text that is opened is written in a way of its own", value(() => true, ({ random }) => random.pick(TEXTS))],
  ["", "a value that Trent opens refers to an attachment", value(isTrents, reference)],
  ["", "a value that a party opens refers to an attachment", value((entry) => !isTrents(entry), reference)],
  ["V05", "a kind has a name that objects have by themselves", (forge) => toOne(shaped(forge.matter).slice(1), forge.random, (entry) => {
    statementOf(entry).kind = forge.random.pick(["constructor", "valueof", "prototype", "length"]);
  })],
  ["V05", "a field of a content has such a name", (forge) => toOne(shaped(forge.matter), forge.random, (entry) => {
    Object.defineProperty(contentOf(entry), own(forge), { value: forge.random.pick<Free>([1, null, {}]), enumerable: true, writable: true, configurable: true });
  })],
  ["V05", "a field of a content is replaced by one with such a name", (forge) => toOne(shaped(forge.matter).filter((entry) => Object.keys(contentOf(entry)).length > 0), forge.random, (entry) => {
    const content = contentOf(entry);
    const name = forge.random.pick(Object.keys(content));
    const old = content[name];
    delete content[name];
    Object.defineProperty(content, own(forge), { value: old, enumerable: true, writable: true, configurable: true });
  })],
  ["V05", "a sealed field has such a name", (forge) => toOne(shaped(forge.matter), forge.random, (entry) => seal(forge, entry, forge.random.pick(["constructor", "valueof", "prototype", "length"]), ["alice", "bob", "court"], [1]))],
  ["V06", "a release names a field with such a name", (forge) => toOne(shaped(forge.matter).filter((entry) => entry.body.releases.length > 0), forge.random, (entry) => {
    entry.body.releases.at(-1)!.field = "constructor";
  })],
  ["", "the rule has such a name", (forge) => {
    if (!isKeyed(terms(forge.matter))) return false;
    terms(forge.matter)["protocol"] = own(forge);
    return true;
  }],
  ["V05", "a role is such a name", leaf((one) => ["alice", "bob", "court", "trent"].includes(one), own)],
  ["V30", "a reason of exceptions has such a name", (forge) => {
    const account = contentOf(opening(forge.matter))["corpus"]?.account;
    if (!isKeyed(account) || !isKeyed(account["reasons"])) return false;
    Object.defineProperty(account["reasons"], own(forge), { value: 1, enumerable: true, writable: true, configurable: true });
    account["exceptions"] += 1;
    account["items"] += 1;
    return true;
  }],
  ["V30", "a reason of exceptions has such a name, in the list too", (forge) => {
    const account = contentOf(opening(forge.matter))["corpus"]?.account;
    if (!isKeyed(account) || !isKeyed(account["reasons"])) return false;
    const bytes = attachmentBytes(forge.matter, account["list"]);
    if (bytes === null) return false;
    const name = own(forge);
    Object.defineProperty(account["reasons"], name, { value: 1, enumerable: true, writable: true, configurable: true });
    account["exceptions"] += 1;
    account["items"] += 1;
    forge.matter.attachments.set(account["list"], new Uint8Array([...bytes, ...new TextEncoder().encode(`{"documents":[],"outcome":"exception","reason":${JSON.stringify(forge.random.isOneIn(3) ? own(forge) : name)},"where":"x"}\n`)]));
    return true;
  }],
  ["V14", "a part of a proof has a field with such a name", (forge) => {
    const all = proofsIn(forge.matter);
    if (all.length === 0) return false;
    const part = forge.random.pick(forge.random.pick(all).opening.value.parts as Free[]);
    const holder = forge.random.pick([part, part.rest, (part.log ??= {}), (part.rest.fields ??= {})].filter(isKeyed));
    Object.defineProperty(holder, own(forge), { value: "x", enumerable: true, writable: true, configurable: true });
    return true;
  }],
  ["", "a class has such a name", (forge) => {
    if (!isKeyed(terms(forge.matter))) return false;
    const so = terms(forge.matter)["classes"];
    terms(forge.matter)["classes"] = { names: isKeyed(so) ? [...new Set([...(so["names"] as string[]), "constructor"])].sort() : ["constructor"], share: "0.9" };
    return toOne(ofKind(forge.matter, "claim", "report").filter((entry) => openedIn(entry, "privilege").length > 0), forge.random, (entry) => {
      forge.random.pick(openedIn(entry, "privilege")).value = { class: forge.random.pick(["constructor", "valueof", "__proto__"]) };
    });
  }],
  // Notes and tokens by their grammar.
  ["V20", "a line of a checkpoint has a name at the edge of the grammar", lastPoint((lines, { random }) => {
    const name = random.pick(["a\u200bb", "\ufeffx", "a\u180eb", "a\u0085b", "a\u00a0b", "a+b", "\u3000", "a\u202fb", "x\u007f", "\u2014", ""]);
    lines.push(raw(`${DASH} ${name} ${base64(new Uint8Array(72))}\n`));
  })],
  ["V20", "a line of a checkpoint has base64 at the edge of the grammar", lastPoint((lines, { random }) => {
    lines.push(raw(`${DASH} witness ${random.pick([base64(new Uint8Array(4)), base64(new Uint8Array(5)), "AAAAAAB=", "AAAAAAA", "AAAA AAAA", "____AAAA", ""])}\n`));
  })],
  ["V20", "a line of a checkpoint is of another form", lastPoint((lines, { random }) => {
    lines.push(raw(random.pick([`- witness ${base64(new Uint8Array(72))}\n`, `${DASH}  witness ${base64(new Uint8Array(72))}\n`, `${DASH} witness ${base64(new Uint8Array(72))} \n`, `${DASH} witness ${base64(new Uint8Array(72))}\r\n`, "\n", `${DASH} witness ${base64(new Uint8Array(72))}`])));
  })],
  ["V20", "a checkpoint has as many lines as it may have, or one more", lastPoint((lines, { random }) => {
    const count = random.pick([64, 65]) - lines.length;
    for (let i = 0; i < count; i++) lines.push(raw(`${DASH} witness-${i} ${base64(new Uint8Array(72))}\n`));
  })],
  ["", "a token is as large as it may be, or larger, or empty", (forge) => withToken(forge, new Uint8Array(forge.random.pick([0, 1, 2 ** 16, 2 ** 16 + 1])))],
  ["", "a token is in another base64", (forge) => withToken(forge, new Uint8Array(1), forge.random.pick(["AB==", "AA=", "AA", "AA==\n", "_w=="]))],
  ["", "a version is as large as can be", (forge) => {
    const { random, matter } = forge;
    const content = contentOf(opening(matter));
    const other = random.pick<Free>([2n ** 53n, 2n ** 64n, -1, 0, 2 ** 53 - 1, 10n ** 400n, "6", [], null]);
    switch (random.below(3)) {
      case 0:
        matter.manifest["format"] = other;
        break;
      case 1:
        content["format"] = other;
        break;
      default:
        content["method"] = other;
    }
  }],
];
