/** Files of a folder on disk, as the page hands them over. */
import { readFileSync } from "node:fs";
import { type NamedFile, fileOfBytes } from "../../src/files/named-files.ts";

export { filesBelow } from "../../src/command/folder.ts";

export function fileOnDisk(path: string, name: string): NamedFile {
  return fileOfBytes(name, new Uint8Array(readFileSync(path)));
}

/** The same list with one file's bytes changed, added or (null) taken out. */
export function changed(files: readonly NamedFile[], path: string, bytes: Uint8Array | null): NamedFile[] {
  const rest = files.filter((file) => file.path !== path);
  return bytes === null ? rest : [...rest, fileOfBytes(path, bytes)];
}
