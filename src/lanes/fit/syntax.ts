/**
 * The syntax tree of a file as lists: declarations, members, elements, statements, each with the text around it and
 * the name that it is known by. One form for all languages. Pure.
 */
import type { SyntaxNode } from '@lezer/common';
import { childrenOf, syntaxOf } from '../judge/syntax-tree.ts';

/** The sides cannot be merged without a person. */
export class Undecided extends Error {}

/** @returns `undefined` for a file of another language. */
export async function parserFor(path: string): Promise<((text: string) => Part) | undefined> {
  const parse = await syntaxOf(path);
  return parse && ((text) => partOf(parse(text), text));
}

/** A node of a syntax tree without its comments, which are in the gaps between its children. */
export interface Part {
  readonly type: string;
  readonly text: string;
  readonly from: number;
  readonly children: readonly Part[];
}

const end = ({ from, text }: Part): number => from + text.length;

/** @throws {Undecided} where the text has an error of syntax. */
function partOf(node: SyntaxNode, source: string): Part {
  const children: Part[] = [];
  for (const it of childrenOf(node)) {
    if (it.type.isError) throw new Undecided();
    if (!/Comment$/.test(it.name) && it.to > it.from) children.push(partOf(it, source));
  }
  const whole = node.type.isTop ? source : source.slice(node.from, node.to).trimEnd();
  const from = node.type.isTop ? 0 : node.from;
  return { type: node.name, text: whole, from, children: flat(node.name, children) };
}

/** Chains are nested in syntax trees: `a || b || c`, `else if`, `a.b().c()`. They become lists. */
function flat(type: string, children: readonly Part[]): readonly Part[] {
  const [first, middle] = children;
  const last = children.at(-1);
  if (first?.type === type && isChained(type, middle) && first.children[1]?.text === middle?.text) {
    return [...first.children, ...children.slice(1)];
  }
  if (/^If/.test(type) && last?.type === type && children.at(-2)?.type === 'else') {
    return [...children.slice(0, -1), ...last.children];
  }
  if (first && /^Call/.test(type) && CALLEE.test(first.type) && first.children.length > 1) {
    const [receiver, ...access] = first.children as [Part, ...Part[]];
    const links = /^Call/.test(receiver.type) && isChain(receiver) ? receiver.children : [receiver];
    return [...links, ...access, ...children.slice(1)];
  }
  return children;
}

const CALLEE = /^(?:MemberExpression|FieldExpression|SelectorExpr)$/;
const LOGIC = new Set(['||', '&&', 'or', 'and', '|']);
const isChained = (type: string, operator: Part | undefined): boolean =>
  /^(?:Binary|Union)/.test(type) && LOGIC.has(operator?.text ?? '');
const isChain = ({ children }: Part): boolean => children.some(({ text }) => text === '.');

/** One element of a list, or a part of what has a fixed number of them, with the text around it. */
export interface Item {
  /** What stands between it and the one before: space, comments, an operator. */
  readonly lead: string;
  readonly text: string;
  /** A separator, and a comment on the rest of its line. */
  readonly after: string;
  readonly parts: readonly Part[];
  /** What it is known by; absent where its order may matter. */
  readonly key: string | undefined;
}

export interface List {
  readonly kind: Kind;
  readonly head: string;
  readonly items: readonly Item[];
  readonly tail: string;
}

/** The types of nodes that are lists; what is none of them has a fixed number of parts. */
const KINDS = {
  list: /^(?:Array|Set|Tuple)(?:Expression|Pattern)?$|^(?:ArgList|Arguments|LiteralValue|BracketedTokens|ParenthesizedTokens)$/,
  /** Known by their names. */
  members:
    /^(?:Object|Dictionary)(?:Expression|Pattern|Type)?$|^(?:EnumBody|EnumVariantList|UseList|(?:Im|Ex)portGroup|Field(?:Declaration|Initializer)List)$/,
  parameters: /^(?:ParamList|Parameters)$/,
  /** Statements and declarations. */
  sequence:
    /^(?:Script|SourceFile|Block|Body|ClassBody|DeclarationList|SpecList|StructBody|InterfaceBody|MatchBody|MatchBlock)$/,
  cases: /^(?:SwitchBody|SwitchBlock)$/,
  branches: /^If(?:Statement|Expression)$/,
} as const;
/** `chain`: operands or calls, one after the other. */
export type Kind = keyof typeof KINDS | 'chain' | 'fixed';

function kindOf(part: Part): Kind {
  const { type, children } = part;
  if (isChained(type, children[1]) || (/^Call/.test(type) && isChain(part))) return 'chain';
  if (isFromImport(part)) return 'members';
  const kinds = Object.entries(KINDS) as [keyof typeof KINDS, RegExp][];
  return kinds.find(([, types]) => types.test(type))?.[0] ?? 'fixed';
}

/** `from module import a, b`, of Python. */
const isFromImport = ({ type, children }: Part): boolean =>
  type === 'ImportStatement' && children[0]?.text === 'from';

const SEPARATOR = /^[,;]$/;

export function listOf(part: Part): List {
  const kind = kindOf(part);
  const isList = kind !== 'fixed' && kind !== 'chain';
  const all = [...part.children];
  const importAt = isFromImport(part) ? all.findIndex(({ text }) => text === 'import') : -1;
  const isOpening = isList && /^[{([]$|^:$/.test(all[importAt + 1]?.text ?? '');
  const head = all.splice(0, importAt + (isOpening ? 2 : 1));
  if (isList && /^[})\]]$/.test(all.at(-1)?.text ?? '')) all.pop();
  const source = (from: number, to: number) => part.text.slice(from - part.from, to - part.from);
  const start = head.reduce((_, it) => end(it), part.from);
  let at = start;
  const items = groupsIn(kind, all).map(({ parts, separator }): Item => {
    const [first, last] = [parts[0] as Part, parts.at(-1) as Part];
    const text = source(first.from, end(last));
    const lead = source(at, first.from);
    at = separator === undefined ? end(last) : end(separator);
    const comment = isList ? COMMENT.exec(source(at, end(part)))?.[0] : undefined;
    at += comment?.length ?? 0;
    return { lead, text, after: source(end(last), at), parts, key: keyOf(kind, parts, text) };
  });
  return { kind, head: source(part.from, start), items, tail: source(at, end(part)) };
}

const COMMENT = /^[ \t]*(?:\/\/|#(?!\[)).*/;

interface Group {
  readonly parts: Part[];
  separator?: Part;
}

function groupsIn(kind: Kind, parts: readonly Part[]): Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    const isOpen = last !== undefined && last.separator === undefined;
    if (kind === 'chain' && LOGIC.has(part.text)) continue;
    if (isOpen && SEPARATED.has(kind) && SEPARATOR.test(part.text)) last.separator = part;
    else if (isOpen && GOES_ON[kind](part, last)) last.parts.push(part);
    else groups.push({ parts: [part] });
  }
  return groups;
}

const SEPARATED: ReadonlySet<Kind> = new Set(['list', 'members', 'parameters', 'sequence']);

/** Whether a part belongs to the element before it. */
const GOES_ON: Readonly<Record<Kind, (part: Part, last: Group) => boolean>> = {
  list: () => true,
  members: () => true,
  parameters: () => true,
  sequence: () => false,
  fixed: () => false,
  cases: ({ type }) => !/^(?:Case|Default)/.test(type),
  branches: ({ type }) => !/^(?:else|elif)$/.test(type),
  chain: ({ text }, { parts }) => text !== '.' && parts[0]?.text === '.',
};

const LITERAL = /^(?:String|Number|Integer|Float|RegExp|Boolean\w*|True|False|LiteralType)$/;
const COLLECTION = /^(?:Array|Object|Tuple|TypedLiteral|LiteralValue|Dictionary|Parenthesized)/;
const MODIFIERS =
  /^(?:(?:export|default|declare|async|pub(?:\([^)]*\))?|public|private|protected|static|readonly|abstract|const|let|mut|var|function\*?|fn|func|def|class|struct|enum|type|interface|trait|mod|get|set)\s+)+/;
/** What comes after the name of a declaration, a member or an argument. */
const AFTER_NAME =
  /^(?:=|=>|:|Equals|AssignOp|Parameters|TypeAnnotation|TypeDef|Block|\w*Body|\w+List)$/;

function keyOf(kind: Kind, parts: readonly Part[], text: string): string | undefined {
  const [first, second] = parts as [Part, Part?];
  switch (kind) {
    case 'fixed':
      return undefined;
    case 'cases':
      return first.text;
    case 'branches':
      return text.slice(0, (parts.at(-1)?.from ?? 0) - first.from).trim();
    case 'chain':
      return first.text === '.' ? callKey(`.${second?.text}`, parts.at(-1)) : text;
    default:
      return importKey(first, text) ?? memberKey(first, text) ?? nameOf(kind, parts, text);
  }
}

function nameOf(kind: Kind, parts: readonly Part[], text: string): string | undefined {
  const [first] = parts as [Part];
  const inner = innermost(first);
  if (/^Call/.test(inner.type)) {
    const list = inner.children.at(-1) ?? inner;
    return callKey(inner.text.slice(0, list.from - inner.from), list);
  }
  const named = parts.length > 1 ? parts : inner.children;
  const after = named.find(({ type }, at) => at > 0 && AFTER_NAME.test(type));
  if (after !== undefined)
    return text
      .slice(0, after.from - first.from)
      .trim()
      .replace(MODIFIERS, '');
  // A record, by what it begins with.
  if (COLLECTION.test(first.type)) {
    const list = listOf(first);
    const inside = list.kind === 'fixed' ? listOf(first.children.at(-1) ?? first) : list;
    return `[${inside.items[0]?.text}`;
  }
  const isName = kind === 'members' ? /^\w[\w ]*$/ : /^[A-Z]\w*$/;
  return LITERAL.test(inner.type) || isName.test(text) ? text : undefined;
}

/** A call by what it is about: `test('adds'`, `.option("name"`. Of two patterns the first one wins. */
function callKey(callee: string, list: Part | undefined): string | undefined {
  const word = list?.children.find(({ type }, at) => at === 1 && type === 'String');
  return word === undefined || /[:*\\^$?]/.test(word.text) ? undefined : `${callee}(${word.text}`;
}

function importKey({ type, children }: Part, text: string): string | undefined {
  if (!/^(?:Import|Use)/.test(type)) return undefined;
  const module = children.find((it) => it.type === 'String')?.text;
  return `import ${module ?? /^from\s+\S+/.exec(text)?.[0] ?? text.replace(/\{[\s\S]*/, '')}`;
}

/** Of Go, where a type comes after the name, and a receiver before it. */
function memberKey({ type, children }: Part, text: string): string | undefined {
  if (type === 'MethodDecl') return /^func\s*\([^)]*\)\s*\w+/.exec(text)?.[0];
  return /^(?:FieldDecl|VarSpec|ConstSpec|MethodElem)$/.test(type) ? children[0]?.text : undefined;
}

/** A statement, an exported declaration or an attributed one is known by what is in it. */
function innermost(part: Part): Part {
  const isShell = /^(?:Export|Decorated|Attribute|Expression|Element$)/.test(part.type);
  const inner = part.children.findLast(({ type }) => !SEPARATOR.test(type));
  const isWhole = inner && (inner.children.length > 0 || part.children.length === 1);
  return isShell && isWhole ? innermost(inner) : part;
}
