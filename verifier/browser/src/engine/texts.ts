/** Texts: from ASCII bytes, without more memory than they need, and in the order of their code points. */

/** The short texts that were read last: most are keys, and the same in every line. */
const recent = new Array<string>(1024).fill("");
const MOST_RECENT = 16;
/** Browsers keep what a decoder returns outside of the heap of objects, and give it back late: so it is for few, long texts. */
const asciiDecoder = new TextDecoder("utf-8");
const LONG = 256;

/** The text of ASCII bytes. */
export function ascii(bytes: Uint8Array, from: number, to: number): string {
  const length = to - from;
  if (length > LONG) return asciiDecoder.decode(bytes.subarray(from, to));
  if (length > MOST_RECENT) return fromCodes(bytes, from, to);
  let hash = length;
  for (let i = from; i < to; i++) hash = (hash * 31 + bytes[i]!) | 0;
  const slot = (hash ^ (hash >>> 10)) & 1023;
  const known = recent[slot]!;
  return isText(known, bytes, from, to) ? known : (recent[slot] = fromCodes(bytes, from, to));
}

/** An array for each length, so that a text is made at once, and nothing but the text. */
const codes = Array.from({ length: LONG + 1 }, (_, length) => new Array<number>(length).fill(0));

function fromCodes(bytes: Uint8Array, from: number, to: number): string {
  const units = codes[to - from]!;
  for (let i = 0; i < units.length; i++) units[i] = bytes[from + i]!;
  return String.fromCharCode.apply(null, units);
}

function isText(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let i = from; i < to; i++) if (text.charCodeAt(i - from) !== bytes[i]) return false;
  return true;
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}

/** Whether b comes after a by code points. (JavaScript compares texts by UTF-16 units.) */
export function follows(a: string, b: string): boolean {
  const x = Array.from(a);
  const y = Array.from(b);
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const difference = y[i]!.codePointAt(0)! - x[i]!.codePointAt(0)!;
    if (difference !== 0) return difference > 0;
  }
  return y.length > x.length;
}
