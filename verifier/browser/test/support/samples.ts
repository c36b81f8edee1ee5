/** Tests that need real files: they skip, and say why, where TALLYSTICK_SAMPLES names no folder that test/samples.mjs has filled. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = process.env["TALLYSTICK_SAMPLES"] ?? "";
const skip = existsSync(join(folder, "complete")) ? false : "needs samples: set TALLYSTICK_SAMPLES, and run node test/samples.mjs";

export function sample(...names: string[]): string {
  return join(folder, ...names);
}

export function sampled(name: string, body: () => Promise<void>): void {
  test(name, { skip }, body);
}
