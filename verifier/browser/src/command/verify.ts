/**
 * The verifier as a command of Node's: one line of JSON for each copy or exhibit.
 *
 *     node verify.mjs [--trust FILE] [--policy FILE] FILE...
 *     node verify.mjs [--trust FILE] compare A B
 *     node verify.mjs [--trust FILE] [--policy FILE] exhibit DIR...
 *     node verify.mjs [--trust FILE] --batch
 *
 * With `--batch` each line of standard input is a request, and is answered with a line:
 *     {"file": path, "trust": {"alice": ["71931 …"]}}, {"copy": base64, "trust": …}, {"compare": [path, path], "trust": …} or
 *     {"exhibit": path, "trust": …}
 */
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { compareCopies, parseTrust, unbase64, verifyCopy, type Comparison, type Trust, type Verdict } from "../engine/index.ts";
import { checkExhibit } from "../files/exhibit.ts";
import { filesBelow } from "./folder.ts";

const USAGE = `usage: node verify.mjs [--trust FILE] [--policy FILE] FILE...
       node verify.mjs [--trust FILE] compare A B
       node verify.mjs [--trust FILE] [--policy FILE] exhibit DIR...
       node verify.mjs [--trust FILE] --batch

Prints one line of JSON for each copy or exhibit. Exit code: 0 verified or not closed, 1 rejected, 3 undecided,
4 commitment only, 2 wrong usage.
`;

interface Answer {
  readonly file: string | null;
  readonly verdict: string | null;
  readonly checks: readonly string[];
  readonly blamed: readonly string[];
  readonly outcomes: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly error: string | null;
}

interface ExhibitAnswer {
  readonly exhibit: string;
  readonly verdict: string | null;
  readonly checks: readonly string[];
  readonly blamed: readonly string[];
  readonly findings: readonly { readonly check: string; readonly party: string | null; readonly entry: number | null; readonly rule: string }[];
  readonly error: string | null;
}

/** Wrong usage: what was found, and what to do. */
class Usage extends Error {}

function chunksOfFile(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: 1 << 20 });
}

function answerOf(file: string | null, verdict: Verdict): Answer {
  const { damage } = verdict;
  const where = damage?.line == null ? "" : `line ${damage.line}: `;
  return {
    file,
    verdict: verdict.verdict,
    checks: verdict.checks.filter((check) => check.outcome === "fail").map((check) => check.id),
    blamed: verdict.blamed,
    outcomes: Object.fromEntries(verdict.checks.map((check) => [check.id, check.outcome])),
    counts: Object.fromEntries(verdict.checks.filter((check) => check.outcome === "pass").map((check) => [check.id, check.items])),
    error: damage === null ? null : `${where}${damage.what}`,
  };
}

function unreadable(file: string | null, error: unknown): Answer {
  const reason = error instanceof Error && "code" in error ? `cannot read it (${String(error.code)})` : String((error as Error).message);
  return { file, verdict: null, checks: [], blamed: [], outcomes: {}, counts: {}, error: reason };
}

async function verifyOne(file: string | null, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, trust: Trust, policy: string | Uint8Array | null): Promise<Answer> {
  try {
    const verdict = await verifyCopy(chunks, { trust, withoutPositions: true, ...(policy === null ? {} : { policy }) });
    return answerOf(file, verdict);
  } catch (error) {
    if (error instanceof Error && "code" in error) return unreadable(file, error);
    throw error;
  }
}

async function compareTwo(a: string, b: string, trust: Trust): Promise<Comparison | Answer> {
  try {
    return await compareCopies(chunksOfFile(a), chunksOfFile(b), { trust });
  } catch (error) {
    if (error instanceof Error && "code" in error) return unreadable(null, error);
    throw error;
  }
}

async function judgeExhibit(folder: string, trust: Trust, policy: string | Uint8Array | null): Promise<ExhibitAnswer> {
  const answer = { exhibit: folder, verdict: null, checks: [], blamed: [], findings: [] };
  try {
    const { verdict, findings, trouble } = await checkExhibit(filesBelow(folder), trust, policy);
    const checks = [...new Set(findings.map((finding) => finding.check))].sort();
    const blamed = [...new Set(findings.flatMap(({ party }) => party ?? []))].sort();
    return { ...answer, verdict, checks, blamed, findings, error: trouble === "" ? null : trouble };
  } catch (error) {
    if (error instanceof Error && "code" in error) return { ...answer, error: `cannot read it (${String(error.code)})` };
    throw error;
  }
}

function exitCode(answer: Answer | ExhibitAnswer | Comparison): number {
  if ("result" in answer) return answer.result === "two histories" ? 1 : answer.result === "undecided" ? 3 : 0;
  if (answer.verdict === "commitment only") return 4;
  if (answer.verdict === null || answer.verdict === "undecided") return 3;
  return answer.verdict === "rejected" ? 1 : 0;
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** What is rejected weighs more than what is undecided. */
function heavier(a: number, b: number): number {
  const order = [0, 4, 3, 1, 2];
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

function readTrust(path: string): Trust {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new Usage(`cannot read the fingerprints in ${path}`);
  }
  const trust = parseTrust(text);
  if ("error" in trust) throw new Usage(trust.error as string);
  return trust;
}

interface Request {
  readonly file?: string;
  readonly copy?: string;
  readonly compare?: readonly [string, string];
  readonly exhibit?: string;
  readonly trust?: Trust;
  readonly policy?: string;
}

async function answerRequest(line: string, trust: Trust): Promise<unknown> {
  let request: Request;
  try {
    request = JSON.parse(line) as Request;
  } catch {
    return unreadable(null, new Error("this line is no request in JSON"));
  }
  if (request.compare !== undefined) return compareTwo(...request.compare, request.trust ?? trust);
  const policy = request.policy ?? null;
  if (request.exhibit !== undefined) return judgeExhibit(request.exhibit, request.trust ?? trust, policy);
  if (request.copy !== undefined) {
    const bytes = unbase64(request.copy);
    if (bytes === null) return unreadable(null, new Error("the copy of this request is not in base64"));
    return verifyOne(null, [bytes], request.trust ?? trust, policy);
  }
  if (typeof request.file !== "string") return unreadable(null, new Error("this request names no file"));
  return verifyOne(request.file, chunksOfFile(request.file), request.trust ?? trust, policy);
}

async function batch(trust: Trust): Promise<number> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line !== "") print(await answerRequest(line, trust));
  }
  return 0;
}

async function main(args: readonly string[]): Promise<number> {
  const files: string[] = [];
  let trust: Trust = {};
  let policy: Uint8Array | null = null;
  let isBatch = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--trust" || arg === "--policy") {
      const path = args[++i];
      if (path === undefined) throw new Usage(`${arg} needs a file`);
      if (arg === "--trust") trust = readTrust(path);
      else policy = readFileSync(path);
    } else if (arg === "--batch") isBatch = true;
    else if (arg.startsWith("--")) throw new Usage(`there is no option ${arg}`);
    else files.push(arg);
  }
  if (isBatch) return batch(trust);
  if (files[0] === "compare") {
    if (files.length !== 3) throw new Usage("compare needs two copies");
    const result = await compareTwo(files[1]!, files[2]!, trust);
    print(result);
    return exitCode(result);
  }
  const areExhibits = files[0] === "exhibit";
  if (areExhibits) files.shift();
  if (files.length === 0) throw new Usage(`name the ${areExhibits ? "exhibits" : "copies"} to verify`);
  let code = 0;
  for (const file of files) {
    const answer = areExhibits ? await judgeExhibit(file, trust, policy) : await verifyOne(file, chunksOfFile(file), trust, policy);
    print(answer);
    code = heavier(code, exitCode(answer));
  }
  return code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Usage)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

