/** Objects by name, as `git cat-file --batch` prints them. */
import { type Git, GitError, type GitObject } from './git.ts';

const BATCH = ['cat-file', '--batch'];
const NEW_LINE = 0x0a;

/** In the order of the names, `undefined` where there is none. @throws {GitError} */
export async function objectsBy(
  bytes: Git['bytes'],
  names: readonly string[],
): Promise<(GitObject | undefined)[]> {
  if (names.length === 0) return [];
  // A line is a name.
  if (names.some((name) => name.includes('\n')))
    throw new GitError(BATCH, 'the name of a file has a line break');
  const output = await bytes(BATCH, names.map((it) => `${it}\n`).join(''));
  let at = 0;
  return names.map(() => {
    // `<oid> <type> <size>`, a new line, the content and a new line; or `<name> missing` and a new line.
    const end = output.indexOf(NEW_LINE, at);
    const header = output.toString('utf8', at, end);
    const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
    const start = end + 1;
    at = size === undefined ? start : start + Number(size) + 1;
    return oid && type ? { oid, type, content: output.subarray(start, at - 1) } : undefined;
  });
}
