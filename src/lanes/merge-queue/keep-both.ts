/**
 * Resolves the commonest conflict: two lanes have added something at the same place of a file of tests or of a
 * list. Both additions stay. That this is right is for the validations to say.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Git } from '../../git/git.ts';
import { mergeTrees } from '../../git/plumbing.ts';
import { mayHoldTests, testCases } from '../validation/test-cases.ts';
import type { Sides } from './merge.ts';

const LIST =
  /(?:^|\/)(?:(?:CHANGELOG|CHANGES|HISTORY|NEWS|AUTHORS|CONTRIBUTORS)(?:\.\w+)?|CODEOWNERS|\.\w+ignore|\.gitattributes|requirements[\w-]*\.txt)$/i;

const isList = (path: string): boolean => LIST.test(path);
/** Most of a source file of Rust is no test. */
const isTestFile = (path: string): boolean =>
  mayHoldTests(path) && (!path.endsWith('.rs') || /(?:^|\/)tests\//.test(path));

/** @returns the merged tree; `undefined` if there is more than such additions among the conflicts. */
export async function keepBoth(
  git: Git,
  { ours, theirs }: Pick<Sides, 'ours' | 'theirs'>,
  conflicts: readonly string[],
): Promise<string | undefined> {
  if (!conflicts.every((it) => isList(it) || isTestFile(it))) return undefined;
  const base = (await git.text(['merge-base', ours, theirs])).trim();
  const shown = await mergeTrees(git, ours, theirs, ['-c', 'merge.conflictStyle=diff3']);
  for (const path of conflicts) {
    if (!onlyAdds(await textOf(git, shown.tree, path))) return undefined;
    const texts = await Promise.all([base, ours, theirs].map((it) => textOf(git, it, path)));
    if (isTestFile(path) && addsOneName(texts)) return undefined;
  }
  return mergeBy('union', git, { ours, theirs }, conflicts);
}

/**
 * Merges with one of git's drivers for these files.
 *
 * @param config options of git itself, which may say what the driver is.
 * @returns the merged tree; `undefined` if there are conflicts.
 */
export async function mergeBy(
  driver: string,
  git: Git,
  { ours, theirs }: Pick<Sides, 'ours' | 'theirs'>,
  paths: readonly string[],
  config: readonly string[] = [],
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-merge-'));
  try {
    const attributes = join(folder, 'attributes');
    writeFileSync(attributes, paths.map((it) => `${pattern(it)} merge=${driver}\n`).join(''));
    const all = [...config, '-c', `core.attributesFile=${attributes}`];
    const merged = await mergeTrees(git, ours, theirs, all);
    return merged.conflicts.length === 0 ? merged.tree : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a merged file lacks a test that one of the sides has and neither has removed. */
export async function losesTests(
  git: Git,
  { ours, theirs }: Pick<Sides, 'ours' | 'theirs'>,
  paths: readonly string[],
  tree: string,
): Promise<boolean> {
  const base = (await git.text(['merge-base', ours, theirs])).trim();
  for (const path of paths.filter(mayHoldTests)) {
    const texts = await Promise.all([base, ours, theirs, tree].map((it) => textOf(git, it, path)));
    const [before, one, other, merged] = texts.map(titles);
    if (!before || !one || !other || !merged) continue;
    const kept = before.intersection(one).intersection(other);
    const added = one.union(other).difference(before);
    if (!kept.union(added).isSubsetOf(merged)) return true;
  }
  return false;
}

/** Whether nothing stood before in any of the conflicting places. */
function onlyAdds(text: string): boolean {
  const places = [...text.matchAll(/^<{7} .*\n[\s\S]*?^\|{7} .*\n([\s\S]*?)^={7}\n/gm)];
  return places.length > 0 && places.every(([, before]) => before === '');
}

/** Empty where there is no such file. */
const textOf = async (git: Git, tree: string, path: string): Promise<string> =>
  (await git.maybe(['cat-file', 'blob', `${tree}:${path}`], [128])) ?? '';

/** Whether both have added a test of the same name: one may take the place of the other, or get its lines. */
function addsOneName([base = '', ours = '', theirs = '']: readonly string[]): boolean {
  const both = titles(ours).intersection(titles(theirs));
  return both.difference(titles(base)).size > 0;
}

const titles = (text: string): Set<string> =>
  new Set(testCases(text).map(({ kind, title }) => `${kind} ${title}`));

/** For exactly this path. @see https://git-scm.com/docs/gitattributes */
const pattern = (path: string): string =>
  JSON.stringify(`/${path.replaceAll(/[*?[\\]/g, (it) => `\\${it}`)}`);
