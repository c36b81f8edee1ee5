/**
 * The worker: it takes one job, reads the files, and answers. It has no way out of this computer.
 */
import { Sha256, chunksOf, compareCopies, hex, useWebCrypto, verifyCopy } from "../engine/index.ts";
import { isArray } from "../engine/json.ts";
import { cutOff } from "../engine/quoted.ts";
import type { DocumentProven } from "../engine/verdict.ts";
import { beginningOf, changedOnItsWay } from "../files/beginning.ts";
import { checkExhibit } from "../files/exhibit.ts";
import { checkHanded, withHanded } from "../files/handed.ts";
import { type Marks, mark } from "../files/marks.ts";
import type { NamedFile } from "../files/named-files.ts";
import { checkPrivilegeLog } from "../files/privilege-log.ts";
import { checkProduction } from "../files/production.ts";
import { type Found, findIn } from "./finding.ts";
import { type Job as PageJob, type Message, type NumberedFile, type OpenedFile as PageFile, type Piece, type Result, Unreadable, type VerifyResult } from "./jobs.ts";
import { type Told, tell } from "./told.ts";

/** How often the page hears of progress: often enough to move, rarely enough to cost nothing. */
const EVERY_MS = 100;

type Job = PageJob<NumberedFile>;
type OpenedFile = PageFile<NumberedFile>;

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Job | Piece>) => void) | null;
  postMessage(message: Message): void;
};

/** The pieces of files that were asked of the page. */
const awaited = new Map<number, (bytes: ArrayBuffer | null) => void>();
let asked = 0;

export function beginWorker(): void {
  // What signatures need is ready when the first one comes.
  void useWebCrypto();
  scope.onmessage = ({ data }) => {
    if ("asked" in data) {
      awaited.get(data.asked)?.(data.bytes);
      awaited.delete(data.asked);
      return;
    }
    work(data)
      .then((result) => scope.postMessage({ sort: "done", result: withoutLong(result) as Result }))
      // A result that is too large to be sent is a failure too.
      .catch((error: unknown) => scope.postMessage({ sort: "failed", message: failure(error), isUnreadable: error instanceof Unreadable }));
  };
}

/** No text of a stranger's leaves the worker longer than the page can bear. */
const LONGEST = 5000;

export function withoutLong(value: unknown): unknown {
  if (typeof value === "string") return cutOff(value, LONGEST);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (isArray(value)) return value.map(withoutLong);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, withoutLong(one)]));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [cutOff(key, LONGEST), withoutLong(one)]));
}

async function work(job: Job): Promise<Result> {
  switch (job.sort) {
    case "verify":
      return { sort: "verify", value: await verify(job) };
    case "story":
      return { sort: "story", value: await story(job) };
    case "search":
      return { sort: "search", value: await search(job) };
    case "compare": {
      const [first, second] = job.copies;
      const total = first.file.size + second.file.size;
      const again = new Again(first, total, 0);
      const rest = new Reading(total, first.file.size);
      const compared = compareCopies(chunksOf(again.file.stream()), rest.chunks(second.file), job);
      return { sort: "compare", value: await again.sameAs(job.sha256, compared) };
    }
    case "production": {
      const { copy, sha256, trust } = job;
      const again = new Again(copy, copy.file.size, 0);
      return { sort: "production", value: await again.sameAs(sha256, checkProduction(job.volumes.map(named), again.file, trust)) };
    }
    case "privilege log": {
      const { copy, sha256, trust } = job;
      const again = new Again(copy, copy.file.size, 0);
      return { sort: "privilege log", value: await again.sameAs(sha256, checkPrivilegeLog(named(job.proofs), again.file, trust)) };
    }
    case "exhibit":
      return { sort: "exhibit", value: await checkExhibit(job.files.map(named), job.trust, job.policy) };
  }
}

async function verify(job: Extract<Job, { sort: "verify" }>): Promise<VerifyResult> {
  const reading = new Reading(job.copy.file.size);
  const proven: Marks = new Map();
  const toHand: DocumentProven[] = [];
  let [documents, parts] = [0, 0];
  const verdict = await verifyCopy(reading.chunks(job.copy.file), {
    trust: job.trust,
    ...(job.policy === null ? {} : { policy: job.policy }),
    onProven: (place) => {
      // There can be very many: what is told of one is read from the file again.
      mark(proven, place.round, place.position);
      documents += 1;
      if (place.kind === "disclosure") parts += place.parts;
    },
    ...(job.handed.length > 0 ? { onDocument: (document) => toHand.push(document) } : {}),
    progress: ({ entries, size }) => reading.tell(entries, size),
  });
  const sha256 = await reading.rest();
  const changed = verdict.damage?.sort === "damage" ? changedOnItsWay(await beginningOf(named(job.copy))) : null;
  if (job.handed.length === 0) return { verdict, sha256, proven, parts, handed: null, changed };
  const handed = await checkHanded(job.handed.map(named), toHand);
  return { verdict: withHanded(verdict, handed, documents), sha256, proven, parts, handed, changed };
}

/** What the record says round by round. */
function story({ copy, sha256, wanted, lines, proven }: Extract<Job, { sort: "story" }>): Promise<Told> {
  const again = new Again(copy, copy.file.size, 0);
  return again.sameAs(sha256, tell(again.file, wanted, lines, proven));
}

/** What the search says is about the file that was verified, so the file must still be the same. */
async function search({ copy, sha256, question }: Extract<Job, { sort: "search" }>): Promise<Found> {
  const { size } = copy.file;
  const [first, second] = [new Again(copy, 2 * size, 0), new Again(copy, 2 * size, size)];
  const found = await first.sameAs(sha256, findIn(first.file, second.file, question));
  return found.count > 0 ? second.sameAs(sha256, Promise.resolve(found)) : found;
}

/** A file that is read again, with its hash and its part of the bar. */
class Again {
  readonly file: NamedFile;
  private readonly readings: Reading[] = [];

  constructor(copy: OpenedFile, total: number, before: number) {
    this.file = {
      ...named(copy),
      stream: () => {
        // Each stream has a hash of its own: a reader may look at the first bytes, and then begin again.
        const reading = new Reading(total, before);
        this.readings.push(reading);
        return streamOf(reading.chunks(copy.file));
      },
    };
  }

  /** What was read, or failed to be, counts only if the file is the one that was verified, each time that it was read. */
  async sameAs<T>(sha256: string, read: Promise<T>): Promise<T> {
    await read.catch(() => undefined);
    for (const reading of this.readings) {
      const counts = reading.isWhole || reading === this.readings.at(-1);
      if (counts && (await reading.rest()) !== sha256) throw new Unreadable();
    }
    return read;
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/** Reads a file once: for the engine, for its hash, and for the bar. */
class Reading {
  private entries = 0;
  private size: number | null = null;
  private told = 0;
  private isLost = false;
  /** Whether the file was read to its end. */
  isWhole = false;
  private readonly hash = new Sha256();
  private sha256: string | null = null;
  private source: AsyncIterator<Uint8Array> | null = null;

  constructor(
    private readonly total: number,
    private bytes = 0,
  ) {}

  async *chunks(file: NumberedFile): AsyncGenerator<Uint8Array> {
    const source = chunksOf(pieces(file))[Symbol.asyncIterator]();
    this.source = source;
    for (let step = await this.next(source); !step.done; step = await this.next(source)) yield step.value;
  }

  /** A file that cannot be read to its end is not a damaged one: whoever asks for its hash learns that. */
  private async next(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    // Browsers give this failure many names.
    const step = await source.next().catch(() => null);
    this.isLost ||= step === null;
    if (step === null || this.isLost) throw new Unreadable();
    if (step.done) this.isWhole = true;
    else this.take(step.value);
    return step;
  }

  tell(entries: number, size: number | null): void {
    this.entries = entries;
    this.size = size;
    this.report();
  }

  /** What the engine left unread (it stops at damage) still belongs to the file's hash. */
  async rest(): Promise<string> {
    const source = this.source;
    while (source !== null && !(await this.next(source)).done);
    return (this.sha256 ??= hex(this.hash.digest()));
  }

  private take(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    this.hash.update(chunk);
    this.report();
  }

  private report(): void {
    const now = performance.now();
    if (now - this.told < EVERY_MS) return;
    this.told = now;
    const { bytes, total, entries, size } = this;
    scope.postMessage({ sort: "progress", bytes, total, entries, size });
  }
}

function named({ path, file }: OpenedFile): NamedFile {
  return {
    path,
    size: file.size,
    read: async () => {
      const whole = new Uint8Array(file.size);
      let at = 0;
      for await (const piece of chunksOf(pieces(file))) {
        whole.set(piece, at);
        at += piece.length;
      }
      return whole;
    },
    stream: () => pieces(file),
  };
}

/** A file, read by the page piece by piece. */
function pieces({ number, size }: NumberedFile): ReadableStream<Uint8Array> {
  let from = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (from >= size) return controller.close();
      const bytes = await new Promise<ArrayBuffer | null>((resolve) => {
        awaited.set(++asked, resolve);
        scope.postMessage({ sort: "read", asked, number, from });
      });
      if (bytes === null || bytes.byteLength === 0) throw new Unreadable();
      from += bytes.byteLength;
      controller.enqueue(new Uint8Array(bytes));
    },
  });
}

function failure(error: unknown): string {
  return `This page failed, which says nothing about the record: ${error instanceof Error ? error.message : String(error)}`;
}
