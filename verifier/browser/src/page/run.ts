/**
 * Runs a job in a worker of its own, which is made from the script in this very file. Cancelling ends the worker, so
 * nothing of an abandoned verification is left.
 */
import type { Job, Message, Result } from "./jobs.ts";

export class Cancelled extends Error {}

export interface Run {
  readonly result: Promise<Result>;
  cancel(): void;
}

export type ProgressMessage = Extract<Message, { sort: "progress" }>;

export function run(job: Job, progress: (message: ProgressMessage) => void): Run {
  const worker = new Worker(workerAddress() as unknown as string);
  let cancel = (): void => undefined;
  const result = new Promise<Result>((resolve, reject) => {
    cancel = () => reject(new Cancelled());
    worker.onmessage = (event: MessageEvent<Message>) => {
      const message = event.data;
      if (message.sort === "progress") progress(message);
      else if (message.sort === "done") resolve(message.result);
      else reject(new Error(message.message));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error("The part of this page that verifies could not be started, or was stopped. Try another browser, or a computer with more memory."));
    };
    worker.postMessage(job);
  }).finally(async () => {
    worker.terminate();
    // The worker's memory is given back before the page fills its own with the report.
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  return { result, cancel: () => cancel() };
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
