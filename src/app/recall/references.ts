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
  const { filesWith, read } = await openIndex(context);
  const declared: { path: string; line: number }[] = [];
  const references: Reference[] = [];
  let unread = 0;
  for (const path of filesWith(name)) {
    const text = read(path);
    if (text === undefined || !text.includes(name)) continue;
    const places = declarationsIn(path, text).filter((it) => it.name === name);
    declared.push(...places.map(({ line }) => ({ path, line })));
    const parse = await syntaxOf(path);
    if (parse === undefined) unread += 1;
    else references.push(...referencesIn(parse(text), text, name).map((it) => ({ path, ...it })));
  }
  if (declared.length + references.length + unread === 0) {
    throw new UsageError(`no indexed file has the name \`${name}\``, {
      code: 'NO_SUCH_NAME',
      hint: 'names are case-sensitive; after a change of the code: `lanehold index`',
    });
  }
  const order = ['call', 'import', 'use'];
  const rank = ({ kind }: Reference) => order.indexOf(kind);
  references.sort((a, b) => rank(a) - rank(b));
  const left = { more: Math.max(0, references.length - limit), unread };
  return { name, declared, references: references.slice(0, limit), ...left };
}

/** What a file imports, who imports it, and what is changed with it. @param file relative to the working folder. */
export async function neighboursOf(context: AppContext, file: string, hits: number) {
  const limit = hits * LINES_A_HIT;
  const { store, projectId, root, all, filesWith, read } = await openIndex(context);
  const path = relative(root, resolve(context.cwd, file));
  const text = isInside(root, join(root, path)) ? read(path) : undefined;
  if (text === undefined) {
    throw new UsageError(`there is no file \`${file}\` in this project`, {
      hint: 'give a path of this repository',
    });
  }
  const imported = importReader({ paths: all, readFile: read });
  const importedBy = filesWith(nameOf(path)).filter(
    (other) => other !== path && imported(other, read(other)).has(path),
  );
  const { commits, others } = changedWith(store, projectId, path);
  return {
    path,
    declares: [...new Set(declarationsIn(path, text).map(({ name }) => name))].slice(0, limit),
    imports: [...imported(path, text)].slice(0, limit),
    importedBy: importedBy.slice(0, limit),
    more: Math.max(0, importedBy.length - limit),
    commits,
    changedWith: others.filter((it) => it.commits > 1).slice(0, MOST_TOGETHER),
  };
}

/** The index of a project, and its files as they are now. @throws {UsageError} if nothing is indexed. */
async function openIndex(context: AppContext) {
  const { store, projectId, place } = await openProject(context);
  const code = codeStore(store);
  const all = code.paths(projectId);
  if (all.length === 0)
    throw new UsageError('no file is indexed yet', { hint: 'run `lanehold index` first' });
  return {
    store,
    projectId,
    root: place.root,
    all,
    /** Files that have the words of a name, in the order of their paths. */
    filesWith(name: string): string[] {
      const words = indexed(name);
      if (words === '')
        throw new UsageError(`\`${name}\` is no name`, { hint: 'give one of code' });
      const found = code.matchChunks(projectId, [words], MOST_PIECES).map(({ path }) => path);
      return [...new Set(found)].sort();
    },
    read: (path: string) => attempt(() => readPlainFile(join(place.root, path))),
  };
}

const IDENTIFIER = /Name$|Identifier$|Definition$/;
const IMPORTS = /^(?:Import(?:Declaration|Statement|Decl)|UseDeclaration|ExportGroup)$/;
const CALLS = /^(?:Call|New)Expr(?:ession)?$|^MacroInvocation$|^JSX(?:Open|SelfClosing)Tag$/;
/** A name behind a dot or colons. */
const MEMBERS = /^(?:Member|Selector|Field)Expr(?:ession)?$|^ScopedIdentifier$/;
const DECLARES =
  /^(?:Function|Class|Method|Interface|Enum)(?:Declaration|Definition|Decl)$|^(?:Function|Struct|Trait|Enum)Item$/;

function referencesIn(root: SyntaxNode, text: string, name: string): Omit<Reference, 'path'>[] {
  const found: Omit<Reference, 'path'>[] = [];
  const textOf = ({ from, to }: SyntaxNode) => text.slice(from, to);
  /** Its own, and those by which the file has imported it. */
  const names = new Set([name]);
  const visit = (node: SyntaxNode, within: string | null): void => {
    const children = childrenOf(node);
    const isName = children.length === 0 && IDENTIFIER.test(node.name) && names.has(textOf(node));
    const kind = isName ? kindOf(node) : undefined;
    if (kind) found.push({ line: text.slice(0, node.from).split('\n').length, kind, within });
    const alias = isName ? aliasOf(node) : undefined;
    if (alias) names.add(textOf(alias));
    const isFunction = children.some(({ name }) =>
      /^(?:Arrow|)Function(?:Expression)?$/.test(name),
    );
    const inner = isFunction || DECLARES.test(node.name) ? declaredBy(node, text) : undefined;
    for (const it of children) visit(it, inner ?? within);
  };
  visit(root, null);
  return found;
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
  for (let it: SyntaxNode | null = node; it !== null; it = it.parent)
    if (IMPORTS.test(it.name)) return 'import';
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
