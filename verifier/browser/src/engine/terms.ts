/** The terms of a matter: whether they can be run, and their numbers. */

import { decimal, threshold, TWO64, type Fraction } from "./numbers.ts";
import { parseVerifierKey, type VerifierKey } from "./note.ts";
import type { RuleTerms } from "./rules.ts";
import { isAscending } from "./shapes.ts";
import type { Terms } from "./verdict.ts";

/** A decimal strictly between 0 and 1. */
function isShare(text: string): boolean {
  const value = decimal(text);
  return value !== null && value.num > 0n && value.num < value.den;
}

/** A decimal from 0 to 1. */
export function isLimit(text: string): boolean {
  const value = decimal(text);
  return value !== null && value.num <= value.den;
}

/** Why terms of the right form cannot be run; null if they can. */
export function termsFault(terms: Terms): string | null {
  if (terms.rounds > 2 ** 12) return "`rounds` is above 2^12";
  if (terms.draws < 2 * terms.rounds || terms.draws > 2 ** 14) return "`draws` is below 2 · `rounds` or above 2^14";
  if (terms.limit !== undefined && !isLimit(terms.limit)) return "`limit` is no decimal from 0 to 1";
  const { classes, validation, witnesses } = terms;
  const shares: Readonly<Record<string, string | null | undefined>> = {
    doubt: terms.doubt,
    delta: terms.delta,
    rate: terms.rate,
    target: terms.target,
    "classes.share": classes?.share,
    "validation.review": validation?.review,
    "validation.yield": validation?.yield,
    "validation.show": validation?.show,
    "validation.target": validation?.target,
  };
  for (const [name, value] of Object.entries(shares)) {
    if (typeof value === "string" && !isShare(value)) return `\`${name}\` is no decimal between 0 and 1`;
  }
  if (classes !== null) {
    const { names } = classes;
    if (names.length < 1 || names.length > 16 || !isAscending(names)) return "the names of the classes are not 1 to 16, ascending";
  }
  if (validation !== null) {
    if (validation.hits !== null && validation.hits > 1000) return "`hits` is above 1000";
    if (validation.review !== null) {
      if (validation.hits !== null || validation.viewer !== "bob") return "in two stages `hits` is null, and `viewer` is `bob`";
      const product = threshold(decimal(validation.review)!) * threshold(decimal(validation.show)!);
      if (product / TWO64 < 2n) return "the product of `review` and `show` is too small";
    }
  }
  if (witnesses !== null) {
    const { authorities, log } = witnesses;
    if (authorities.length > 16 || !isAscending(authorities)) return "`authorities` are not at most 16, ascending";
    if (log === null && authorities.length === 0) return "`witnesses` name neither authorities nor a log";
    if (log !== null && logKey(log) === null) return "`log` is no key of a log";
  }
  return null;
}

/** The key of the operator's log; null if the text is none. */
export function logKey(text: string): VerifierKey | null {
  const key = parseVerifierKey(text);
  return key === null || key.type !== 1 || key.name.startsWith("tallystick/") ? null : key;
}

/** The terms as numbers. */
export interface TermNumbers {
  readonly rule: RuleTerms;
  readonly doubt: Fraction;
  readonly target: Fraction | null;
  readonly share: Fraction | null;
  readonly validation: {
    readonly show: bigint;
    readonly review: bigint | null;
    readonly target: Fraction;
    readonly yield: Fraction | null;
  } | null;
}

export function termNumbers(terms: Terms): TermNumbers {
  const { validation, classes } = terms;
  const value = (text: string | null | undefined): Fraction | null => (text == null ? null : decimal(text));
  return {
    rule: {
      protocol: terms.protocol,
      delta: value(terms.delta),
      k: terms.k ?? null,
      rate: terms.rate === undefined ? null : threshold(decimal(terms.rate)!),
      penalty: terms.penalty ?? null,
    },
    doubt: decimal(terms.doubt)!,
    target: value(terms.target),
    share: value(classes?.share),
    validation:
      validation === null
        ? null
        : {
            show: threshold(decimal(validation.show)!),
            review: validation.review === null ? null : threshold(decimal(validation.review)!),
            target: decimal(validation.target)!,
            yield: value(validation.yield),
          },
  };
}
