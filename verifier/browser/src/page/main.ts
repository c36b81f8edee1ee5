/**
 * The page: what is opened is verified at once, and the answer comes first.
 *
 * What was found out stands until something that it rests on changes, and is gone from that moment. So a report never
 * speaks of files or fingerprints that are no longer there.
 */
import { parseTrust } from "../engine/index.ts";
import type { Trust } from "../engine/verdict.ts";
import { cutOff, quoted } from "../engine/quoted.ts";
import { type Desk, type Kind, type LeftAside, emptyDesk, open, showDesk } from "./desk.ts";
import { type Child, byId, el, fill, foreign, paragraph } from "./dom.ts";
import { type PageFile, fromDrop, fromPicker } from "./drop.ts";
import { type Job, type OpenedFile, type Result, Unreadable, type VerifyResult } from "./jobs.ts";
import { reportOf } from "./report.ts";
import type { Other, Searching } from "./report-data.ts";
import { Cancelled, type ProgressMessage, type Run, prepare, run } from "./run.ts";
import { comparisonSection, exhibitReport, handedSection, privilegeLogSection, productionSection } from "./section-files.ts";
import { answerOf } from "./sentences.ts";
import { type Told, untoldFor, wantedFor } from "./told.ts";
import { visible } from "./visible.ts";
import { listing, megabytes, plural } from "./words.ts";

const desk: Desk = emptyDesk();
let running: Run | null = null;
let searching: Run | null = null;
let verified: Verified | null = null;
/** A verdict whose rounds are being told: whoever does not wait for them has it all the same. */
let judged: Verified | null = null;
const sections = new Map<SectionName, HTMLElement>();
/** Which work counts. One that was overtaken says nothing more. */
let turn = 0;
/** The fingerprints that the results rest on, as they were typed. */
let trustUsed = "";
/** What the reader must know about what was opened last. */
let notes: Child[] = [];

interface Verified extends VerifyResult {
  readonly told: Told;
  readonly copy: PageFile;
  /** What was given with the copy when it was verified. */
  readonly given: readonly string[];
}

type SectionName = "compare" | "handed" | "production" | "privilege log" | "exhibit";

/** What each section rests on. */
const RESTS_ON: Readonly<Record<SectionName, readonly Kind[]>> = {
  compare: ["copy", "second", "trust"],
  handed: ["copy", "trust", "policy", "handed"],
  production: ["copy", "trust", "volumes"],
  "privilege log": ["copy", "trust", "proofs"],
  exhibit: ["trust", "policy", "exhibit"],
};

export function beginPage(): void {
  byId("idle").remove();
  byId("policy").textContent = document.querySelector<HTMLMetaElement>("meta[http-equiv]")?.content ?? "";
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
      take(files);
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
    if (event.dataTransfer !== null) take(fromDrop(event.dataTransfer));
  });
  byId("cancel").addEventListener("click", cancel);
  byId("trust-apply").addEventListener("click", () => {
    notes = [];
    forget("trust");
    void work();
  });
  // What is folded up on the screen belongs to the printed report.
  let folded: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    folded = [...byId("result").querySelectorAll("details")].filter((one) => !one.open);
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of folded) one.open = false;
  });
  // Once the page can be seen.
  setTimeout(prepare);
}

/** What is being unpacked now, so that the reader can give it up. */
let opening: AbortController | null = null;
let taking: Promise<void> = Promise.resolve();

/** One after the other, so that none is lost. */
function take(files: readonly PageFile[] | Promise<readonly PageFile[]>): void {
  taking = taking.then(async () => takeNow(await files)).catch((error: unknown) => tell(error instanceof Cancelled ? "Cancelled. Nothing was opened." : `This could not be opened: ${messageOf(error)}`));
}

async function takeNow(files: readonly PageFile[]): Promise<void> {
  if (files.length === 0) return;
  const own = (opening = new AbortController());
  const isIdle = byId("progress").hidden;
  const before = turn;
  if (isIdle) showProgress("Opening");
  const givenUp = new Promise<never>((_, reject) => own.signal.addEventListener("abort", () => reject(new Cancelled())));
  const { changed, trust, left } = await Promise.race([open(desk, files, own.signal), givenUp]).finally(() => {
    opening = null;
    // Work that began in the meantime shows its own.
    if (isIdle && turn === before) byId("progress").hidden = true;
  });
  if (trust !== null) {
    byId<HTMLTextAreaElement>("trust").value = trust;
    byId<HTMLDetailsElement>("trust-box").open = true;
  }
  showDesk(desk, remove);
  notes = leftAside(left);
  if (changed.size === 0) return tell();
  forget(...changed);
  await work();
}

const MOST_LEFT = 5;

function leftAside(left: readonly LeftAside[]): Child[] {
  const rows: Child[] = left.slice(0, MOST_LEFT).map(({ path, why }) => paragraph(foreign(path), ` ${why}.`));
  return left.length > MOST_LEFT ? [...rows, paragraph(`Left aside as well: ${plural(left.length - MOST_LEFT, "more file")}.`)] : rows;
}

function remove(kind: keyof Desk): void {
  notes = [];
  if (kind === "handed" || kind === "volumes") desk[kind] = [];
  else desk[kind] = null;
  forget(kind);
  if (kind === "copy") {
    desk.copy = desk.second;
    desk.second = null;
  }
  showDesk(desk, remove);
  // The button that had the focus is gone.
  byId("choose-file").focus();
  void work();
}

/** Whatever rests on what has changed is no longer known. */
function forget(...changed: readonly Kind[]): void {
  for (const [name, kinds] of Object.entries(RESTS_ON) as [SectionName, readonly Kind[]][]) {
    if (kinds.some((kind) => changed.includes(kind))) sections.delete(name);
  }
  if (RESTS_ON.handed.some((kind) => changed.includes(kind))) verified = judged = null;
}

/** Check whatever is open and was not checked yet. */
async function work(): Promise<void> {
  const own = ++turn;
  running?.cancel();
  const text = byId<HTMLTextAreaElement>("trust").value;
  if (text !== trustUsed) forget("trust");
  trustUsed = text;
  const trust = trustTyped(text);
  if (trust === null) {
    byId("progress").hidden = true;
    return show(false);
  }
  const { copy, second, volumes, proofs, exhibit } = desk;
  const missing = (name: SectionName): boolean => !sections.has(name);
  let begun = false;
  const perform: Perform = (title, job) => {
    if (!begun) show(false);
    begun = true;
    return performNow(own, title, job);
  };
  try {
    if (copy !== null && verified === null) {
      const next = await verify(perform, copy, trust);
      verified = next;
      if (next.handed !== null) sections.set("handed", handedSection(next.handed));
    }
    if (copy !== null && verified !== null && second !== null && missing("compare")) {
      const value = await perform("Comparing", { sort: "compare", copies: [bare(copy), bare(second)], trust, sha256: verified.sha256 });
      sections.set("compare", comparisonSection(value, copy.path, second.path, instead));
    }
    if (copy !== null && verified !== null && volumes.length > 0 && missing("production")) {
      sections.set("production", productionSection(await perform("Checking the production volume", { sort: "production", copy: bare(copy), sha256: verified.sha256, trust, volumes: volumes.map(bare) })));
    }
    if (copy !== null && verified !== null && proofs !== null && missing("privilege log")) {
      sections.set("privilege log", privilegeLogSection(await perform("Checking the privilege log", { sort: "privilege log", copy: bare(copy), sha256: verified.sha256, trust, proofs: bare(proofs) })));
    }
    if (exhibit !== null && missing("exhibit")) {
      sections.set("exhibit", exhibitReport(await perform("Checking the exhibit", { sort: "exhibit", files: exhibit.files.map(bare), trust, policy: (await desk.policy?.read()) ?? null }), exhibit.name));
    }
    byId("progress").hidden = true;
    show(true);
  } catch (error) {
    if (own !== turn) return;
    byId("progress").hidden = true;
    tell(messageOf(error));
  }
}

type Answer<J extends Job> = Extract<Result, { sort: J["sort"] }>["value"];
type Perform = <J extends Job>(title: string, job: J) => Promise<Answer<J>>;

/** The verdict, and then, in a worker of its own, what the record says round by round: what the first one took is given back before. */
async function verify(perform: Perform, copy: PageFile, trust: Trust): Promise<Verified> {
  const given = [trustUsed.trim() === "" ? "" : "fingerprints", desk.handed.length === 0 ? "" : "the files that Bob was handed", desk.policy === null ? "" : "a policy"].filter((one) => one !== "");
  const handed = desk.handed.map(bare);
  judged = null;
  const result = await perform("Verifying", { sort: "verify", copy: bare(copy), trust, policy: (await desk.policy?.read()) ?? null, handed });
  const { verdict, sha256, proven } = result;
  judged = { ...result, told: untoldFor("You cancelled that."), copy, given };
  const told = await perform("Reading the rounds", { sort: "story", copy: bare(copy), sha256, wanted: wantedFor(verdict), lines: verdict.replayedLines, proven }).catch((error: unknown) => {
    if (error instanceof Cancelled || error instanceof Unreadable) throw error;
    // The copy is judged: whatever becomes of its story, the verdict stands.
    return untoldFor(messageOf(error));
  });
  return { ...judged, told };
}

/** The second copy takes the place of the first. */
function instead(): void {
  [desk.copy, desk.second] = [desk.second, desk.copy];
  forget("copy");
  showDesk(desk, remove);
  void work();
}

/** A `File` with its path: what a message to the worker can carry. */
function bare({ path, file }: PageFile): OpenedFile {
  return { path, file };
}

function showProgress(title: string): void {
  byId("progress-title").textContent = title;
  byId("progress").hidden = false;
  byId("progress").scrollIntoView({ block: "nearest" });
  byId<HTMLProgressElement>("bar").removeAttribute("value");
  byId("progress-text").textContent = "";
  say(`${title}.`);
}

async function performNow<J extends Job>(own: number, title: string, job: J): Promise<Answer<J>> {
  if (own !== turn) throw new Cancelled();
  showProgress(title);
  running = run(job, progressed);
  const result = await running.result;
  if (own !== turn) throw new Cancelled();
  if (result.sort !== job.sort) throw new TypeError("the worker answered something else");
  return result.value as Answer<J>;
}

/** Reads the file again. The worker ends with the search, and what it has read goes with it. */
function search({ verdict, sha256, proven }: VerifyResult, copy: OpenedFile, text: string, progress: (message: ProgressMessage) => void): Searching {
  searching?.cancel();
  const own = run({ sort: "search", copy, sha256, question: { text, sizes: verdict.rounds.map((round) => round.size), lines: verdict.replayedLines, proven } }, progress);
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

function cancel(): void {
  if (opening !== null) return opening.abort();
  turn += 1;
  running?.cancel();
  verified ??= judged;
  byId("progress").hidden = true;
  const again = el("button", { type: "button" }, "Continue");
  again.addEventListener("click", () => {
    notes = [];
    void work();
  });
  notes = [paragraph(verified === null ? "Cancelled. Nothing was decided." : "Cancelled. What was being checked was not decided."), paragraph(again)];
  tell();
  again.focus();
}

/** Says what the reader must know now, above what is known already. */
function tell(text?: string): void {
  if (text !== undefined) notes = [...notes, paragraph(text)];
  show(false);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The fingerprints that were typed, or null, with a message, if a line cannot be read. */
function trustTyped(text: string): Trust | null {
  const error = byId("trust-error");
  const parsed = parseTrust(text);
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

/** What lies on the desk and says nothing without a copy. */
function waiting(): Child {
  if (desk.copy !== null) return null;
  const { handed, volumes, proofs, policy, exhibit } = desk;
  const names = [
    handed.length > 0 ? "the documents that Bob was handed" : "",
    volumes.length > 0 ? "the production volume" : "",
    proofs === null ? "" : "the privilege log",
    policy === null || exhibit !== null ? "" : "the policy",
    trustUsed.trim() === "" || exhibit !== null ? "" : "the fingerprints",
  ].filter((name) => name !== "");
  if (names.length === 0) return null;
  const taken = handed.length > 0 ? " If it is in the folder that you opened, choose it by itself." : "";
  return paragraph(`Now open the copy of the record, a .jsonl or .jsonl.gz file: ${listing(names)} can only be used with it.${taken}`);
}

function show(focus: boolean): void {
  // A search belongs to the report that is replaced now.
  searching?.cancel();
  const own = verified;
  const said = [...notes, waiting()].filter((one) => one !== null);
  const parts: HTMLElement[] = said.length === 0 ? [] : [el("section", { class: "notice notes" }, said)];
  const known = (Object.keys(RESTS_ON) as SectionName[]).flatMap((name) => sections.get(name) ?? []);
  const others = known.map(otherOf);
  if (own === null) parts.push(...known.filter((section) => section.id === "exhibit"));
  else {
    const { verdict, sha256, told, parts: shownParts, copy, given, changed } = own;
    const file = { name: copy.path, size: copy.size, sha256 };
    const [first, ...rest] = reportOf({ verdict, told, parts: shownParts, file, given, changed, others, search: (text, progress) => search(own, bare(copy), text, progress) });
    if (first !== undefined) parts.push(first, ...known, ...rest);
  }
  const heading = parts.find((part) => part.querySelector("h1") !== null);
  heading?.append(actions());
  fill(byId("result"), parts);
  byId("desk").classList.toggle("compact", heading !== undefined);
  const besides = own === null ? [] : others.map((other) => ({ ...other, says: `${other.title}: ${other.word}` }));
  const bad = besides.filter((other) => other.isBad).map((other) => other.says);
  const answer = own === null ? null : answerOf(own.verdict);
  document.title = answer === null ? "Tallystick: verify a copy" : `${[answer.word, ...bad].join(", ")}: ${visible(cutOff(own?.copy.path ?? ""))}`;
  const heard = said.length === 0 ? "" : [...(parts[0]?.querySelectorAll("p") ?? [])].map((one) => one.textContent).join(" ");
  if (said.length > 0) say(heard);
  if (!focus || heading === undefined) {
    if (said.length > 0) parts[0]?.scrollIntoView({ block: "nearest" });
    return;
  }
  const target = heading.querySelector<HTMLElement>("h1");
  target?.focus({ preventScroll: true });
  parts[0]?.scrollIntoView({ block: "start" });
  say([answer === null ? target?.textContent : `${answer.word}. ${answer.says}`, ...besides.map((other) => `${other.says}.`), heard].join(" "));
}

/** What a section says in a word, for the first screen. */
function otherOf(section: HTMLElement): Other {
  const words = (selector: string): string => section.querySelector(selector)?.textContent ?? "";
  const unread = section.id === "compare" ? ` (${quoted(desk.second?.path ?? "")} itself was not verified)` : "";
  return { id: section.id, title: words("h2, .kicker"), word: words(".answer-line h1, .word") + unread, isBad: section.querySelector(".bad") !== null };
}

function actions(): HTMLElement {
  const print = el("button", { type: "button" }, "Print this report");
  print.addEventListener("click", () => window.print());
  const again = el("button", { type: "button" }, "Start over");
  again.addEventListener("click", () => {
    turn += 1;
    running?.cancel();
    opening?.abort();
    Object.assign(desk, emptyDesk());
    forget("copy", "exhibit");
    notes = [];
    trustUsed = "";
    byId<HTMLTextAreaElement>("trust").value = "";
    byId("progress").hidden = true;
    showDesk(desk, remove);
    show(false);
    byId("choose-file").focus();
  });
  document.getElementById("actions")?.remove();
  return el("p", { class: "actions", id: "actions" }, print, again);
}

function say(text: string): void {
  byId("live").textContent = text;
}
