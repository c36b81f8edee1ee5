/** The files of a folder on disk, as the page hands them over. */
import { createReadStream, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { NamedFile } from "../files/named-files.ts";

/** All files below a folder, by their paths inside it. Only what somebody reads is read. */
export function filesBelow(folder: string, base = ""): NamedFile[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = statSync(path);
      return stat.isDirectory() ? filesBelow(path, `${base}${name}/`) : [fileAt(path, base + name, stat.size)];
    });
}

function fileAt(path: string, name: string, size: number): NamedFile {
  return {
    path: name,
    size,
    read: async () => new Uint8Array(readFileSync(path)),
    stream: () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>,
  };
}
