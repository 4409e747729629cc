/**
 * Changes one value in a JSON text and leaves every other character as it is. (The edits of
 * jsonc-parser lay out anew whatever shares a line with the change.)
 */
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';

type KeyPath = readonly [string, ...string[]];

/** A line that fits in this many columns stays one line. */
const WIDTH = 80;

/**
 * Sets the value at a path of object keys, and makes the objects on the way that are missing.
 *
 * @param text valid JSON whose root is an object, and so is everything on the path.
 */
export function setValue(text: string, path: KeyPath, value: unknown): string {
  const root = parseTree(text);
  const present = root && findNodeAtLocation(root, [...path]);
  if (present !== undefined) {
    return spliced(text, present, written(value, indentAt(text, present), layoutOf(text)));
  }
  const key = path.at(-1) ?? '';
  const [first, ...rest] = path.slice(0, -1);
  const parent = root && findNodeAtLocation(root, path.slice(0, -1));
  if (parent !== undefined) return withMember(text, parent, key, value);
  return first === undefined ? text : setValue(text, [first, ...rest], { [key]: value });
}

/** Removes the key at a path; the text comes back as it was if there is none. */
export function removeKey(text: string, path: KeyPath): string {
  const root = parseTree(text);
  const member = root && findNodeAtLocation(root, [...path])?.parent;
  if (member?.parent === undefined) return text;
  const siblings = member.parent.children ?? [];
  const index = siblings.indexOf(member);
  const next = siblings[index + 1];
  const previous = siblings[index - 1];
  if (next !== undefined) return text.slice(0, member.offset) + text.slice(next.offset);
  if (previous !== undefined) return text.slice(0, endOf(previous)) + text.slice(endOf(member));
  return spliced(text, member.parent, '{}');
}

function withMember(text: string, object: Node, key: string, value: unknown): string {
  const layout = layoutOf(text);
  const last = object.children?.at(-1);
  if (last === undefined) {
    return spliced(text, object, written({ [key]: value }, indentAt(text, object), layout));
  }
  const indent = indentAt(text, last);
  const alone = text.slice(lineStart(text, last.offset), last.offset) === indent;
  const member = alone
    ? `,${layout.eol}${indent}${JSON.stringify(key)}: ${written(value, indent, layout)}`
    : `, ${JSON.stringify(key)}: ${inline(value)}`;
  return text.slice(0, endOf(last)) + member + text.slice(endOf(last));
}

const spliced = (text: string, node: Node, content: string): string =>
  text.slice(0, node.offset) + content + text.slice(endOf(node));

const endOf = (node: Node): number => node.offset + node.length;

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** The white space that the line of a node begins with. */
function indentAt(text: string, node: Node): string {
  return /^[\t ]*/.exec(text.slice(lineStart(text, node.offset), node.offset))?.[0] ?? '';
}

interface Layout {
  readonly step: string;
  readonly eol: string;
}

/** The indentation and line ends that the text uses already. */
function layoutOf(text: string): Layout {
  const step = /\n([\t ]+)\S/.exec(text)?.[1] ?? '  ';
  return { step, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Lists of plain values on one line where they fit, everything else opened up. */
function written(value: unknown, indent: string, layout: Layout): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = indent + layout.step;
  if (Array.isArray(value)) {
    const short = inline(value);
    const plain = value.every((item) => typeof item !== 'object' || item === null);
    if (plain && indent.length + short.length <= WIDTH) return short;
    const items = value.map((item) => inner + written(item, inner, layout));
    return `[${layout.eol}${items.join(`,${layout.eol}`)}${layout.eol}${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${written(member, inner, layout)}`,
  );
  if (members.length === 0) return '{}';
  return `{${layout.eol}${members.join(`,${layout.eol}`)}${layout.eol}${indent}}`;
}

function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
