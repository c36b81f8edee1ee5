/** Bytes and their written forms: hex, UTF-8, base64, big-endian integers. Every reader here is strict. */

const HEX_DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const HEX_CODES = new TextEncoder().encode("0123456789abcdef");
const HEX_VALUES = new Int8Array(128).fill(-1);
for (let digit = 0; digit < 16; digit++) HEX_VALUES[HEX_CODES[digit]!] = digit;

export function hex(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += HEX_DIGITS[bytes[i]!]!;
  return text;
}

/** The bytes of lowercase hex digits; null if it is anything else, or not of the length asked for. */
export function unhex(text: unknown, length?: number): Uint8Array | null {
  if (typeof text !== "string" || text.length % 2 !== 0) return null;
  if (length !== undefined && text.length !== 2 * length) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const a = text.charCodeAt(2 * i);
    const b = text.charCodeAt(2 * i + 1);
    const high = a < 128 ? HEX_VALUES[a]! : -1;
    const low = b < 128 ? HEX_VALUES[b]! : -1;
    if (high < 0 || low < 0) return null;
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/** Whether a text is the lowercase hex of these bytes. */
export function isHexOf(text: string, bytes: Uint8Array): boolean {
  if (text.length !== 2 * bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (text.charCodeAt(2 * i) !== HEX_CODES[byte >> 4] || text.charCodeAt(2 * i + 1) !== HEX_CODES[byte & 15]) return false;
  }
  return true;
}

/** Whether a value is `length` bytes in lowercase hex. */
export function isHex(value: unknown, length: number): value is string {
  if (typeof value !== "string" || value.length !== 2 * length) return false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code >= 128 || HEX_VALUES[code]! < 0) return false;
  }
  return true;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes; null if they are not valid UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Whether every half of a surrogate pair has its other half. */
export function isWellFormed(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
    if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) return false;
    i++;
  }
  return true;
}

/** How many Unicode code points a text has. */
export function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) i++;
    count++;
  }
  return count;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; i++) BASE64_VALUES[BASE64.charCodeAt(i)] = i;

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = (bytes[i]! << 16) | ((left > 1 ? bytes[i + 1]! : 0) << 8) | (left > 2 ? bytes[i + 2]! : 0);
    text += BASE64[group >> 18]! + BASE64[(group >> 12) & 63]!;
    text += left > 1 ? BASE64[(group >> 6) & 63]! : "=";
    text += left > 2 ? BASE64[group & 63]! : "=";
  }
  return text;
}

/** The bytes of base64 with padding; null unless it is the one encoding that its bytes have. */
export function unbase64(text: unknown): Uint8Array | null {
  if (typeof text !== "string" || text.length % 4 !== 0) return null;
  let padding = 0;
  if (text.endsWith("==")) padding = 2;
  else if (text.endsWith("=")) padding = 1;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let group = 0;
  let out = 0;
  for (let i = 0; i < digits; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? BASE64_VALUES[code]! : -1;
    if (value < 0) return null;
    group = (group << 6) | value;
    if (i % 4 === 3) {
      bytes[out++] = (group >> 16) & 255;
      bytes[out++] = (group >> 8) & 255;
      bytes[out++] = group & 255;
      group = 0;
    }
  }
  if (padding === 1) {
    if ((group & 3) !== 0) return null;
    bytes[out++] = (group >> 10) & 255;
    bytes[out++] = (group >> 2) & 255;
  } else if (padding === 2) {
    if ((group & 15) !== 0) return null;
    bytes[out++] = (group >> 4) & 255;
  }
  return bytes;
}

/** A natural below 2^53 in 8 bytes, big-endian. */
export function u64(value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  let left = Number(value);
  for (let i = 7; left > 0; i--) {
    bytes[i] = left % 256;
    left = Math.floor(left / 256);
  }
  return bytes;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
