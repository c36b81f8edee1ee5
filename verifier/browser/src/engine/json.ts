/**
 * Canonical JSON (RFC 8785 with integers only), read from bytes in one pass.
 *
 * The reader checks that the bytes are canonical while it reads them, so nothing is encoded again to compare. It keeps
 * where the upper objects begin and end, since signatures and hashes are over those very bytes. The values that a line
 * opens are most of a copy: they are checked with their line, and built one by one when somebody asks for them.
 */

import { fromUtf8, utf8 } from "./bytes.ts";
import { ascii, follows, isAscii } from "./texts.ts";

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Objects without a prototype: a key such as `constructor` or `__proto__` is a key like any other. */
const Bare = function () {} as unknown as { new (): JsonObject; prototype: object };
Bare.prototype = Object.create(null) as object;

/** What is asked of JSON everywhere. */
export const { isArray } = Array;
export const { hasOwn } = Object;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !isArray(value);
}

export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
/** Lines are at most this deep; what is deeper, up to the second number, is read to tell who signed it. */
export const MAX_DEPTH = 32;
const READ_DEPTH = 256;
const READ_DIGITS = 1000;
/** Objects down to this depth are located in the bytes. */
const LOCATED_DEPTH = 4;
/** Where the values of an opened field stand in a line: in an object of this depth, under this key. */
const OPENED_DEPTH = 3;
const OPENED_KEY = "values";

export interface Located {
  readonly value: Json;
  /** Where the upper objects begin and end. */
  readonly spans: ReadonlyMap<object, readonly [number, number]>;
  /** What is outside the limits, though it is the one encoding of what it says; null if nothing is. */
  readonly beyond: string | null;
}

export interface NotCanonical {
  readonly error: string;
  readonly at: number;
}

class Refused extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Values that are there, or are built when somebody asks for one: an array, or `Unbuilt`. */
export interface Values {
  readonly length: number;
  at(index: number): Json | undefined;
}

/** The items of an array that were checked and not built. They are read from the bytes of their line, while it is there. */
export class Unbuilt implements Values {
  constructor(
    private readonly bytes: Uint8Array,
    /** Where each item begins and ends, two numbers an item. */
    private readonly places: readonly number[],
    /** How deep the deepest item is. */
    readonly depth: number,
  ) {}

  get length(): number {
    return this.places.length / 2;
  }

  bytesAt(index: number): Uint8Array {
    return this.bytes.subarray(this.places[2 * index], this.places[2 * index + 1]);
  }

  at(index: number): Json | undefined {
    return index < this.length ? new Reader(this.bytesAt(index)).value() : undefined;
  }
}

/** Stands for every array and object that is checked and not built. */
const NOTHING: Json[] = [];

class Reader {
  at = 0;
  depth = 0;
  beyond: string | null = null;
  readonly spans = new Map<object, readonly [number, number]>();
  private builds = true;
  private deepest = 0;

  constructor(
    readonly bytes: Uint8Array,
    private readonly isLine = false,
  ) {}

  private refuse(what: string): never {
    throw new Refused(what, this.at);
  }

  value(): Json {
    const byte = this.bytes[this.at];
    switch (byte) {
      case 0x22:
        return this.text();
      case 0x7b:
        return this.object();
      case 0x5b:
        return this.array();
      case 0x74:
        return this.word("true", true);
      case 0x66:
        return this.word("false", false);
      case 0x6e:
        return this.word("null", null);
      default:
        if (byte === 0x2d || (byte !== undefined && byte >= 0x30 && byte <= 0x39)) return this.integer();
        return this.refuse(byte === undefined ? "it ends in the midst of a value" : "a value was expected");
    }
  }

  private word<T extends Json>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[this.at + i] !== word.charCodeAt(i)) this.refuse("a value was expected");
    }
    this.at += word.length;
    return value;
  }

  private integer(): number | bigint {
    const { bytes } = this;
    const start = this.at;
    let at = start;
    const negative = bytes[at] === 0x2d;
    if (negative) at++;
    const first = at;
    let value = 0;
    for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[++at]) {
      value = value * 10 + (byte - 0x30);
    }
    const digits = at - first;
    const next = bytes[at];
    if (digits === 0) this.refuse("a digit was expected");
    if (next === 0x2e || next === 0x65 || next === 0x45) this.refuse("a number that is no integer");
    if (bytes[first] === 0x30 && (digits > 1 || negative)) this.refuse("an integer that begins with 0");
    this.at = at;
    if (digits < 16 || value <= MAX_INTEGER) return negative ? -value : value;
    if (digits > READ_DIGITS) this.refuse("an integer of more than 1,000 digits");
    this.beyond ??= "an integer beyond 2^53 - 1";
    return BigInt(String.fromCharCode(...bytes.subarray(start, at)));
  }

  private text(): string {
    const { bytes } = this;
    const start = ++this.at;
    let at = start;
    let byte = bytes[at];
    // Most texts are short ASCII without escapes: they need no decoder.
    while (byte !== undefined && byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c) byte = bytes[++at];
    if (byte === 0x22) {
      this.at = at + 1;
      return this.builds ? ascii(bytes, start, at) : "";
    }
    return this.longText(start, at);
  }

  private longText(start: number, from: number): string {
    const { bytes } = this;
    let out = "";
    let run = start;
    let at = from;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) this.refuse("it ends in the midst of a text");
      if (byte === 0x22) break;
      if (byte < 0x20) this.refuse("a control character in a text");
      if (byte === 0x5c) {
        out += this.decode(run, at);
        this.at = at;
        out += this.escape();
        at = run = this.at;
      } else at++;
    }
    out += this.decode(run, at);
    this.at = at + 1;
    return out;
  }

  private decode(from: number, to: number): string {
    const text = fromUtf8(this.bytes.subarray(from, to));
    if (text === null) this.refuse("a text that is not UTF-8");
    return text;
  }

  /** Only what must be escaped is, and in its shortest form. */
  private escape(): string {
    const { bytes } = this;
    const next = bytes[this.at + 1];
    const short = next === undefined ? -1 : SHORT_ESCAPES.indexOf(next);
    if (short >= 0) {
      this.at += 2;
      return SHORT_MEANINGS[short]!;
    }
    if (next === 0x75 && bytes[this.at + 2] === 0x30 && bytes[this.at + 3] === 0x30) {
      const high = (bytes[this.at + 4] ?? 0) - 0x30;
      const digit = bytes[this.at + 5] ?? 0;
      const low = digit >= 0x30 && digit <= 0x39 ? digit - 0x30 : digit >= 0x61 && digit <= 0x66 ? digit - 0x57 : -1;
      const meaning = String.fromCharCode(high * 16 + low);
      if ((high === 0 || high === 1) && low >= 0 && !SHORT_MEANINGS.includes(meaning)) {
        this.at += 6;
        return meaning;
      }
    }
    return this.refuse("an escape that need not be, or is not the shortest");
  }

  private enter(): void {
    this.depth++;
    if (this.depth > this.deepest) this.deepest = this.depth;
    if (this.depth > MAX_DEPTH) {
      if (this.depth > READ_DEPTH) this.refuse("more than 256 deep");
      this.beyond ??= "more than 32 deep";
    }
  }

  /** An array, and where its items begin and end, if somebody wants to know. */
  private array(places: number[] | null = null): Json[] {
    const { bytes } = this;
    this.enter();
    const out = this.builds ? [] : NOTHING;
    this.at++;
    if (bytes[this.at] === 0x5d) this.at++;
    else {
      for (;;) {
        const from = this.at;
        const item = this.value();
        if (this.builds) out.push(item);
        places?.push(from, this.at);
        const byte = bytes[this.at];
        if (byte === 0x2c) this.at++;
        else if (byte === 0x5d) {
          this.at++;
          break;
        } else this.refuse("a comma or the end of an array was expected");
      }
    }
    this.depth--;
    return out;
  }

  private opened(): Unbuilt {
    const places: number[] = [];
    const depth = this.depth + 1;
    this.deepest = depth;
    this.builds = false;
    this.array(places);
    this.builds = true;
    return new Unbuilt(this.bytes, places, this.deepest - depth);
  }

  private object(): Json {
    const { bytes } = this;
    const from = this.at;
    this.enter();
    const out = this.builds ? new Bare() : null;
    this.at++;
    if (bytes[this.at] === 0x7d) this.at++;
    else {
      let before: string | null = null;
      let beforePlain = true;
      for (;;) {
        if (bytes[this.at] !== 0x22) this.refuse("a key was expected");
        const key = this.key();
        const plain = isAscii(key);
        if (before !== null && !(plain && beforePlain ? before < key : follows(before, key))) {
          this.refuse(before === key ? "a key that stands twice" : "keys that are not in order");
        }
        if (!plain) this.beyond ??= "a key that is not ASCII";
        beforePlain = plain;
        before = key;
        if (bytes[this.at] !== 0x3a) this.refuse("a colon was expected");
        this.at++;
        if (out === null) this.value();
        else if (this.isLine && this.depth === OPENED_DEPTH && key === OPENED_KEY && bytes[this.at] === 0x5b) {
          // Only the shape of openings (`shapes`) lets it pass as a value.
          out[key] = this.opened() as unknown as Json;
        } else out[key] = this.value();
        const byte = bytes[this.at];
        if (byte === 0x2c) this.at++;
        else if (byte === 0x7d) {
          this.at++;
          break;
        } else this.refuse("a comma or the end of an object was expected");
      }
    }
    if (out !== null && this.depth <= LOCATED_DEPTH) this.spans.set(out, [from, this.at]);
    this.depth--;
    return out ?? NOTHING;
  }

  /** Keys are compared, so they are built even where the values are not. */
  private key(): string {
    const { builds } = this;
    this.builds = true;
    const key = this.text();
    this.builds = builds;
    return key;
  }
}

const SHORT_ESCAPES: readonly number[] = [0x22, 0x5c, 0x62, 0x66, 0x6e, 0x72, 0x74];
const SHORT_MEANINGS: readonly string[] = ['"', "\\", "\b", "\f", "\n", "\r", "\t"];

/** Reads bytes that must be canonical but for the limits, with the places of its upper parts. */
export function locate(bytes: Uint8Array): Located | NotCanonical {
  return read(new Reader(bytes));
}

/** The same for a line of a copy: the values that it opens are `Unbuilt`. */
export function locateLine(bytes: Uint8Array): Located | NotCanonical {
  return read(new Reader(bytes, true));
}

function read(reader: Reader): Located | NotCanonical {
  try {
    const value = reader.value();
    if (reader.at !== reader.bytes.length) return { error: "something stands behind the value", at: reader.at };
    return { value, spans: reader.spans, beyond: reader.beyond };
  } catch (error) {
    if (error instanceof Refused) return { error: error.message, at: error.at };
    throw error;
  }
}

/** Reads canonical JSON within all limits. */
export function parseCanonical(bytes: Uint8Array): { readonly value: Json } | NotCanonical {
  const located = locate(bytes);
  if ("error" in located) return located;
  return located.beyond === null ? { value: located.value } : { error: located.beyond, at: 0 };
}

/** How deep a value is: texts and numbers are 0 deep, `{}` is 1. */
export function depthOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const item of isArray(value) ? value : Object.values(value)) {
    const depth = depthOf(item);
    if (depth > deepest) deepest = depth;
  }
  return deepest + 1;
}

function write(value: Json): string {
  if (typeof value !== "object" || value === null) {
    return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
  }
  let out = "";
  if (isArray(value)) {
    for (const item of value) out += out === "" ? write(item) : `,${write(item)}`;
    return `[${out}]`;
  }
  for (const key of sortedKeys(value)) {
    const item = `${JSON.stringify(key)}:${write(value[key]!)}`;
    out += out === "" ? item : `,${item}`;
  }
  return `{${out}}`;
}

/** What was read stands in order already, unless a key looks like a number. */
function sortedKeys(value: JsonObject): readonly string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

/** The canonical bytes of a value that was read. */
export function encode(value: Json): Uint8Array {
  return utf8(write(value));
}

/** The canonical text of a value, for people and for comparing two values. */
export function textOf(value: Json): string {
  return write(value);
}
