/**
 * The recipes behind smoke tests: the package script, or the target of a makefile or justfile, that
 * a command names, and the shell texts of the project that these run in turn. They are content of a
 * feature, as its files are: evidence ends when its tests are taken out of a script.
 */
import { posix } from 'node:path';
import { isWithin, type TreeEntry } from '../base/git/tree-entry.ts';
import { sha256 } from '../base/text/sha256.ts';
import { recognise } from '../commands/recognise.ts';
import { recipeMode, type TestCommand } from './recipe-files.ts';

/** The most rounds: a command that needs more runs scripts that run scripts, whose texts do not count. */
const MOST_ROUNDS = 12;

/**
 * An entry for each test and file that holds a part of its recipe; its oid is a digest of that part.
 *
 * @param read texts of files by path from the root; `undefined` if there is no such file.
 */
export async function recipeEntries(
  tests: readonly TestCommand[],
  read: (paths: readonly string[]) => Promise<readonly (string | undefined)[]>,
): Promise<TreeEntry[]> {
  const distinct = new Map(tests.map((test) => [recipeMode(test), test]));
  const known = new Map<string, string | undefined>();
  for (let round = 1; ; round += 1) {
    const missing = new Set<string>();
    const textOf = (path: string) => {
      if (!known.has(path)) missing.add(path);
      return known.get(path);
    };
    const entries = [...distinct].flatMap(([mode, test]) =>
      Array.from(follow(test, textOf), ([path, texts]) => ({ mode, oid: digest(texts), path })),
    );
    if (missing.size === 0 || round === MOST_ROUNDS) return entries;
    const paths = [...missing];
    const texts = await read(paths);
    for (const [at, path] of paths.entries()) known.set(path, texts[at]);
  }
}

/** A digest of the texts, sorted: the order in which they are read may change with the reader. */
function digest(texts: ReadonlySet<string>): string {
  const sorted = [...texts].map((it) => it.replaceAll('\r\n', '\n')).sort();
  return sha256(sorted.join('\0'));
}

/** The name of the root, which has another path on each machine. */
const ROOT = '/project';

function follow(
  { command, cwd }: TestCommand,
  textOf: (path: string) => string | undefined,
): ReadonlyMap<string, ReadonlySet<string>> {
  const recipes = new Map<string, Set<string>>();
  const files = new Map<string, string>();
  /** The files that were found since the last command. */
  let found: string[] = [];

  /** The file that a script or target is in: the first one that was read to find it. */
  const fileOf = (script: string): string | undefined => {
    // In `make <folder> <target>`, other targets of the same file may have been read before.
    const [, group = script, folder] = /^(\S+ (.*)) \S+$/s.exec(script) ?? [];
    const inFolder = found.find((path) => folder === posix.join(ROOT, posix.dirname(path)));
    const file = files.get(group) ?? inFolder ?? found[0];
    if (file !== undefined) files.set(group, file);
    return file;
  };

  recognise(command, {
    cwd: cwd === '' ? ROOT : `${ROOT}/${cwd}`,
    // With an empty environment the result is the same for everybody.
    env: {},
    toplevel: (folder) => (isWithin(ROOT, folder) ? ROOT : undefined),
    readFile(file) {
      const path = file.slice(ROOT.length + 1);
      if (!file.startsWith(`${ROOT}/`) || /[\0\n]/.test(path)) return undefined;
      const text = textOf(path);
      if (text !== undefined) found.push(path);
      return text;
    },
    visit() {
      found = [];
    },
    script(text, within) {
      const script = within.at(-1) ?? '';
      const file = fileOf(script);
      // A script file that the command names is no recipe: the feature can have it among its files.
      if (file === undefined || within[0]?.startsWith('file ')) return;
      const texts = recipes.get(file) ?? new Set();
      // The last word is the name of the script or target.
      recipes.set(file, texts.add(`${script.slice(script.lastIndexOf(' ') + 1)} ${text}`));
    },
  });
  return recipes;
}
