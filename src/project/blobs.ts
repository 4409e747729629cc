/** Objects by name, several by one git process. */
import { type Git, GitError } from './git.ts';

/** Text of files named `<revision>:<path>`; `undefined` where there is none. */
export async function blobsAt(git: Git, names: readonly string[]): Promise<(string | undefined)[]> {
  if (names.length === 0) return [];
  const objects = await readObjects(git, names);
  return objects.map((object) => (object?.type === 'blob' ? object.text : undefined));
}

export interface Commits {
  /** Oids, where the names are known. */
  readonly oids: readonly (string | undefined)[];
  readonly text: string | undefined;
}

/**
 * The commits that some names stand for, and the text of one file. Nothing at all if git will not
 * even look: it dies of `@{upstream}` where a branch has none, or where HEAD is on no branch.
 */
export async function commitsAt(
  git: Git,
  names: readonly string[],
  file: string,
): Promise<Commits> {
  try {
    const objects = await readObjects(git, [...names.map((name) => `${name}^{commit}`), file]);
    const last = objects.at(-1);
    return {
      oids: objects.slice(0, -1).map((object) => object?.oid),
      text: last?.type === 'blob' ? last.text : undefined,
    };
  } catch (error) {
    if (error instanceof GitError) return { oids: [], text: undefined };
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
