/** Reads paths and objects of a repository: paths of a tree, paths that changed between two trees, ignored paths. */
import { join } from 'node:path';
import { type Git, gitFailure } from './git.ts';
import type { TreePaths } from './tree-entry.ts';

/** The command that lists changed paths; a rename gives both its sides. */
export const CHANGED_PATHS = [
  ...['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--ignore-submodules=none'],
] as const;

/** A path with git's letter for its change, `A` added, `D` deleted, `M` or `T` changed, and its objects. */
export interface Change {
  readonly status: string;
  readonly path: string;
  /** Zeros if there is none. */
  readonly before: string;
  readonly after: string;
  readonly mode: string;
}

/** The differences between two trees. @see https://git-scm.com/docs/diff-format#_raw_output_format */
export async function changesBetween(git: Git, from: string, to: string): Promise<Change[]> {
  const options = ['-r', '-z', '--no-renames', '--raw', '--no-abbrev'];
  const parts = await listedBy(git, ['diff-tree', ...options, from, to]);
  return parts.flatMap((path, at) => {
    if (at % 2 === 0) return [];
    const [, mode = '', before = '', after = '', status = ''] = (parts[at - 1] ?? '').split(' ');
    return [{ status, path, before, after, mode }];
  });
}

/** The text of each side; `undefined` if there is none. */
export async function changedTexts(git: Git, changes: readonly Change[]) {
  const oids = [...changes.map(({ before }) => before), ...changes.map(({ after }) => after)];
  const texts = await blobsAt(git, oids);
  return changes.map(({ path }, at) => ({
    path,
    before: texts[at],
    after: texts[changes.length + at],
  }));
}

/**
 * The output of git as text. A byte that is no UTF-8, which a name can contain, becomes U+FFFD and
 * its number, so that no two names become equal.
 */
export function textOf(output: Buffer): string {
  const text = output.toString('utf8');
  if (!text.includes('\uFFFD')) return text;
  return output.toString('latin1').replace(CHARACTER, (bytes) => {
    const character = Buffer.from(bytes, 'latin1');
    const read = character.toString('utf8');
    return read.includes('\uFFFD') ? character.toString('hex').replace(/../g, '\uFFFD$&') : read;
  });
}

const CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;

/** The file of a path that `textOf` has made: its name has its original bytes. */
export function fileAt(root: string, path: string): string | Buffer {
  const file = join(root, path);
  if (!file.includes('\uFFFD')) return file;
  const bytes = Buffer.from(file).toString('latin1');
  const named = bytes.replace(/\xef\xbf\xbd([0-9a-f]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(named, 'latin1');
}

/** The paths that a git command lists with `-z`. */
export const listedBy = async (git: Git, args: readonly string[]): Promise<string[]> =>
  splitNul(textOf(await git.bytes(args)));

export function splitNul(text: string): string[] {
  const parts = text.split('\0');
  parts.pop(); // what follows the last NUL: nothing
  return parts;
}

/**
 * NUL-ended lines of facts, a tab and a path, as `ls-files` and `ls-tree` print them. They are read
 * one by one, because all at once take much memory in a large tree.
 */
export function* pathLines(
  text: string,
): Generator<{ readonly facts: string; readonly path: string }> {
  let from = 0;
  for (let end = text.indexOf('\0'); end !== -1; end = text.indexOf('\0', from)) {
    const tab = text.indexOf('\t', from);
    yield { facts: text.slice(from, tab), path: text.slice(tab + 1, end) };
    from = end + 1;
  }
}

/** Untracked files that match the patterns of a file in the syntax of `.gitignore`. */
export async function untrackedMatching(git: Git, patterns: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`];
  // A nested repository is listed as a folder.
  return (await listedBy(git, args)).filter((path) => !path.endsWith('/'));
}

/** The paths among these that are ignored and not tracked. The files need not exist. */
export async function ignoredAmong(
  git: Git,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const args = ['check-ignore', '-z', '--stdin'];
  const outcome = await git.attempt(args, paths.map((path) => `${path}\0`).join(''));
  // Exit code 1 means that none is.
  if (outcome.exitCode > 1) throw gitFailure(args, outcome);
  return new Set(splitNul(outcome.stdout));
}

/** The paths among these for which the attribute has a value. */
export async function pathsWithAttribute(
  git: Git,
  paths: readonly string[],
  attribute: string,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const args = ['check-attr', '-z', '--stdin', attribute];
  const fields = splitNul(await git.text(args, paths.map((path) => `${path}\0`).join('')));
  const isSet = (value = '') => value !== 'unspecified' && value !== 'unset';
  return new Set(fields.filter((_, at) => at % 3 === 0 && isSet(fields[at + 2])));
}

/** Ignored files; a folder with nothing but ignored files stands for them. */
export async function ignoredEntries(git: Git): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return (await listedBy(git, args)).map((path) => path.replace(/\/$/, ''));
}

/** The same of what git neither tracks nor ignores. */
export async function untrackedEntries(git: Git): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--exclude-standard', '--directory'];
  return (await listedBy(git, args)).map((path) => path.replace(/\/$/, ''));
}

/** Files that git neither tracks nor ignores. */
export const untracked = (git: Git): Promise<string[]> =>
  listedBy(git, ['ls-files', '-z', '--others', '--exclude-standard']);

/** The text of files named `<revision>:<path>`; `undefined` for a missing one. */
export async function blobsAt(git: Git, names: readonly string[]): Promise<(string | undefined)[]> {
  const objects = await git.objects(names);
  return objects.map((it) => (it?.type === 'blob' ? it.content.toString('utf8') : undefined));
}

/** The most pathspecs, because git compares each path with each of them: with more, all paths are listed. */
const MOST_PATHSPECS = 50;

export function pathArguments(scope: TreePaths): readonly string[] {
  // A name that is no UTF-8 cannot be passed to git.
  const isAll = scope.some((it) => it === '' || it.includes('\uFFFD'));
  return isAll || scope.length > MOST_PATHSPECS ? [] : ['--', ...scope];
}
