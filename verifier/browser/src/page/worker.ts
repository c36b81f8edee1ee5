/**
 * The worker: it takes one job, reads the files, and answers. It has no way out of this computer.
 */
import { Sha256, chunksOf, compareCopies, hex, verifyCopy } from "../engine/index.ts";
import type { DocumentProven } from "../engine/verdict.ts";
import { checkExhibit } from "../files/exhibit.ts";
import { checkHanded, withHanded } from "../files/handed.ts";
import { type Marks, mark } from "../files/marks.ts";
import type { NamedFile } from "../files/named-files.ts";
import { checkPrivilegeLog } from "../files/privilege-log.ts";
import { checkProduction } from "../files/production.ts";
import { type Found, findIn } from "./finding.ts";
import type { Job, Message, OpenedFile, Result, VerifyResult } from "./jobs.ts";
import { type Told, tell } from "./told.ts";

/** How often the page hears of progress: often enough to move, rarely enough to cost nothing. */
const EVERY_MS = 100;

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Job>) => void) | null;
  postMessage(message: Message): void;
};

export function beginWorker(): void {
  scope.onmessage = (event) => {
    work(event.data).then(
      (result) => scope.postMessage({ sort: "done", result }),
      (error: unknown) => scope.postMessage({ sort: "failed", message: failure(error) }),
    );
  };
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
      const reading = new Reading(first.file.size + second.file.size);
      const value = await compareCopies(reading.chunks(first.file), reading.chunks(second.file), {});
      return { sort: "compare", value };
    }
    case "production": {
      const value = await checkProduction(job.volumes.map(named), named(job.copy), job.trust);
      return { sort: "production", value };
    }
    case "privilege log": {
      const value = await checkPrivilegeLog(named(job.proofs), named(job.copy), job.trust);
      return { sort: "privilege log", value };
    }
    case "exhibit":
      return { sort: "exhibit", value: await checkExhibit(job.files.map(named), job.trust) };
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
  if (job.handed.length === 0) return { verdict, sha256, proven, parts, handed: null };
  const handed = await checkHanded(job.handed.map(named), toHand);
  return { verdict: withHanded(verdict, handed, documents), sha256, proven, parts, handed };
}

/** What the record says round by round. Of a rejected one nobody can say if its entries are such as a story is made of. */
async function story({ copy, sha256, wanted, isRejected, proven }: Extract<Job, { sort: "story" }>): Promise<Told | null> {
  const again = new Again(copy, copy.file.size, 0);
  try {
    const told = await tell(again.file, wanted, proven);
    await again.mustBe(sha256);
    return told;
  } catch (error) {
    if (isRejected && error instanceof TypeError) return null;
    throw error;
  }
}

/** What the search says is about the file that was verified, so the file must still be the same. */
async function search({ copy, sha256, question }: Extract<Job, { sort: "search" }>): Promise<Found> {
  const { size } = copy.file;
  const [first, second] = [new Again(copy, 2 * size, 0), new Again(copy, 2 * size, size)];
  const found = await findIn(first.file, second.file, question);
  await first.mustBe(sha256);
  if (found.count > 0) await second.mustBe(sha256);
  return found;
}

/** The file cannot be read, or is another one by now. */
class Unreadable extends Error {
  constructor() {
    super("The file could not be read. It may have been moved or changed since you opened it: open it again.");
  }
}

/** A file that is read again, with its hash and its part of the bar. */
class Again {
  readonly file: NamedFile;
  private reading: Reading;

  constructor(copy: OpenedFile, total: number, before: number) {
    this.reading = new Reading(total, before);
    this.file = {
      ...named(copy),
      stream: () => {
        // Whoever looks at the first bytes only, and then begins anew, has a hash of its own.
        this.reading = new Reading(total, before);
        return streamOf(this.reading.chunks(copy.file));
      },
    };
  }

  async mustBe(sha256: string): Promise<void> {
    if ((await this.reading.rest()) !== sha256) throw new Unreadable();
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next().catch(() => {
        // Browsers give this failure many names.
        throw new Unreadable();
      });
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
  private readonly hash = new Sha256();
  private source: AsyncIterator<Uint8Array> | null = null;

  constructor(
    private readonly total: number,
    private bytes = 0,
  ) {}

  async *chunks(file: File): AsyncGenerator<Uint8Array> {
    const source = chunksOf(file.stream())[Symbol.asyncIterator]();
    this.source = source;
    for (let step = await source.next(); !step.done; step = await source.next()) {
      this.take(step.value);
      yield step.value;
    }
  }

  tell(entries: number, size: number | null): void {
    this.entries = entries;
    this.size = size;
    this.report();
  }

  /** What the engine left unread (it stops at damage) still belongs to the file's hash. */
  async rest(): Promise<string> {
    const source = this.source;
    if (source !== null) {
      for (let step = await source.next(); !step.done; step = await source.next()) this.take(step.value);
    }
    return hex(this.hash.digest());
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
    read: async () => new Uint8Array(await file.arrayBuffer()),
    stream: () => file.stream(),
  };
}

function failure(error: unknown): string {
  if (error instanceof DOMException && error.name === "NotReadableError") return new Unreadable().message;
  if (error instanceof Unreadable) return error.message;
  return `This page failed, which says nothing about the record: ${error instanceof Error ? error.message : String(error)}`;
}
