/**
 * Who calls what, and which files import which. The index says where a name occurs; what it is there tells the syntax
 * of the file as it stands now. No types are resolved: a method of another class with this name is found as well.
 */
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { SyntaxNode } from '@lezer/common';
import { attempt, UsageError } from '../../base/errors.ts';
import { isInside } from '../../base/files/inside.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { importReader } from '../../features/discover/imports.ts';
import { childrenOf, syntaxOf } from '../../lanes/judge/syntax-tree.ts';
import { declarationsIn } from '../../recall/code/declarations.ts';
import { changedWith } from '../../recall/together.ts';
import { indexed } from '../../recall/words.ts';
import { codeStore } from '../../store/code-index.ts';
import { type AppContext, openProject } from '../context.ts';

export interface Reference {
  /** Relative to the project. */
  readonly path: string;
  readonly line: number;
  readonly kind: 'call' | 'import' | 'use';
  /** The innermost declaration around it; `null` at the top of the file. */
  readonly within: string | null;
  /** The other name by which it is meant there. */
  readonly as?: string | undefined;
}

export type Callers = Awaited<ReturnType<typeof callersOf>>;
export type Neighbours = Awaited<ReturnType<typeof neighboursOf>>;

const MOST_PIECES = 400;
const MOST_TOGETHER = 5;
/** A line about a caller is short: so many take the room of one hit of a search. */
const LINES_A_HIT = 4;

/**
 * Where a name is called, then where it is imported or used, in the order of the paths.
 *
 * @param name of a function, a class, a type: `chargeCard`.
 * @returns `unread`: how many files have the name in a language whose syntax is not read.
 * @throws {UsageError} if no indexed file has the name.
 */
export async function callersOf(context: AppContext, name: string, hits: number) {
  const limit = hits * LINES_A_HIT;
  const index = await openIndex(context);
  const declared = index.filesWith(name).flatMap((path) =>
    declarationsIn(path, index.read(path) ?? '')
      .filter((it) => it.name === name)
      .map(({ line }) => ({ path, line })),
  );
  const { references, unread } = await referencesTo(index, name);
  if (declared.length + references.length + unread === 0) {
    throw new UsageError(`no indexed file has the name \`${name}\``, {
      code: 'NO_SUCH_NAME',
      hint: 'names are case-sensitive; after a change of the code: `lanehold index`',
    });
  }
  const order = ['call', 'import', 'use'];
  const rank = ({ kind }: Reference) => order.indexOf(kind);
  const distinct = [...new Map(references.map((it) => [JSON.stringify(it), it])).values()];
  distinct.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : +(a.path > b.path)));
  const left = { more: Math.max(0, distinct.length - limit), unread };
  return { name, declared, references: distinct.slice(0, limit), ...left };
}

/** References in all files that have the name, and by its other names in files that import one that exports these. */
async function referencesTo({ filesWith, read, imported }: Index, name: string) {
  const references: Reference[] = [];
  const unread = new Set<string>();
  const imports = (path: string, other: string): boolean =>
    imported(path).has(other) ||
    [...imported(path)].some((it) => EXPORTS_ALL.test(read(it) ?? '') && imported(it).has(other));
  const sought = new Map([['', { called: name, exporter: '' }]]);
  const look = async (path: string, called: string): Promise<void> => {
    const text = read(path) ?? '';
    if (!text.includes(called)) return;
    const parse = await syntaxOf(path);
    if (parse === undefined) return void unread.add(path);
    const found = referencesIn(parse(text), text, called);
    for (const { as, ...it } of found.references)
      references.push({ path, ...it, as: as === name ? undefined : as });
    for (const it of found.exported.difference(new Set([name])))
      sought.set(`${path} ${it}`, { called: it, exporter: path });
  };
  for (const { called, exporter } of sought.values()) {
    const paths = filesWith(called).filter((it) => exporter === '' || imports(it, exporter));
    for (const path of paths) await look(path, called);
  }
  return { references, unread: unread.size };
}

/** What a file imports, who imports it, and what is changed with it. @param file relative to the working folder. */
export async function neighboursOf(context: AppContext, file: string, hits: number) {
  const limit = hits * LINES_A_HIT;
  const { store, projectId, root, filesWith, read, imported } = await openIndex(context);
  const path = relative(root, resolve(context.cwd, file));
  const text = isInside(root, join(root, path)) ? read(path) : undefined;
  if (text === undefined) {
    throw new UsageError(`there is no file \`${file}\` in this project`, {
      hint: 'give a path of this repository',
    });
  }
  const importedBy = filesWith(nameOf(path)).filter(
    (other) => other !== path && imported(other).has(path),
  );
  const { commits, others } = changedWith(store, projectId, path);
  return {
    path,
    declares: [...new Set(declarationsIn(path, text).map(({ name }) => name))].slice(0, limit),
    imports: [...imported(path)].slice(0, limit),
    importedBy: importedBy.slice(0, limit),
    more: Math.max(0, importedBy.length - limit),
    commits,
    changedWith: others.filter((it) => it.commits > 1).slice(0, MOST_TOGETHER),
  };
}

type Index = Awaited<ReturnType<typeof openIndex>>;

/** The index of a project, and its files as they are now. @throws {UsageError} if nothing is indexed. */
async function openIndex(context: AppContext) {
  const { store, projectId, place } = await openProject(context);
  const code = codeStore(store);
  const all = code.paths(projectId);
  if (all.length === 0)
    throw new UsageError('no file is indexed yet', { hint: 'run `lanehold index` first' });
  const read = (path: string) => attempt(() => readPlainFile(join(place.root, path)));
  const importsOf = importReader({ paths: all, readFile: read });
  return {
    store,
    projectId,
    root: place.root,
    read,
    /** The files that a file imports. */
    imported: (path: string) => importsOf(path, read(path)),
    /** Files that have the words of a name, in the order of their paths. */
    filesWith(name: string): string[] {
      const words = indexed(name);
      if (words === '')
        throw new UsageError(`\`${name}\` is no name`, { hint: 'give one of code' });
      const found = code.matchChunks(projectId, [words], MOST_PIECES).map(({ path }) => path);
      return [...new Set(found)].sort();
    },
  };
}

/** A file that exports all that another one has. */
const EXPORTS_ALL = /\b(?:export|import) \*/;

const IDENTIFIER = /Name$|Identifier$|Definition$/;
const IMPORTS = /^(?:Import(?:Declaration|Statement|Decl)|UseDeclaration|ExportGroup)$/;
const CALLS = /^(?:Call|New)Expr(?:ession)?$|^MacroInvocation$|^JSX(?:Open|SelfClosing)Tag$/;
/** A name behind a dot or colons. */
const MEMBERS = /^(?:Member|Selector|Field)Expr(?:ession)?$|^ScopedIdentifier$/;
const DECLARES =
  /^(?:Function|Class|Method|Interface|Enum)(?:Declaration|Definition|Decl)$|^(?:Function|Struct|Trait|Enum)Item$/;

/** Finds the places of a file that use the name, and the names by which the file exports it. */
function referencesIn(root: SyntaxNode, text: string, name: string) {
  const references: Omit<Reference, 'path'>[] = [];
  const exported = new Set<string>();
  const textOf = ({ from, to }: SyntaxNode) => text.slice(from, to);
  /** Its own, and those by which the file has imported it. */
  const names = new Set([name]);
  /** Names are visited in the order of the text. */
  let [line, counted] = [1, 0];
  const note = (node: SyntaxNode, within: string | null): void => {
    const kind = kindOf(node);
    const alias = aliasOf(node);
    if (alias) names.add(textOf(alias));
    if (!kind) return;
    line += text.slice(counted, node.from).split('\n').length - 1;
    counted = node.from;
    references.push({ line, kind, within, as: textOf(node) });
    const isExported = kind === 'import' && importOf(node)?.name !== 'ImportDeclaration';
    if (isExported) exported.add(textOf(alias ?? node));
  };
  const visit = (node: SyntaxNode, within: string | null): void => {
    const children = childrenOf(node);
    const isName = children.length === 0 && IDENTIFIER.test(node.name) && names.has(textOf(node));
    if (isName) note(node, within);
    const isFunction = children.some(({ name }) =>
      /^(?:Arrow|)Function(?:Expression)?$/.test(name),
    );
    const inner = isFunction || DECLARES.test(node.name) ? declaredBy(node, text) : undefined;
    for (const it of children) visit(it, inner ?? within);
  };
  visit(root, null);
  return { references, exported };
}

/** The import or the list of exports that a node is in. In JavaScript, what is only imported is not exported. */
function importOf(node: SyntaxNode): SyntaxNode | undefined {
  for (let it: SyntaxNode | null = node; it !== null; it = it.parent)
    if (IMPORTS.test(it.name)) return it;
  return undefined;
}

/** The name behind `as` in an import, or behind the colon of a pattern: `const { name: alias } = await import(…)`. */
function aliasOf(node: SyntaxNode): SyntaxNode | null | undefined {
  const last = node.parent?.name === 'ScopedIdentifier' ? node.parent : node;
  const isNamed = last.nextSibling?.name === 'as' || last.parent?.name === 'PatternProperty';
  return isNamed ? last.nextSibling?.nextSibling : undefined;
}

/** `undefined` where it is declared. */
function kindOf(node: SyntaxNode): Reference['kind'] | undefined {
  if (node.prevSibling?.name === 'as') return undefined;
  if (importOf(node)) return 'import';
  const isLast = node.parent?.lastChild?.from === node.from;
  const callee = node.parent && MEMBERS.test(node.parent.name) && isLast ? node.parent : node;
  const call = callee.parent;
  if (call && CALLS.test(call.name)) return 'call';
  const isDeclared =
    /Definition$|^DefName$|^BoundIdentifier$/.test(node.name) ||
    (call && DECLARES.test(call.name) && nameIn(call)?.from === node.from);
  return isDeclared || call?.name === 'JSXCloseTag' ? undefined : 'use';
}

const nameIn = (node: SyntaxNode): SyntaxNode | undefined =>
  childrenOf(node).find((it) => IDENTIFIER.test(it.name) || it.name === 'DefName');

function declaredBy(node: SyntaxNode, text: string): string | undefined {
  const name = nameIn(node);
  return name && text.slice(name.from, name.to);
}

/** The name by which a file is imported: its own, or that of its folder. */
function nameOf(path: string): string {
  const stem = path.endsWith('.go') ? dirname(path) : path.replace(/\.\w+$/, '');
  return basename(stem.replace(/\/(?:index|mod|__init__)$/, ''));
}
