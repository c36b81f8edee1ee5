/**
 * Runs a job in a worker of its own, which is made from the script in this very file. Cancelling ends the worker, so
 * nothing of an abandoned verification is left.
 */
import { isArray } from "../engine/json.ts";
import { type Job, type Message, type OpenedFile, PIECE, type Piece, type Result, Unreadable } from "./jobs.ts";

export class Cancelled extends Error {}

export interface Run {
  readonly result: Promise<Result>;
  cancel(): void;
}

export type ProgressMessage = Extract<Message, { sort: "progress" }>;

/** A worker that has no job yet: to start one takes longer than to verify a small copy. */
let spare: Worker | null = null;

export function prepare(): void {
  spare = started();
  // The next job starts another one, and tells what is wrong with it.
  spare.onerror = (event) => {
    event.preventDefault();
    spare = null;
  };
}

function started(): Worker {
  return new Worker(workerAddress() as unknown as string);
}

/** Files below this size leave so little in a worker that nobody has to wait until it is given back. */
const SMALL = 2 ** 25;

export function run(job: Job, progress: (message: ProgressMessage) => void): Run {
  const worker = spare ?? started();
  spare = null;
  const files: File[] = [];
  const answer = async ({ asked, number, from }: ReadMessage): Promise<void> => {
    const bytes = await (files[number]?.slice(from, from + PIECE).arrayBuffer().catch(() => null) ?? null);
    worker.postMessage({ asked, bytes } satisfies Piece, bytes === null ? [] : [bytes]);
  };
  let cancel = (): void => undefined;
  const result = new Promise<Result>((resolve, reject) => {
    cancel = () => reject(new Cancelled());
    worker.onmessage = (event: MessageEvent<Message>) => {
      const message = event.data;
      if (message.sort === "progress") progress(message);
      else if (message.sort === "read") void answer(message);
      else if (message.sort === "done") resolve(message.result);
      else reject(message.isUnreadable ? new Unreadable() : new Error(message.message));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error("The part of this page that verifies could not be started, or was stopped. Try another browser, or a computer with more memory."));
    };
    worker.postMessage(numbered(job, files));
  }).finally(async () => {
    worker.terminate();
    // The worker's memory is given back before the page fills its own with the report.
    if (files.some((file) => file.size >= SMALL)) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  return { result, cancel: () => cancel() };
}

type ReadMessage = Extract<Message, { sort: "read" }>;

/** The job with a number in place of each file. */
function numbered(job: Job, files: File[]): unknown {
  const one = (value: unknown): unknown => {
    const file = (value as Partial<OpenedFile> | null)?.file;
    return file instanceof File ? { ...(value as OpenedFile), file: { number: files.push(file) - 1, size: file.size } } : value;
  };
  return Object.fromEntries(Object.entries(job).map(([key, value]) => [key, isArray(value) ? value.map(one) : one(value)]));
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): { createScriptURL(address: string): unknown };
}

let source = "";
let address: unknown = null;

/** The script of this file, which is the worker's too. */
export function useScript(script: string): void {
  source = script;
}

/** The policy of this page lets no other address than this one become a script. */
function workerAddress(): unknown {
  if (address !== null) return address;
  const own = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  address = types
    ? types
        .createPolicy("tallystick-worker", {
          createScriptURL: (asked) => {
            if (asked !== own) throw new TypeError("only this page's own worker may run");
            return asked;
          },
        })
        .createScriptURL(own)
    : own;
  return address;
}
