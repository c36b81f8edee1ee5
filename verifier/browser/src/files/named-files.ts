/**
 * Files as a person hands them over: a name with its folders, a size, and a way to read the bytes.
 *
 * The page fills such a list from what was dropped, the tests from a folder on disk. Everything in `files/` works on
 * this list alone, so it needs neither a browser nor a file system.
 */
import { chunksOf } from "../engine/source.ts";

export interface NamedFile {
  /** The path below what was dropped, with slashes: `VOL001/DATA/VOL001.dat`. */
  readonly path: string;
  readonly size: number;
  read(): Promise<Uint8Array>;
  /** The same bytes piece by piece, for files that are too large for memory. */
  stream(): ReadableStream<Uint8Array>;
}

/** A folder: its files by their path inside it. */
export type Folder = ReadonlyMap<string, NamedFile>;

/** Files that an operating system leaves behind in folders; they belong to nobody's evidence. */
const LEFT_BY_SYSTEMS = new Set([".DS_Store", "Thumbs.db", "desktop.ini"]);

export function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function isLeftBySystem(path: string): boolean {
  return LEFT_BY_SYSTEMS.has(lastName(path));
}

/** The folders that hold a file of this name, each as the path in front of it ("" or "a/b/"). */
export function foldersWith(files: readonly NamedFile[], name: string): string[] {
  return files
    .filter((file) => file.path === name || file.path.endsWith("/" + name))
    .map((file) => file.path.slice(0, file.path.length - name.length));
}

/** All files below a path such as "VOL001/", named from there. */
export function folderAt(files: readonly NamedFile[], base: string): Folder {
  const inside = new Map<string, NamedFile>();
  for (const file of files) {
    if (file.path.startsWith(base)) inside.set(file.path.slice(base.length), file);
  }
  return inside;
}

/** A list in memory, for tests and for the files inside a zip. */
export function fileOfBytes(path: string, bytes: Uint8Array): NamedFile {
  return {
    path,
    size: bytes.length,
    read: async () => bytes,
    stream: () => new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(),
  };
}

/** A file's bytes as pieces. */
export function chunksOfFile(file: NamedFile): AsyncGenerator<Uint8Array> {
  return chunksOf(file.stream());
}
