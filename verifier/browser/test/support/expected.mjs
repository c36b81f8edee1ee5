/** What a vector of transcripts.json lets this verifier say: the same as it states, without what only the corpus decides. */
import { fileURLToPath } from "node:url";

/** Where the vectors are: in the repository, or where TALLYSTICK_VECTORS says. */
export const VECTORS = process.env.TALLYSTICK_VECTORS ?? fileURLToPath(new URL("../../../../tests/vectors", import.meta.url));

const OF_THE_CORPUS = ["V10", "V11", "V21", "V22", "V24", "V30"];

/** A verdict of null: the corpus alone decides it. */
export function expectedOf(vector) {
  const withCorpus = vector.corpus !== null;
  const outcomes = { ...vector.outcomes };
  if (withCorpus) for (const id of OF_THE_CORPUS) outcomes[id] = "not checked";
  const checks = vector.checks.filter((id) => !withCorpus || !OF_THE_CORPUS.includes(id));
  const needsCorpus = checks.length !== vector.checks.length || vector.corpus === "corpora/wrong-row";
  if (needsCorpus && checks.length === 0) return { outcomes, verdict: null, checks: null, blamed: null };
  return { outcomes, verdict: vector.verdict, checks, blamed: vector.blamed };
}

/** The same of a verdict that was given. */
export function statedBy(verdict, expected) {
  const outcomes = Object.fromEntries(verdict.checks.map((check) => [check.id, check.outcome]));
  if (expected.verdict === null) return { outcomes, verdict: null, checks: null, blamed: null };
  return { outcomes, verdict: verdict.verdict, checks: verdict.checks.filter((check) => check.outcome === "fail").map((check) => check.id), blamed: verdict.blamed };
}
