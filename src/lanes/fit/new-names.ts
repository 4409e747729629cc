/** Follows what one side has renamed in what the other has added: git merges the two, and the old name is gone. */
import type { Git } from '../../base/git/git.ts';
import { splitNul } from '../../base/git/paths.ts';
import { changedBetween } from '../../base/git/tree-objects.ts';

interface Sides extends Readonly<Record<'ours' | 'theirs' | 'base', string>> {
  readonly git: Git;
}

const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;
const DECLARED =
  /\b(?:function\*?|class|const|let|var|def|func|fn|struct|enum|type|interface|trait)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]{2,})/;

/** The files of a merged tree in which old names are left, with the new ones. */
export async function withNewNames(sides: Sides, tree: string): Promise<Map<string, string>> {
  const { git } = sides;
  const files = new Map<string, string>();
  for (const [side, other] of [
    [sides.ours, sides.theirs],
    [sides.theirs, sides.ours],
  ] as const) {
    const renames = await renamesIn(sides, side);
    if (renames.length === 0) continue;
    const added = new Set(await changedBetween(git, sides.base, other));
    for (const [from, to] of renames) {
      for (const path of await filesWith(git, tree, from)) {
        if (!added.has(path) || !CODE.test(path)) continue;
        const text = files.get(path) ?? (await git.text(['cat-file', 'blob', `${tree}:${path}`]));
        files.set(path, renamed(text, from, to));
      }
    }
  }
  return files;
}

const renamed = (text: string, from: string, to: string): string =>
  isDoubtful(text, from) ? text : text.replaceAll(wordOf(from), () => to);

/** The name stands in a string or a comment as well, or names a property: that may be meant otherwise. */
const isDoubtful = (text: string, name: string): boolean =>
  [...text.matchAll(wordOf(name))].some(({ index }) => {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    const rest = text.slice(index + name.length);
    return /["'`#]|\/[/*]/.test(line) || /^\s*:(?!:)/.test(rest) || SHORTHAND.test(line);
  });

/** A property of an object that is written by its value's name, and no name that is imported. */
const SHORTHAND = /^(?!\s*(?:import|export|from|use)\b).*\{[^(){}]*$/;

const wordOf = (name: string): RegExp =>
  new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g');

/** Names of declarations that were replaced by another one and that are nowhere any more. */
async function renamesIn({ git, base }: Sides, side: string) {
  const args = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '-U0', base, side];
  const lines = (await git.text(args)).split('\n');
  const declaredIn = (sign: string) =>
    lines
      .filter((line) => line.startsWith(sign) && DECLARED.test(line))
      .map((line) => line.slice(1));
  const found: (readonly [from: string, to: string])[] = [];
  const added = declaredIn('+');
  for (const before of declaredIn('-')) {
    const from = DECLARED.exec(before)?.[1] ?? '';
    const after = added.filter((line) => {
      const to = DECLARED.exec(line)?.[1] ?? '';
      return to !== from && before.replaceAll(wordOf(from), () => to) === line;
    });
    if (after.length !== 1 || (await filesWith(git, side, from)).length > 0) continue;
    found.push([from, DECLARED.exec(after[0] ?? '')?.[1] ?? '']);
  }
  return found;
}

async function filesWith(git: Git, tree: string, name: string): Promise<string[]> {
  const args = ['grep', '-z', '-l', '-I', '-w', '-F', '--no-recurse-submodules', '-e', name, tree];
  return splitNul((await git.maybe(args)) ?? '').map((it) => it.slice(tree.length + 1));
}
