/** Small changes of the lines that a lane has changed, and how many of them its validation notices. */
import type { SyntaxNode } from '@lezer/common';
import { plural } from '../../base/text/printable.ts';
import type { LaneContext } from '../spec/context.ts';
import { flagText } from '../spec/flags.ts';
import { type CleanRunWish, cleanRun } from './clean-run.ts';
import { testsIn } from './inline-tests.ts';
import { changedSources } from './proof.ts';
import { minus } from './removed-tests.ts';
import { childrenOf, syntaxOf } from './syntax-tree.ts';

export interface Mutant {
  readonly path: string;
  /** `src/cart.js:4: <= for <` */
  readonly what: string;
  /** The whole file, with one change. */
  readonly text: string;
}

type SourceText = { readonly path: string } & Readonly<
  Partial<Record<'before' | 'after', string | undefined>>
>;

/** Up to `most` changes, spread over the new and changed lines. */
export async function mutantsOf(files: readonly SourceText[], most: number): Promise<Mutant[]> {
  const all = (await Promise.all(files.map(mutantsIn))).flat();
  const share = (at: number) => Math.floor((at * most) / Math.max(all.length, most));
  return all.filter((_, at) => at === 0 || share(at) !== share(at - 1));
}

async function mutantsIn({ path, before = '', after = '' }: SourceText) {
  const root = (await syntaxOf(path))?.(after);
  if (root === undefined) return [];
  const lines = after.split('\n');
  const starts = [0, ...after.matchAll(/\n/g).map(({ index }) => index + 1)];
  const changed = new Set(minus(lines, before.split('\n')));
  const tests = testsIn(root, after).items;
  const mutants: Mutant[] = [];
  const visit = (node: SyntaxNode): void => {
    const isTest = tests.some(({ from, to }) => from === node.from && to === node.to);
    const own = after.slice(node.from, node.to);
    if (isTest || NO_WORK.test(node.name) || (STATEMENT.test(node.name) && LOGS.test(own))) return;
    const change = changeOf(node, own, languageOf(path));
    const line = starts.findLastIndex((it) => it <= (change?.from ?? 0)) + 1;
    if (change !== undefined && changed.has(lines[line - 1] ?? '')) {
      const { from, to, by } = change;
      const old = after.slice(from, to).trim();
      const what = by === '' ? `without ${old}` : `${by} for ${old}`;
      const text = after.slice(0, from) + by + after.slice(to);
      mutants.push({ path, what: `${path}:${line}: ${what}`, text });
    }
    for (const it of childrenOf(node)) visit(it);
  };
  visit(root);
  return mutants;
}

const NO_WORK = /^(?:Import|Use|Package|Attribute$|Decorator)/;
const STATEMENT = /^Expr(?:ession)?Statement$/;
const LOGS = /^(?:console|log(?:ger|ging)?)\b|^print/;
const OPPOSITES = new Map(
  [
    ...['=== !==', '== !=', '< <=', '> >=', '&& ||', 'and or', '+ -', '* /', '+= -=', '++ --'],
    ...['true false', 'True False'],
  ].flatMap((pair) => {
    const [one = '', other = ''] = pair.split(' ');
    return [[one, other] as const, [other, one] as const];
  }),
);

interface Language {
  /** Replaces a returned value, if any type is allowed there. */
  readonly nothing?: string;
  readonly noStatement: string;
}

const PYTHON: Language = { nothing: 'None', noStatement: 'pass' };
const languageOf = (path: string): Language => {
  if (/\.pyi?$/.test(path)) return PYTHON;
  return /\.(?:go|rs)$/.test(path)
    ? { noStatement: '' }
    : { nothing: 'undefined', noStatement: '' };
};

/** The changed text of a node, and the part that it replaces. */
function changeOf(node: SyntaxNode, text: string, { nothing, noStatement }: Language) {
  const { name, parent, firstChild: first } = node;
  const change = ({ from, to }: SyntaxNode, by: string | undefined) =>
    by === undefined ? undefined : { from, to, by };
  if (/^(?:!|not)$/.test(text))
    return /^Unary/.test(parent?.name ?? '') ? change(node, '') : undefined;
  if (/Op$|^(?:and|or|Bool(?:ean\w*)?)$/.test(name)) return change(node, OPPOSITES.get(text));
  if (/^(?:Number|Integer)$/.test(name) && /^\d{1,9}$/.test(text)) {
    return change(node, String(Number(text) + 1));
  }
  if (name === 'ReturnStatement') {
    const value = first?.nextSibling;
    return value && value.name !== ';' ? change(value, nothing) : undefined;
  }
  const isCall = STATEMENT.test(name) && /^(?:Await|Call)/.test(first?.name ?? '');
  return first && isCall ? change(first, noStatement) : undefined;
}

type Wish = CleanRunWish & Parameters<typeof changedSources>[0];

const MOST = 20;
const ALL_MS = 60_000;
/**
 * Tries the changes one by one after the validation has passed, if the runner names its tests. A change that only
 * breaks the command, as where it does not compile, is not counted.
 *
 * @param leastPercent the share below which a person has to look.
 */
export async function noticedChanges(
  context: LaneContext,
  wish: Wish,
  log: string,
  leastPercent: number,
): Promise<string[]> {
  const mutants = await mutantsOf(await changedSources(wish), MOST);
  if (mutants.length === 0) return [];
  let noticed = 0;
  const missed: string[] = [];
  await cleanRun(context, wish, {
    sha: wish.sha,
    log,
    more: async (again, { tests, durationMs }) => {
      const names = new Set(tests?.executed);
      const end = Date.now() + ALL_MS;
      // Tests that a change makes wait for ever have noticed it, so they are stopped.
      const limitMs = 3 * durationMs + 2_000;
      for (const { what, ...file } of names.size === 0 ? [] : mutants) {
        // A change without time to finish does not count.
        if (end - Date.now() < limitMs) break;
        const { result, failures } = await again(file, limitMs);
        if (result === 'timeout' || failures.some((name) => names.has(name))) noticed += 1;
        else if (result === 'pass') missed.push(what);
      }
    },
  });
  const tried = noticed + missed.length;
  if (tried === 0) return [];
  const words = `${noticed} of ${plural(tried, 'change')} of these lines ${tried === 1 ? 'is' : 'are'} noticed`;
  const isLess = noticed * 100 < leastPercent * tried;
  return [flagText(isLess ? 'changes-not-noticed' : 'changes-noticed', [words, ...missed])];
}
