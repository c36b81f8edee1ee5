/**
 * The page: what is opened is verified at once, and the answer comes first.
 */
import { parseTrust } from "../engine/index.ts";
import type { Trust, Verdict } from "../engine/verdict.ts";
import { type Desk, type Kind, emptyDesk, open, showDesk } from "./desk.ts";
import { byId, el, fill } from "./dom.ts";
import { type PageFile, fromDrop, fromPicker } from "./drop.ts";
import type { Job, OpenedFile, Result, VerifyResult } from "./jobs.ts";
import { reportOf } from "./report.ts";
import type { Searching } from "./report-data.ts";
import { Cancelled, type ProgressMessage, type Run, run } from "./run.ts";
import { comparisonSection, exhibitReport, handedSection, privilegeLogSection, productionSection } from "./section-files.ts";
import { answerOf } from "./sentences.ts";
import { type Told, wantedFor } from "./told.ts";
import { megabytes, plural } from "./words.ts";

const desk: Desk = emptyDesk();
let running: Run | null = null;
let searching: Run | null = null;
let verified: Verified | null = null;
const extras = new Map<string, HTMLElement>();

interface Verified extends VerifyResult {
  /** Null where the record could not be read to its end. */
  readonly told: Told | null;
}

export function beginPage(): void {
  const drop = byId("drop");
  const pickers = [
    [byId<HTMLButtonElement>("choose-file"), byId<HTMLInputElement>("file-input")],
    [byId<HTMLButtonElement>("choose-folder"), byId<HTMLInputElement>("folder-input")],
  ] as const;
  for (const [button, input] of pickers) {
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const files = fromPicker(input.files);
      input.value = "";
      void take(files);
    });
  }
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) drop.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer !== null) void fromDrop(event.dataTransfer).then(take);
  });
  byId("cancel").addEventListener("click", () => running?.cancel());
  byId("trust-apply").addEventListener("click", () => void work(new Set<Kind>(["trust"])));
}

async function take(files: readonly PageFile[]): Promise<void> {
  if (files.length === 0) return;
  const opened = await open(desk, files).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (typeof opened === "string") {
    fill(byId("result"), el("section", {}, el("p", { class: "notice", role: "alert" }, `This could not be opened: ${opened}.`)));
    return;
  }
  const { changed, trust, unknown } = opened;
  if (trust !== null) {
    byId<HTMLTextAreaElement>("trust").value = trust;
    byId<HTMLDetailsElement>("trust-box").open = true;
  }
  showDesk(desk, remove);
  if (unknown.length > 0 && changed.size === 0) {
    say(`${unknown.join(", ")}: this is none of the files that this page knows.`);
    fill(byId("result"), el("section", {}, el("p", { class: "notice" }, el("bdi", {}, unknown.join(", ")), " is none of the files that this page knows: a copy (.jsonl or .jsonl.gz), a file of fingerprints, an exhibit, a production volume, or the proofs of a privilege log.")));
    return;
  }
  await work(changed);
}

function remove(kind: keyof Desk): void {
  running?.cancel();
  if (kind === "handed" || kind === "volumes") desk[kind] = [];
  else desk[kind] = null;
  extras.delete(EXTRA_OF[kind] ?? "");
  if (kind === "copy") {
    verified = null;
    extras.clear();
    desk.copy = desk.second;
    desk.second = null;
  }
  showDesk(desk, remove);
  if (kind === "copy" && desk.copy !== null) void work(new Set<Kind>(["copy"]));
  else if (kind === "handed" && desk.copy !== null) void work(new Set<Kind>(["handed"]));
  else show(false);
}

const EXTRA_OF: Partial<Record<keyof Desk, string>> = { second: "compare", volumes: "production", proofs: "privilege log", exhibit: "exhibit", handed: "handed" };

/** Do what the change asks for: another copy, other fingerprints or other files judge everything again. */
async function work(changed: ReadonlySet<Kind>): Promise<void> {
  const trust = trustTyped();
  if (trust === null) return;
  running?.cancel();
  const has = (...kinds: Kind[]): boolean => kinds.some((kind) => changed.has(kind));
  try {
    const policy = desk.policy === null ? null : new TextDecoder().decode(await desk.policy.read());
    const copy = desk.copy;
    if (copy !== null && has("copy", "trust", "handed", "policy")) {
      const result = await perform("Verifying", { sort: "verify", copy: bare(copy), trust, policy, handed: desk.handed.map(bare) });
      if (result.sort === "verify") {
        // In a worker of its own: what the first one took is given back before.
        const told = result.value.verdict.verdict === "undecided" ? null : await story(result.value, bare(copy));
        verified = { ...result.value, told };
        if (verified.handed === null) extras.delete("handed");
        else extras.set("handed", handedSection(verified.handed));
      }
    }
    if (copy !== null && desk.second !== null && has("copy", "second")) {
      const result = await perform("Comparing", { sort: "compare", copies: [bare(copy), bare(desk.second)] });
      if (result.sort === "compare") extras.set("compare", comparisonSection(result.value, copy.path, desk.second.path));
    }
    if (copy !== null && desk.volumes.length > 0 && has("copy", "volumes", "trust")) {
      const result = await perform("Checking the production volume", { sort: "production", copy: bare(copy), trust, volumes: desk.volumes.map(bare) });
      if (result.sort === "production") extras.set("production", productionSection(result.value));
    }
    if (copy !== null && desk.proofs !== null && has("copy", "proofs", "trust")) {
      const result = await perform("Checking the privilege log", { sort: "privilege log", copy: bare(copy), trust, proofs: bare(desk.proofs) });
      if (result.sort === "privilege log") extras.set("privilege log", privilegeLogSection(result.value));
    }
    if (desk.exhibit !== null && has("exhibit", "trust", "policy")) {
      const result = await perform("Checking the exhibit", { sort: "exhibit", files: desk.exhibit.files.map(bare), trust, policy });
      if (result.sort === "exhibit") extras.set("exhibit", exhibitReport(result.value, desk.exhibit.name));
    }
    byId("progress").hidden = true;
    show(true);
  } catch (error) {
    if (error instanceof Cancelled) return cancelled();
    fill(byId("result"), el("section", {}, el("p", { class: "notice", role: "alert" }, error instanceof Error ? error.message : String(error))));
  } finally {
    byId("progress").hidden = running === null;
  }
}

/** A `File` with its path: what a message to the worker can carry. */
function bare({ path, file }: PageFile): OpenedFile {
  return { path, file };
}

async function perform(title: string, job: Job): Promise<Result> {
  byId("progress-title").textContent = title;
  byId("progress").hidden = false;
  byId<HTMLProgressElement>("bar").removeAttribute("value");
  byId("progress-text").textContent = "";
  say(`${title}.`);
  const own = run(job, progressed);
  running = own;
  try {
    return await own.result;
  } finally {
    if (running === own) running = null;
  }
}

/** Reads what the record says round by round: the file once more, after the verdict. */
async function story({ verdict, sha256, proven }: VerifyResult, copy: OpenedFile): Promise<Told | null> {
  const result = await perform("Reading the rounds", { sort: "story", copy, sha256, wanted: wantedFor(verdict), isRejected: verdict.verdict === "rejected", proven });
  return result.sort === "story" ? result.value : null;
}

/** Reads the file again. The worker ends with the search, and what it has read goes with it. */
function search({ verdict, sha256, proven }: VerifyResult, copy: OpenedFile, text: string, progress: (message: ProgressMessage) => void): Searching {
  searching?.cancel();
  const own = run({ sort: "search", copy, sha256, question: { text, sizes: verdict.rounds.map((round) => round.size), proven } }, progress);
  searching = own;
  const result = own.result.then((answer) => {
    if (answer.sort !== "search") throw new TypeError("the worker answered something else");
    return answer.value;
  });
  return { result, cancel: () => own.cancel() };
}

let lastSaid = 0;

function progressed({ bytes, total, entries, size }: ProgressMessage): void {
  byId<HTMLProgressElement>("bar").value = total === 0 ? 0 : Math.round((1000 * bytes) / total);
  const read = `${megabytes(bytes)} of ${megabytes(total)}`;
  const text = entries === 0 ? read : `${plural(entries, "entry", "entries")}${size === null ? "" : ` of ${size}`}, ${read}`;
  byId("progress-text").textContent = text;
  const now = Date.now();
  if (now - lastSaid > 5000) {
    lastSaid = now;
    say(text);
  }
}

function cancelled(): void {
  byId("progress").hidden = true;
  say("Cancelled. Nothing was decided.");
  if (verified === null) fill(byId("result"), el("section", {}, el("p", {}, "Cancelled. Nothing was decided.")));
}

/** The fingerprints that were typed, or null, with a message, if a line cannot be read. */
function trustTyped(): Trust | null {
  const error = byId("trust-error");
  const parsed = parseTrust(byId<HTMLTextAreaElement>("trust").value);
  const wrong = "error" in parsed && typeof parsed.error === "string" ? parsed.error : null;
  error.hidden = wrong === null;
  error.textContent = wrong ?? "";
  if (wrong !== null) {
    byId<HTMLDetailsElement>("trust-box").open = true;
    byId("trust").focus();
    return null;
  }
  return parsed as Trust;
}

function show(focus: boolean): void {
  // A search belongs to the report that is replaced now.
  searching?.cancel();
  const result = byId("result");
  const own = verified;
  const copy = desk.copy;
  const parts: HTMLElement[] = [];
  const exhibit = extras.get("exhibit");
  if (exhibit !== undefined && own === null) parts.push(exhibit);
  if (own !== null && copy !== null) {
    const { verdict, sha256, told, parts: shownParts } = own;
    const report = reportOf({ verdict, told, parts: shownParts, file: { name: copy.path, size: copy.size, sha256 }, given: given(), search: (text, progress) => search(own, bare(copy), text, progress) });
    const [first, ...rest] = report;
    if (first !== undefined) first.append(actions());
    parts.push(...(first === undefined ? [] : [first]), ...["compare", "handed", "production", "privilege log"].flatMap((name) => extras.get(name) ?? []), ...(exhibit === undefined ? [] : [exhibit]), ...rest);
  }
  fill(result, parts);
  byId("desk").classList.toggle("compact", parts.length > 0);
  document.title = own === null ? "Tallystick: verify a copy" : `${answerOf(own.verdict).word}: ${copy?.path ?? ""}`;
  if (!focus || parts.length === 0) return;
  const heading = result.querySelector<HTMLElement>("h1") ?? result;
  heading.focus({ preventScroll: true });
  (result.firstElementChild ?? result).scrollIntoView({ block: "start" });
  say(own === null ? (heading.textContent ?? "") : spoken(own.verdict));
}

function spoken(verdict: Verdict): string {
  const answer = answerOf(verdict);
  return `${answer.word}. ${answer.says}`;
}

function given(): string[] {
  const list: string[] = [];
  if (byId<HTMLTextAreaElement>("trust").value.trim() !== "") list.push("fingerprints");
  if (desk.handed.length > 0) list.push("the files that Bob was handed");
  if (desk.policy !== null) list.push("a policy");
  return list;
}

function actions(): HTMLElement {
  const print = el("button", { type: "button" }, "Print this report");
  print.addEventListener("click", () => window.print());
  const again = el("button", { type: "button" }, "Start over");
  again.addEventListener("click", () => {
    Object.assign(desk, emptyDesk());
    verified = null;
    extras.clear();
    byId<HTMLTextAreaElement>("trust").value = "";
    showDesk(desk, remove);
    show(false);
    byId("choose-file").focus();
  });
  return el("p", { class: "actions" }, print, again);
}

function say(text: string): void {
  byId("live").textContent = text;
}
