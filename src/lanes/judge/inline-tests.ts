/** Tests inside of source files: those of the base are put into the lane's version of the file. Pure. */
import type { SyntaxNode } from '@lezer/common';
import { minus } from './removed-tests.ts';
import { childrenOf, syntaxOf } from './syntax-tree.ts';

/** An item of Rust with such an attribute, and such a statement of JavaScript, contain tests. */
const TESTS: Readonly<Record<string, RegExp>> = {
  AttributeItem: /#\[(?:cfg\(\s*(?:(?:all|any)\(\s*)?test\b|(?:\w+::)*test\b)/,
  IfStatement: /^if\s*\(\s*import\.meta\.vitest\b/,
};

/** The lane's file with the base's tests; `undefined` if the lane has changed none; `unread` if not extractable. */
export async function withInlineTests(path: string, base: string, lane: string) {
  if (path.endsWith('.py')) {
    return minus(examples(base), examples(lane)).length > 0 ? 'unread' : undefined;
  }
  if (!Object.values(TESTS).some((it) => new RegExp(it, 'm').test(base))) return undefined;
  const parse = await syntaxOf(path);
  if (parse === undefined) return undefined;
  const [before, after] = [testsIn(parse(base), base), testsIn(parse(lane), lane)];
  if (!before.isReadable || !after.isReadable) return 'unread';
  const textOf = (text: string, { items }: typeof before) =>
    items.map(({ from, to }) => text.slice(from, to)).join('\n');
  const tests = textOf(base, before);
  if (tests === textOf(lane, after)) return undefined;
  const ends = [0, ...after.items.map(({ to }) => to)];
  const rest = ends.map((end, at) => lane.slice(end, after.items[at]?.from));
  return `${rest.join('')}\n${tests}\n`;
}

/** Lines of doctests, which are not taken over. */
const examples = (text: string): string[] =>
  text.split('\n').filter((line) => /^\s*>>> /.test(line));

/** The tests in a file; readable if all are at the top level, with correct syntax around them. */
export function testsIn(root: SyntaxNode, text: string) {
  const items: SyntaxNode[] = [];
  let isReadable = true;
  const visit = (node: SyntaxNode, isTop: boolean): void => {
    // An attribute is followed by its item.
    const head = text.slice(node.from, node.lastChild?.from);
    const isTest = TESTS[node.name]?.test(head) === true;
    if (isTest) items.push(node);
    if (node.type.isError || (isTest && !isTop)) isReadable = false;
    if (!isTest) for (const it of childrenOf(node)) visit(it, node.type.isTop);
  };
  visit(root, false);
  return { items, isReadable };
}
