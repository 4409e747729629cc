/** Small changes of the lines that a lane has changed, to see whether a test notices them. Pure. */
import type { SyntaxNode } from '@lezer/common';
import { testsIn } from './inline-tests.ts';
import { minus } from './removed-tests.ts';
import { childrenOf, syntaxOf } from './syntax-tree.ts';

export interface Mutant {
  readonly path: string;
  /** `src/cart.js:4: <= for <` */
  readonly what: string;
  /** The whole file, with one change. */
  readonly text: string;
}

interface SourceText {
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Up to `most` changes, spread over the new and changed lines. */
export async function mutantsOf(files: readonly SourceText[], most: number): Promise<Mutant[]> {
  const all = (await Promise.all(files.map(mutantsIn))).flat();
  const share = (at: number) => Math.floor((at * most) / Math.max(all.length, most));
  return all.filter((_, at) => at === 0 || share(at) !== share(at - 1));
}

async function mutantsIn({ path, before = '', after = '' }: SourceText): Promise<Mutant[]> {
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
