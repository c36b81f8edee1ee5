/** The contents of each kind of entry: which fields, and of which type. */

import { isObject, type Json, type JsonObject, hasOwn, isArray } from "./json.ts";
import { quoted } from "./quoted.ts";
import { hasExactly, isHash, isName, isNatural, isPositive, isRole } from "./shapes.ts";

type Test = (value: Json) => boolean;

const natural: Test = isNatural;
const hash: Test = isHash;
const role: Test = isRole;
const text: Test = (value) => typeof value === "string";
const flag: Test = (value) => typeof value === "boolean";
const positive: Test = isPositive;
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const list =
  (test: Test): Test =>
  (value) =>
    isArray(value) && value.every(test);
const object =
  (fields: Readonly<Record<string, Test>>): Test =>
  (value) =>
    hasExactly(value, Object.keys(fields)) && Object.entries(fields).every(([name, test]) => test(value[name]!));
const oneOf =
  (...words: readonly string[]): Test =>
  (value) =>
    typeof value === "string" && words.includes(value);

const drawn = object({ draw: positive, link: hash });
const strata = object({ documents: natural, hits: natural, shown: natural });
const certificate = { assumes: text, doubt: text, found: natural, reached: orNull(flag), target: orNull(text) };

const account = object({
  containers: natural,
  custodians: natural,
  duplicates: natural,
  entered: natural,
  exceptions: natural,
  families: natural,
  first: text,
  items: natural,
  last: text,
  list: hash,
  parts: natural,
  protections: list(text),
  reasons: (value) => isObject(value) && Object.values(value).every(positive),
  unread: natural,
});

/** The terms except what each rule adds: those of an unknown rule are not looked at. */
const COMMON_TERMS: Readonly<Record<string, Test>> = {
  batch: positive,
  classes: orNull(object({ names: list(isName), share: text })),
  doubt: text,
  draws: positive,
  protocol: text,
  query: text,
  rounds: positive,
  validation: orNull(
    object({
      every: positive,
      hits: orNull(natural),
      review: orNull(text),
      show: text,
      target: text,
      viewer: oneOf("bob", "court"),
      window: positive,
      yield: orNull(text),
    }),
  ),
  witnesses: orNull(object({ authorities: list(hash), log: orNull(text) })),
};
const PAPER_TERMS = { ...COMMON_TERMS, delta: text, k: positive };
const TERMS: Readonly<Record<string, Test>> = {
  "reveal-all": object(COMMON_TERMS),
  label: object(PAPER_TERMS),
  classifier: object(PAPER_TERMS),
  "spot-check": object({
    ...COMMON_TERMS,
    every: positive,
    limit: text,
    penalty: oneOf("none", "batch"),
    rate: text,
    target: text,
  }),
};

/** The opening without its terms, which are judged by the rule that they name. */
const opening = {
  anchor: hash,
  caption: orNull(
    object({ case: text, court: text, names: object({ alice: text, bob: text, court: text, trent: text }), request: text }),
  ),
  corpus: object({ account, documents: positive, root: hash, unit: oneOf("family", "document") }),
  format: (value: Json) => value === 1,
  keys: object({ alice: hash, bob: hash, court: hash, trent: hash }),
  method: natural,
  simulation: orNull(
    object({ alice: text, bob: text, court: text, label: text, responsive: positive, seed: text, truth: hash }),
  ),
};

const CONTENTS: ReadonlyMap<string, Readonly<Record<string, Test>>> = new Map<string, Readonly<Record<string, Test>>>([
  ["agreed", { anchor: hash }],
  ["deposited", { anchors: object({ alice: hash, bob: hash, trent: hash }) }],
  ["draw", { draw: positive }],
  ["link", { draw: positive, link: hash }],
  ["batch", { drawn: orNull(drawn), near_cut: orNull(natural), size: positive }],
  ["escalation", { size: positive }],
  ["look", { draw: positive, link: hash, positions: list(positive) }],
  ["validation", { drawn, number: positive, numbers: list(natural), reviewed: list(positive) }],
  ["call", { drawn, number: positive, numbers: list(natural), reviewed: list(positive) }],
  ["report", { draw: positive, link: hash, openings: hash }],
  ["camera", { positions: list(positive) }],
  ["privilege", { parts: list(list(natural)), upheld: list(flag) }],
  ["late", {}],
  ["claim", { positions: list(positive) }],
  ["clawback", {}],
  ["reclaim", { documents: list(object({ position: positive, round: positive })) }],
  ["returned", { upheld: list(flag) }],
  ["disclosure", { positions: list(positive) }],
  ["labels", { labels: list(flag) }],
  ["dispute", { positions: list(positive) }],
  ["rulings", { labels: list(flag) }],
  [
    "closed",
    {
      compelled: flag,
      draw: orNull(positive),
      error: natural,
      link: orNull(hash),
      responsive: list(positive),
      sampled: natural,
      threshold: natural,
      truth: orNull(object({ responsive: natural, revealed: natural })),
    },
  ],
  ["default", { absent: role, served: hash }],
  ["order", { absent: role, granted: flag, link: orNull(hash), served: hash }],
  ["rekey", { key: hash, role }],
  ["rekeyed", { granted: flag, key: hash, role }],
  ["again", { question: hash }],
  ["amend", { limit: orNull(text), rounds: positive }],
  ["amended", { accepted: flag }],
  ["conflict", { answer: natural }],
  ["stamped", { root: hash, token: hash }],
  ["logged", { proof: text, root: hash }],
  [
    "claims",
    {
      alice_errors: natural,
      certificates: object({
        collection: object({ ...certificate, at_most: orNull(natural), unreviewed: natural }),
        reviewed: object({ ...certificate, at_most: natural }),
      }),
      clawed_back: natural,
      compelled_rounds: natural,
      defaults: natural,
      disputes: natural,
      ended: oneOf("validation", "documents", "amendment", "rounds"),
      found: natural,
      guarantee: text,
      in_camera: natural,
      nrd: natural,
      privileged: natural,
      revealed: natural,
      reviewed: natural,
      rounds: list(
        object({
          compelled: flag,
          error: natural,
          near_cut: orNull(natural),
          privileged: natural,
          round: positive,
          sampled: natural,
          size: natural,
          sort: text,
          threshold: natural,
          unread: natural,
        }),
      ),
      truth: orNull(object({ responsive: natural, revealed: natural })),
      validations: list(
        object({
          at_most: orNull(natural),
          called: natural,
          never: strata,
          number: positive,
          reached: flag,
          round: positive,
          total: orNull(natural),
          unread: natural,
          withheld: strata,
        }),
      ),
    },
  ],
]);

/** Which field of a content is wrong; null if the content has the fields of its kind, each of its type. */
export function contentFault(kind: string, content: JsonObject): string | null {
  if (kind === "open") return openingFault(content);
  return fieldsFault(content, CONTENTS.get(kind)!);
}

function fieldsFault(content: JsonObject, fields: Readonly<Record<string, Test>>): string | null {
  for (const [name, test] of Object.entries(fields)) {
    if (!hasOwn(content, name)) return `\`${name}\` is missing`;
    if (!test(content[name]!)) return `\`${name}\` is of another type`;
  }
  const extra = Object.keys(content).find((name) => !hasOwn(fields, name));
  return extra === undefined ? null : `the field ${quoted(extra)} does not belong there`;
}

function openingFault(content: JsonObject): string | null {
  if (!hasOwn(content, "terms")) return "`terms` is missing";
  const { terms, ...rest } = content;
  const fault = fieldsFault(rest, opening);
  if (fault !== null) return fault;
  if (!isObject(terms) || typeof terms["protocol"] !== "string") return "`terms` is of another type";
  const { protocol } = terms;
  if (!hasOwn(TERMS, protocol)) return null;
  return TERMS[protocol]!(terms) ? null : "`terms` is of another type";
}

/** The rule that the terms of an opening name, if this engine knows it. */
export function isKnownProtocol(protocol: string): boolean {
  return hasOwn(TERMS, protocol);
}
