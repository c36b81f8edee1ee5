/**
 * Small words that every sentence needs: who is who, how many, and how sure. The sentences follow the Python program's,
 * so that two reports of one copy can be laid side by side.
 */
import { CALLED } from "../engine/names.ts";
import { quoted } from "../engine/quoted.ts";
import type { Audience, Role } from "../engine/verdict.ts";

export { listing, partsSay } from "../engine/names.ts";

export function plural(count: number, one: string, many = one + "s"): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function who(role: Role | Audience): string {
  return role === "public" ? "the public" : CALLED[role];
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function responsive(label: boolean | null): string {
  return label === null ? "" : label ? "responsive" : "not responsive";
}

/** "95 %" of the text "0.05", exactly: what is not certain is never rounded to 100 %. Of a validation the doubt is 4/5^k of the terms'. */
export function confidence(doubt: string, validation = 0): string {
  const [digits, places] = decimalOf(doubt) ?? [0n, 0];
  const scale = places + validation;
  return percent(10n ** BigInt(scale) - digits * (validation === 0 ? 1n : 4n << BigInt(validation)), scale);
}

/** "90 %" or "0.5 %" of a decimal such as "0.9", exactly; a text that is none stands as it is. */
export function share(text: string): string {
  const value = decimalOf(text);
  return value === null ? quoted(text) : percent(...value);
}

/** The digits of a decimal, and how many of them stand behind the point. */
function decimalOf(text: string): [bigint, number] | null {
  const [, whole, part = ""] = /^(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text) ?? [];
  return whole === undefined ? null : [BigInt(whole + part), part.length];
}

function percent(value: bigint, places: number): string {
  const digits = String(value * 100n).padStart(places + 1, "0");
  const point = digits.length - places;
  const part = digits.slice(point, point + 30).replace(/0+$/, "");
  return `${digits.slice(0, point)}${part === "" ? "" : `.${part}`} %`;
}

/** At least this share, so rounded down: "90.4 %" for 0.90476. */
export function atLeast(part: number, whole: number): string {
  const tenths = whole === 0 ? 1000n : (BigInt(part) * 1000n) / BigInt(whole);
  return tenths % 10n === 0n ? `${tenths / 10n} %` : `${tenths / 10n}.${tenths % 10n} %`;
}

/** A share with one digit behind the point, or with two where it is below one in a hundred: "1.5 %", "0.39 %". */
export function estimate(value: number): string {
  const percent = value * 100;
  return `${rounded(percent, percent > 0 && percent < 1 ? 2 : 1)} %`;
}

/** The chance of a coin: only a certain one is 100 %, and none that there is is 0. */
export function chanceSays(chance: number): string {
  const percent = chance * 100;
  return `${chance === 1 ? 100 : percent < 0.1 ? Number(percent.toPrecision(2)) : rounded(Math.min(percent, 99.9), 1)} %`;
}

/** Rounded to the nearest; of two that are as near to the even one, as the Python program does. */
export function rounded(value: number, digits: number): string {
  const whole = value * 10 ** digits;
  return (whole % 2 === 0.5 ? Math.floor(whole) / 10 ** digits : value).toFixed(digits);
}

/** A chance in units of 2^-64, as a decimal text, as a share of one. */
export function chanceOf(text: string | bigint): number {
  return Number(BigInt(text)) / 2 ** 64;
}

/** "1–3, 5, 8–10" */
export function ranges(numbers: readonly number[]): string {
  const words: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    const first = numbers[at] as number;
    let end = at;
    while (numbers[end + 1] === (numbers[end] as number) + 1) end += 1;
    const last = numbers[end] as number;
    words.push(first === last ? String(first) : `${first}–${last}`);
    at = end + 1;
  }
  return words.join(", ");
}

export function megabytes(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Trent's clock, in UTC. It decides nothing. */
export function clock(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace("T", " ").slice(0, 16) + " UTC";
}
