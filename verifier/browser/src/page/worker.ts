/**
 * The worker: it takes one job, reads the files, and answers. It has no way out of this computer.
 */
import { Sha256, chunksOf, compareCopies, hex, verifyCopy } from "../engine/index.ts";
import type { DocumentProven, Verdict } from "../engine/verdict.ts";
import { checkExhibit } from "../files/exhibit.ts";
import { checkHanded, withHanded } from "../files/handed.ts";
import type { NamedFile } from "../files/named-files.ts";
import { checkPrivilegeLog } from "../files/privilege-log.ts";
import { checkProduction } from "../files/production.ts";
import { type Story, readStory } from "../files/story.ts";
import { type KnownDocument, shortened } from "./document-cell.ts";
import type { Job, Message, OpenedFile, Result } from "./jobs.ts";

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

async function verify(job: Extract<Job, { sort: "verify" }>): Promise<Extract<Result, { sort: "verify" }>["value"]> {
  const reading = new Reading(job.copy.file.size);
  const documents: KnownDocument[] = [];
  const proven: DocumentProven[] = [];
  const verdict = await verifyCopy(reading.chunks(job.copy.file), {
    trust: job.trust,
    ...(job.policy === null ? {} : { policy: job.policy }),
    onDocument: (document) => {
      documents.push(shortened(document));
      if (job.handed.length > 0) proven.push(document);
    },
    progress: ({ entries, size }) => reading.tell(entries, size),
  });
  const sha256 = await reading.rest();
  const told = await storyOf(job.copy, verdict);
  if (job.handed.length === 0) return { verdict, sha256, documents, story: told, handed: null };
  const handed = await checkHanded(job.handed.map(named), proven);
  return { verdict: withHanded(verdict, handed, documents.length), sha256, documents, story: told, handed };
}

/** What the record says round by round. Of a rejected one nobody can say if its entries are such as a story is made of. */
async function storyOf(copy: OpenedFile, { verdict }: Verdict): Promise<Story | null> {
  if (verdict === "undecided") return null;
  try {
    return await readStory(named(copy), false);
  } catch (error) {
    if (verdict === "rejected" && error instanceof TypeError) return null;
    throw error;
  }
}

/** Reads a file once: for the engine, for its hash, and for the bar. */
class Reading {
  private bytes = 0;
  private entries = 0;
  private size: number | null = null;
  private told = 0;
  private readonly hash = new Sha256();
  private source: AsyncIterator<Uint8Array> | null = null;

  constructor(private readonly total: number) {}

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
  if (error instanceof DOMException && error.name === "NotReadableError") {
    return "The file could not be read. It may have been moved or changed since you opened it: open it again.";
  }
  return `This page failed, which says nothing about the record: ${error instanceof Error ? error.message : String(error)}`;
}
