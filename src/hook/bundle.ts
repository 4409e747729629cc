/**
 * The file with the hook's code: a header with the place of each part, and the parts. An event reads
 * only the parts whose modules it needs.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Length of the header, set by the build. */
declare const HEADER_BYTES: number;

export interface Bundle {
  readonly file: string;
  /** Digest of the code. */
  readonly id: string;
  /** Name of the part that a module belongs to. */
  readonly partOf: ReadonlyMap<string, string>;
  /** Text of a part. */
  source(part: string): string;
}

interface Header {
  readonly id: string;
  /** Size of the file. */
  readonly bytes: number;
  readonly parts: Readonly<
    Record<string, readonly [at: number, length: number, modules: string[]]>
  >;
}

/**
 * The file stays open, so that all parts are of one build even if it is replaced meanwhile.
 *
 * @throws {Error} if the file is missing or incomplete.
 */
export function openBundle(file: string): Bundle {
  const fd = openSync(file, 'r');
  try {
    const { id, bytes, parts } = headerOf(read(fd, 0, HEADER_BYTES), file);
    if (fstatSync(fd).size !== bytes) throw new Error(`${file} is not whole`);
    return {
      file,
      id,
      partOf: new Map(
        Object.entries(parts).flatMap(([part, [, , names]]) => names.map((name) => [name, part])),
      ),
      source(part) {
        const [at = 0, length = 0] = parts[part] ?? [];
        return read(fd, at, length);
      },
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The build writes ASCII only, so a byte is a character; V8 stores such text in one byte each. */
function read(fd: number, at: number, length: number): string {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, at + done);
    if (count === 0) throw new Error('the hook’s code ends too early');
    done += count;
  }
  return bytes.toString('latin1');
}

function headerOf(text: string, file: string): Header {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch (cause) {
    throw new Error(`${file} does not begin as it should`, { cause });
  }
}
