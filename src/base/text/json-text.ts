/**
 * Edits JSON as text: what is not edited keeps every byte, its indentation and line ends included.
 * (The edits of jsonc-parser change the layout of everything in the line of the change.)
 *
 * A key that occurs twice means its last value, as for `JSON.parse`.
 */
import { type Node, type ParseError, type ParseOptions, parseTree } from 'jsonc-parser';

export type { Node };

export type KeyPath = readonly [string, ...string[]];

/** A line that fits in this many columns stays one line. */
const WIDTH = 80;

/** @param errors gets the errors of the text. */
export function jsonTree(
  text: string,
  errors?: ParseError[],
  options?: ParseOptions,
): Node | undefined {
  // A byte order mark counts as white space.
  return parseTree(text.replace(/^\uFEFF/, ' '), errors, options);
}

/** The last value of a key; `undefined` if there is none, or if the node is no object. */
export function valueAt(node: Node | undefined, key: string): Node | undefined {
  return memberOf(node, key)?.children?.[1];
}

export function memberOf(node: Node | undefined, key: string): Node | undefined {
  if (node?.type !== 'object') return undefined;
  return node.children?.findLast((member) => member.children?.[0]?.value === key);
}

export function elementsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

/**
 * Sets the value at a path of object keys, and makes the objects on the way that are missing.
 *
 * @param text valid JSON whose root is an object, and so is everything on the path.
 */
export function setValue(text: string, path: KeyPath, value: unknown): string {
  const root = jsonTree(text);
  const present = nodeAt(root, path);
  if (present !== undefined) return replaceNode(text, present, value);
  const key = path.at(-1) ?? '';
  const [first, ...rest] = path.slice(0, -1);
  const parent = nodeAt(root, path.slice(0, -1));
  if (parent !== undefined) return addMember(text, parent, key, value);
  return first === undefined ? text : setValue(text, [first, ...rest], { [key]: value });
}

/** Removes the key at a path; the text is unchanged if there is none. */
export function removeKey(text: string, path: KeyPath): string {
  const parent = nodeAt(jsonTree(text), path.slice(0, -1));
  const member = memberOf(parent, path.at(-1) ?? '');
  return parent && member ? removeChild(text, parent, member) : text;
}

function nodeAt(root: Node | undefined, path: readonly string[]): Node | undefined {
  return path.reduce(valueAt, root);
}

/** Returns the text with one value replaced by another, in the same layout. */
export function replaceNode(text: string, node: Node, value: unknown): string {
  const layout = layoutOf(text);
  const isLine = node.parent?.type === 'array' && indentOf(text, node) === undefined;
  const content = isLine
    ? inline(value, layout.gap)
    : written(value, lineIndent(text, node.offset), layout);
  return splice(text, node.offset, node.length, content);
}

export function addMember(text: string, object: Node, key: string, value: unknown): string {
  return addLast(text, object, value, `${JSON.stringify(key)}:`);
}

export function addElement(text: string, array: Node, value: unknown): string {
  return addLast(text, array, value, '');
}

function addLast(text: string, container: Node, value: unknown, key: string): string {
  const layout = layoutOf(text);
  const { gap, step, eol } = layout;
  const last = container.children?.at(-1);
  const outer = lineIndent(text, container.offset);
  // The root of a file is laid out in lines, anything else if the file is.
  const hasLines = container.parent === undefined || text.trim().includes('\n');
  const indent = last ? indentOf(text, last) : hasLines ? outer + step : undefined;

  const named = (space: string, content: string) => (key === '' ? content : key + space + content);
  const added =
    indent === undefined
      ? named(gap, inline(value, gap))
      : `${eol}${indent}${named(' ', written(value, indent, layout))}`;
  if (last) return splice(text, endOf(last), 0, (indent === undefined ? `,${gap}` : ',') + added);
  const end = indent === undefined ? '' : eol + outer;
  const inside = container.offset + 1;
  const comment = text.slice(inside, inside + container.length - 2).trimEnd();
  return splice(text, inside + comment.length, container.length - 2 - comment.length, added + end);
}

/** Returns the text without one child of an object or array, and without the comma it needed. */
export function removeChild(text: string, container: Node, child: Node): string {
  const siblings = container.children ?? [];
  const index = siblings.indexOf(child);
  const before = siblings[index - 1];
  const after = siblings[index + 1];
  const end = endOf(child);
  const left = before ? endOf(before) : container.offset + 1;
  const right = after?.offset ?? container.offset + container.length - 1;
  const isBare = (start: number, until: number) => /^[\s,]*$/.test(text.slice(start, until));
  if (!isBare(end, right) || !isBare(left, child.offset)) {
    return removeBesideComments(text, child, { before, after, left, right });
  }
  if (after) return splice(text, child.offset, right - child.offset, '');
  return splice(text, left, (before ? end : right) - left, '');
}

interface Neighbours {
  readonly before: Node | undefined;
  readonly after: Node | undefined;
  /** Between these offsets there are only the child, commas, space and comments. */
  readonly left: number;
  readonly right: number;
}

function removeBesideComments(
  text: string,
  child: Node,
  { before, after, left, right }: Neighbours,
): string {
  const end = endOf(child);
  const gap = text.slice(left, child.offset);
  const comma = /^\s*,/.exec(text.slice(end, right))?.[0].length ?? 0;
  if (after) return splice(text, child.offset, end + comma - child.offset, '');
  if (before && /^[\s,]*$/.test(gap)) return splice(text, left, end - left, '');
  const until = before && comma === 0 ? end : end + comma;
  // The line of the child is removed, unless a comment would then run on.
  const isLine = /^[ \t]*\r?\n/.test(text.slice(until));
  const start = isLine ? left + gap.trimEnd().length : child.offset;
  const without = splice(text, start, until - start, '');
  const separator = before && comma === 0 ? gap.indexOf(',') : -1;
  return separator === -1 ? without : splice(without, left + separator, 1, '');
}

const endOf = (node: Node): number => node.offset + node.length;

const splice = (text: string, start: number, removed: number, added: string): string =>
  text.slice(0, start) + added + text.slice(start + removed);

/** The indentation of a child that begins its line; `undefined` if it does not. */
function indentOf(text: string, child: Node): string | undefined {
  const indent = lineIndent(text, child.offset);
  const start = lineStart(text, child.offset);
  return start > 0 && start + indent.length === child.offset ? indent : undefined;
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** The white space at the start of a line, up to the offset. */
function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

type Layout = ReturnType<typeof layoutOf>;

/** The layout of the text: one level of indentation, line ends, and the text after `:` and `,`. */
function layoutOf(text: string) {
  return {
    step: /\n(\t| +)\S/.exec(text)?.[1] ?? '  ',
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    gap: /[:,]\s/.test(text) ? ' ' : '',
  };
}

/** The value as text: lists of plain values on one line if they fit, everything else on several. */
function written(value: unknown, indent: string, layout: Layout): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { eol, step } = layout;
  const inner = indent + step;
  if (Array.isArray(value)) {
    const short = inline(value, ' ');
    const plain = value.every((item) => typeof item !== 'object' || item === null);
    if (plain && indent.length + short.length <= WIDTH) return short;
    const items = value.map((item) => inner + written(item, inner, layout));
    return `[${eol}${items.join(`,${eol}`)}${eol}${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${written(member, inner, layout)}`,
  );
  return members.length === 0 ? '{}' : `{${eol}${members.join(`,${eol}`)}${eol}${indent}}`;
}

function inline(value: unknown, gap: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((it) => inline(it, gap)).join(`,${gap}`)}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${gap}${inline(member, gap)}`,
  );
  return members.length === 0 ? '{}' : `{${gap}${members.join(`,${gap}`)}${gap}}`;
}
