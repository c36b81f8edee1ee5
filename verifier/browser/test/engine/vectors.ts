/** Where the vectors are: in the repository's `tests/vectors`, or where TALLYSTICK_VECTORS says. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unhex } from "../../src/engine/bytes.ts";

function folder(): string {
  const named = process.env["TALLYSTICK_VECTORS"];
  if (named !== undefined) return named;
  // The tests run from the browser's folder.
  const places = [join("..", "..", "tests", "vectors"), join("..", "vectors")];
  const found = places.find((place) => existsSync(join(place, "functions.json")));
  if (found === undefined) throw new Error("The vectors are not there. Set TALLYSTICK_VECTORS to the folder that has functions.json.");
  return found;
}

const FOLDER = folder();

export function vectorPath(path: string): string {
  return join(FOLDER, path);
}

export function vectorFile(path: string): Uint8Array {
  return new Uint8Array(readFileSync(vectorPath(path)));
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function vectors(name: string): any {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
}

export function bytes(text: string): Uint8Array {
  const read = unhex(text);
  if (read === null) throw new Error(`a vector holds "${text}", which is no hex`);
  return read;
}
