/**
 * The verifier as a command of Node's: one line of JSON for each copy, and for what is checked beside one.
 *
 *     node verify.mjs [--trust FILE] [--policy FILE] FILE...
 *     node verify.mjs [--trust FILE] compare A B
 *     node verify.mjs [--trust FILE] [--policy FILE] exhibit DIR...
 *     node verify.mjs [--trust FILE] [--policy FILE] --batch
 *
 * With `--batch` each line of standard input is a request, and is answered with a line:
 *     {"file": path, "trust": {"alice": ["71931 …"]}, "handed": folder}, {"copy": base64, "trust": …},
 *     {"compare": [path, path], "trust": …}, {"exhibit": path, "trust": …}, {"production": folder, "earlier": [folder], "against": path}
 *     or {"privilege_log": path, "against": path}
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { compareCopies, isObject, parsePolicy, parseTrust, ROLES, unbase64, verifyCopy } from "../engine/index.ts";
import type { Comparison, DocumentProven, Role, Trust, Verdict } from "../engine/index.ts";
import { checkExhibit } from "../files/exhibit.ts";
import { checkHanded, withHanded } from "../files/handed.ts";
import { chunksOfFile, folderAt } from "../files/named-files.ts";
import { checkPrivilegeLog } from "../files/privilege-log.ts";
import { checkVolume } from "../files/production.ts";
import { openVolume } from "../files/volume.ts";
import { fileOnDisk, filesBelow, filesToRead } from "./folder.ts";

const USAGE = `usage: node verify.mjs [--trust FILE] [--policy FILE] FILE...
       node verify.mjs [--trust FILE] compare A B
       node verify.mjs [--trust FILE] [--policy FILE] exhibit DIR...
       node verify.mjs [--trust FILE] [--policy FILE] --batch

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

interface ProductionAnswer extends Pick<Answer, "checks" | "blamed" | "outcomes" | "counts" | "error"> {
  readonly production: string;
  readonly verdict: string | null;
  /** The check and the party, or an empty text where nobody is blamed. */
  readonly findings: readonly (readonly [string, string])[];
}

interface LogAnswer {
  readonly privilege_log: string;
  readonly verdict: string | null;
  readonly documents: number | null;
  readonly error: string | null;
}

/** As a file has it, or as a request does. */
type PolicyFile = Uint8Array | string;

/** Wrong usage: what was found, and what to do. */
class Usage extends Error {}

/** The file is opened only when somebody reads: whoever judges tells what the disk does not give. */
async function* chunksAt(path: string): AsyncGenerator<Uint8Array> {
  yield* chunksOfFile(fileOnDisk(path));
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

function unreadable(file: string | null, error: string): Answer {
  return { file, verdict: null, checks: [], blamed: [], outcomes: {}, counts: {}, error };
}

/** What the judge says, or what is said instead if the disk does not give what the judge reads. */
async function judged<T>(judge: () => Promise<T>, unread: (why: string) => T): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof Error && "syscall" in error && "code" in error) return unread(`cannot read it (${String(error.code)})`);
    throw error;
  }
}

async function verifyOne(file: string | null, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, trust: Trust, policy: PolicyFile | null, folder: string | null = null): Promise<Answer> {
  const judge = async (): Promise<Answer> => {
    const documents: DocumentProven[] = [];
    const files = folder === null ? null : filesToRead(folder);
    const verdict = await verifyCopy(chunks, {
      trust,
      withoutPositions: true,
      ...(policy === null ? {} : { policy }),
      ...(files === null ? {} : { onDocument: (document) => documents.push(document) }),
    });
    return answerOf(file, files === null ? verdict : withHanded(verdict, await checkHanded(files, documents), documents.length));
  };
  return judged(judge, (why) => unreadable(file, why));
}

async function compareTwo(a: string, b: string, trust: Trust): Promise<Comparison | Answer> {
  return judged<Comparison | Answer>(() => compareCopies(chunksAt(a), chunksAt(b), { trust }), (why) => unreadable(null, why));
}

async function judgeExhibit(folder: string, trust: Trust, policy: PolicyFile | null): Promise<ExhibitAnswer> {
  const answer = { exhibit: folder, verdict: null, checks: [], blamed: [], findings: [] };
  const judge = async (): Promise<ExhibitAnswer> => {
    const { verdict, findings, trouble } = await checkExhibit(filesBelow(folder), trust, policy);
    return { ...answer, verdict, ...summary(findings), findings, error: trouble === "" ? null : trouble };
  };
  return judged(judge, (error) => ({ ...answer, error }));
}

/** The checks that fail, and the roles that are blamed. */
function summary(findings: readonly { readonly check: string; readonly party: string | null }[]): Pick<Answer, "checks" | "blamed"> {
  return {
    checks: [...new Set(findings.map((finding) => finding.check))].sort(),
    blamed: [...new Set(findings.flatMap(({ party }) => party ?? []))].sort(),
  };
}

async function judgeProduction(folder: string, earlier: readonly string[], copy: string, trust: Trust): Promise<ProductionAnswer> {
  const answer = { production: folder, verdict: null, checks: [], blamed: [], outcomes: {}, counts: {}, findings: [] };
  const judge = async (): Promise<ProductionAnswer> => {
    const open = (one: string): ReturnType<typeof openVolume> => openVolume(one, folderAt(filesBelow(one), ""));
    const { verdict, reason, checks, findings } = await checkVolume(await open(folder), await Promise.all(earlier.map(open)), fileOnDisk(copy), trust);
    return {
      ...answer,
      verdict,
      ...summary(findings.map(({ check, blamed }) => ({ check, party: blamed }))),
      outcomes: Object.fromEntries(checks.map(({ id, outcome }) => [id, outcome])),
      counts: Object.fromEntries(checks.filter(({ outcome }) => outcome === "pass").map(({ id, items }) => [id, items])),
      findings: findings.map(({ check, blamed }) => [check, blamed ?? ""] as const).sort(),
      error: reason === "" ? null : reason,
    };
  };
  return judged(judge, (error) => ({ ...answer, error }));
}

async function judgeLog(file: string, copy: string, trust: Trust): Promise<LogAnswer> {
  const answer = { privilege_log: file, verdict: null, documents: null };
  const judge = async (): Promise<LogAnswer> => {
    const { verdict, reason, rows } = await checkPrivilegeLog(fileOnDisk(file), fileOnDisk(copy), trust);
    return { ...answer, verdict, documents: verdict === "verified" ? rows.length : null, error: reason === "" ? null : reason };
  };
  return judged(judge, (error) => ({ ...answer, error }));
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

function readPolicy(path: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch {
    throw new Usage(`cannot read the policy in ${path}`);
  }
  const policy = parsePolicy(bytes);
  if ("error" in policy) throw new Usage(`${path} is no policy: ${policy.error}`);
  return bytes;
}

interface Request {
  readonly file?: string;
  readonly copy?: string;
  readonly compare?: readonly [string, string];
  readonly exhibit?: string;
  readonly production?: string;
  readonly earlier?: readonly string[];
  readonly privilege_log?: string;
  /** The copy that a volume or a log is checked against. */
  readonly against?: string;
  /** A folder of documents that Bob was handed. */
  readonly handed?: string;
  readonly trust?: Trust;
  readonly policy?: string;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isPath = (value: unknown): boolean => typeof value === "string" && !value.includes("\0");
const isTrust = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).every(([role, lines]) => ROLES.includes(role as Role) && Array.isArray(lines) && lines.every(isText));

/** What the fields of a request must be, where they are not null. */
const FIELDS: Readonly<Record<keyof Request, (value: unknown) => boolean>> = {
  file: isPath,
  copy: isText,
  compare: (value) => Array.isArray(value) && value.length === 2 && value.every(isPath),
  exhibit: isPath,
  production: isPath,
  earlier: (value) => Array.isArray(value) && value.every(isPath),
  privilege_log: isPath,
  against: isPath,
  handed: isPath,
  trust: isTrust,
  policy: (value) => isText(value) && !("error" in parsePolicy(value)),
};

/** Why a value is no request; null if it is one. */
function requestFault(request: unknown): string | null {
  if (!isObject(request)) return "this line is no request";
  const wrong = Object.entries(FIELDS).find(([name, is]) => request[name] != null && !is(request[name]));
  return wrong === undefined ? null : `\`${wrong[0]}\` of this request has not its form`;
}

async function answerRequest(line: string, given: Trust, standing: PolicyFile | null): Promise<unknown> {
  let request: Request;
  try {
    request = JSON.parse(line) as Request;
  } catch {
    return unreadable(null, "this line is no request in JSON");
  }
  const fault = requestFault(request);
  if (fault !== null) return unreadable(null, fault);
  const { compare, exhibit, production, privilege_log, against, copy, file } = request;
  const trust = request.trust ?? given;
  const policy = request.policy ?? standing;
  const handed = request.handed ?? null;
  if (compare != null) return compareTwo(...compare, trust);
  if (exhibit != null) return judgeExhibit(exhibit, trust, policy);
  if (production != null || privilege_log != null) {
    if (against == null) return unreadable(null, "this request names no copy to check against");
    return production != null ? judgeProduction(production, request.earlier ?? [], against, trust) : judgeLog(privilege_log!, against, trust);
  }
  if (copy != null) {
    const bytes = unbase64(copy);
    if (bytes === null) return unreadable(null, "the copy of this request is not in base64");
    return verifyOne(null, [bytes], trust, policy, handed);
  }
  if (file == null) return unreadable(null, "this request names no file");
  return verifyOne(file, chunksAt(file), trust, policy, handed);
}

async function batch(trust: Trust, policy: PolicyFile | null): Promise<number> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line !== "") print(await answerRequest(line, trust, policy));
  }
  return 0;
}

async function main(args: readonly string[]): Promise<number> {
  const files: string[] = [];
  let trust: Trust = {};
  let policy: PolicyFile | null = null;
  let isBatch = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--trust" || arg === "--policy") {
      const path = args[++i];
      if (path === undefined) throw new Usage(`${arg} needs a file`);
      if (arg === "--trust") trust = readTrust(path);
      else policy = readPolicy(path);
    } else if (arg === "--batch") isBatch = true;
    else if (arg.startsWith("--")) throw new Usage(`there is no option ${arg}`);
    else files.push(arg);
  }
  if (isBatch) return batch(trust, policy);
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
    const answer = areExhibits ? await judgeExhibit(file, trust, policy) : await verifyOne(file, chunksAt(file), trust, policy);
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

