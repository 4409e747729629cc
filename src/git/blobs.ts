/** Reads objects by name, several with one git process. */
import { type Git, GitError } from './git.ts';

/** Text of files named `<revision>:<path>`; `undefined` where there is none. */
export async function blobsAt(git: Git, names: readonly string[]): Promise<(string | undefined)[]> {
  if (names.length === 0) return [];
  const objects = await readObjects(git, names);
  return objects.map(textOf);
}

const textOf = (object: GitObject | undefined): string | undefined =>
  object?.type === 'blob' ? object.text : undefined;

/**
 * The commits that some names stand for, and the text of one file in each; `undefined` where there
 * is none. Both lists are empty if git fails, as it does for `@{upstream}` where a branch has none or
 * HEAD is detached.
 */
export async function commitsWith(git: Git, names: readonly string[], file: string) {
  const wanted = names.flatMap((name) => [`${name}^{commit}`, `${name}:${file}`]);
  try {
    const objects = await readObjects(git, wanted);
    return {
      commits: names.map((_, at) => objects[2 * at]?.oid),
      texts: names.map((_, at) => textOf(objects[2 * at + 1])),
    };
  } catch (error) {
    if (error instanceof GitError) return { commits: [], texts: [] };
    throw error;
  }
}

interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly text: string;
}

/** `<oid> <type> <size>\n<content>\n` for each name, or `<name> missing\n`. */
async function readObjects(git: Git, names: readonly string[]): Promise<(GitObject | undefined)[]> {
  const output = await git.bytes(['cat-file', '--batch'], names.map((it) => `${it}\n`).join(''));
  let at = 0;
  return names.map(() => {
    const end = output.indexOf('\n', at);
    const header = output.toString('utf8', at, end);
    const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
    at = end + 1;
    if (oid === undefined || type === undefined) return undefined;
    const text = output.toString('utf8', at, at + Number(size));
    at += Number(size) + 1;
    return { oid, type, text };
  });
}
