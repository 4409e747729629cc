/** Applies the renames of one side to what the other has added: git merges the two, and the old name is gone. */
import type { Git } from '../../base/git/git.ts';
import { changedTexts, changesBetween, splitNul } from '../../base/git/paths.ts';
import { changedBetween } from '../../base/git/tree-objects.ts';

interface Sides extends Readonly<Record<'ours' | 'theirs' | 'base', string>> {
  readonly git: Git;
}

const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;

/** The files of a merged tree in which old names are left, with the new ones. */
export async function withNewNames(sides: Sides, tree: string): Promise<Map<string, string>> {
  const { git } = sides;
  const files = new Map<string, string>();
  for (const [side, other] of [
    [sides.ours, sides.theirs],
    [sides.theirs, sides.ours],
  ] as const) {
    const renames = await renamesIn(sides, side, other);
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

/** True if the name is also in a string or a comment, or names a property, and may mean something else. */
const isDoubtful = (text: string, name: string): boolean =>
  [...text.matchAll(wordOf(name))].some(({ index }) => {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    const rest = text.slice(index + name.length);
    return (
      /["'`#]|\/[/*]|\.$/.test(line) || /^(?:\s*:(?!:)|=\S)/.test(rest) || SHORTHAND.test(line)
    );
  });

/** A property that is named like its value, and no imported name. */
const SHORTHAND = /^(?!\s*(?:import|export|from|use)\b).*\{[^(){}]*$/;

const wordOf = (name: string): RegExp =>
  new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g');

/** Names that one side has replaced everywhere, without another change in those places. */
async function renamesIn({ git, base }: Sides, side: string, other: string) {
  const changes = (await changesBetween(git, base, side)).filter(({ path }) => CODE.test(path));
  const texts = await changedTexts(git, changes);
  const found: (readonly [from: string, to: string])[] = [];
  for (const { before = '', after = '' } of texts) {
    const [gone, come] = [before, after].map((it) => new Set(it.match(/[\w$]+/g)));
    const [from = '', ...more] = gone?.difference(come ?? new Set()) ?? [];
    const [to = '', ...others] = come?.difference(gone ?? new Set()) ?? [];
    const isOne = from !== '' && to !== '' && more.length + others.length === 0;
    if (!isOne || !declarationOf(from).test(before)) continue;
    const isOnly = (it: (typeof texts)[0]) =>
      it.before?.replaceAll(wordOf(from), () => to) === it.after;
    const changed = new Set(texts.filter(isOnly).map(({ path }) => path));
    const isEverywhere = (await filesWith(git, base, from)).every((path) => changed.has(path));
    if (isEverywhere && (await filesWith(git, other, to)).length === 0) found.push([from, to]);
  }
  return found;
}

const declarationOf = (name: string): RegExp =>
  new RegExp(
    `\\b(?:function\\*?|class|const|let|var|def|func|fn|struct|enum|type|interface|trait)\\s+(?:\\([^)]*\\)\\s*)?${wordOf(name).source}`,
  );

async function filesWith(git: Git, tree: string, name: string): Promise<string[]> {
  const args = ['grep', '-z', '-l', '-I', '-w', '-F', '--no-recurse-submodules', '-e', name, tree];
  return splitNul((await git.maybe(args)) ?? '').map((it) => it.slice(tree.length + 1));
}
