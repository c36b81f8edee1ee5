/** Files of a folder on disk, as the page hands them over. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { type NamedFile, fileOfBytes } from "../../src/files/named-files.ts";

export function fileOnDisk(path: string, name: string): NamedFile {
  return fileOfBytes(name, new Uint8Array(readFileSync(path)));
}

export function filesBelow(folder: string, base = ""): NamedFile[] {
  const files: NamedFile[] = [];
  const walk = (path: string): void => {
    for (const name of readdirSync(path).sort()) {
      const inner = join(path, name);
      if (statSync(inner).isDirectory()) walk(inner);
      else files.push(fileOnDisk(inner, base + relative(folder, inner).split("\\").join("/")));
    }
  };
  walk(folder);
  return files;
}

/** The same list with one file's bytes changed, added or (null) taken out. */
export function changed(files: readonly NamedFile[], path: string, bytes: Uint8Array | null): NamedFile[] {
  const rest = files.filter((file) => file.path !== path);
  return bytes === null ? rest : [...rest, fileOfBytes(path, bytes)];
}
