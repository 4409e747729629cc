/** The parsers of source files, and their trees. Pure. */
import type { SyntaxNode } from '@lezer/common';

type Parser = { readonly parse: (text: string) => { readonly topNode: SyntaxNode } };

const PARSERS: readonly (readonly [endings: RegExp, load: () => Promise<Parser>])[] = [
  // `<T>(it: T) => it` opens a tag where there are tags.
  [
    /\.[cm]?ts$/,
    async () => (await import('@lezer/javascript')).parser.configure({ dialect: 'ts' }),
  ],
  [
    /\.[cm]?[jt]sx?$/,
    async () => (await import('@lezer/javascript')).parser.configure({ dialect: 'ts jsx' }),
  ],
  [/\.pyi?$/, async () => (await import('@lezer/python')).parser],
  [/\.go$/, async () => (await import('@lezer/go')).parser],
  [/\.rs$/, async () => (await import('@lezer/rust')).parser],
  [/\.json$/, async () => (await import('@lezer/json')).parser],
];

/** @returns `undefined` for a file of another language. Syntax errors are nodes of the tree. */
export async function syntaxOf(path: string): Promise<((text: string) => SyntaxNode) | undefined> {
  const parser = await PARSERS.find(([endings]) => endings.test(path))?.[1]();
  return parser && ((text) => parser.parse(text).topNode);
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let it = node.firstChild; it !== null; it = it.nextSibling) children.push(it);
  return children;
}
