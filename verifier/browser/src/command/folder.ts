/** The files of a folder on disk, as the page hands them over. */
import { createReadStream, lstatSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import type { NamedFile } from "../files/named-files.ts";

/** What is no plain file, such as a link: it has a name, and never the size of a file. */
const NO_FILE = -1;

/** All files below a folder, by their paths inside it, with `base` in front. Only what somebody reads is read. */
export function filesBelow(folder: string, base = ""): NamedFile[] {
  return below(Buffer.from(folder), base);
}

/** On a disk a name is bytes, which need not be text. */
function below(folder: Buffer, base: string): NamedFile[] {
  return readdirSync(folder, { withFileTypes: true, encoding: "buffer" })
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .flatMap((entry) => {
      const path = Buffer.concat([folder, Buffer.from("/"), entry.name]);
      const name = base + entry.name.toString();
      if (entry.isDirectory()) return below(path, `${name}/`);
      return [fileOnDisk(path, name, entry.isFile() ? lstatSync(path).size : NO_FILE)];
    });
}

/** The same without what cannot be read as a file; a link to a file can. */
export function filesToRead(folder: string): NamedFile[] {
  return filesBelow(folder).filter(({ size, path }) => size !== NO_FILE || statSync(join(folder, path), { throwIfNoEntry: false })?.isFile());
}

export function fileOnDisk(path: string | Buffer, name = basename(String(path)), size = statSync(path).size): NamedFile {
  return {
    path: name,
    size,
    read: async () => new Uint8Array(readFileSync(path)),
    stream: () => Readable.toWeb(createReadStream(path, { highWaterMark: 1 << 20 })) as ReadableStream<Uint8Array>,
  };
}
