/**
 * Edits JSON as text: what is not edited keeps every byte, its indentation and line ends included.
 *
 * A key that occurs twice means its last value, as for `JSON.parse`, hence for the agents.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { ExplainedError } from '../errors.ts';

export type { Node };

export class SettingsFileError extends ExplainedError {
  override readonly code = 'SETTINGS_FILE';
}

const BYTE_ORDER_MARK = '\uFEFF';

/** @throws {SettingsFileError} with the position, if the text is not one plain JSON object. */
export function parseSettings(file: string, text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(withoutMark(text), errors, { disallowComments: true });
  const [error] = errors;
  if (error || !root || !isJson(text)) {
    const what = error ? inWords(printParseErrorCode(error.error)) : 'it cannot be read';
    const where = error ? ` at ${position(text, error.offset)}` : '';
    throw new SettingsFileError(`${file} is not plain JSON: ${what}${where}`, {
      hint: 'correct the file: the agent ignores all of it as it is',
    });
  }
  if (root.type !== 'object') throw misshaped(file, text, root, 'the settings', 'an object');
  return root;
}

export function misshaped(
  file: string,
  text: string,
  node: Node,
  name: string,
  wanted: string,
): SettingsFileError {
  const where = position(text, node.offset);
  return new SettingsFileError(`${file}: ${name} at ${where} should be ${wanted}`, {
    hint: 'correct the file: the agent ignores all of it as it is',
  });
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

/** Returns the text with one more member at the end of an object. */
export function addMember(text: string, object: Node, key: string, value: unknown): string {
  return addLast(text, object, (gap) => `${JSON.stringify(key)}:${gap}`, value);
}

/** Returns the text with one more element at the end of an array. */
export function addElement(text: string, array: Node, value: unknown): string {
  return addLast(text, array, () => '', value);
}

function addLast(
  text: string,
  container: Node,
  prefix: (gap: string) => string,
  value: unknown,
): string {
  const body = withoutMark(text);
  const style = styleOf(body);
  const last = container.children?.at(-1);
  const start = container.offset + 1;
  const close = container.offset + container.length - 1;
  const indent = last
    ? indentOf(body, last)
    : hasLines(body, container)
      ? lineIndent(body, container.offset) + style.unit
      : undefined;

  if (indent === undefined) {
    const gap = /[:,]\s/.test(body) ? ' ' : '';
    const added = prefix(gap) + JSON.stringify(value);
    return splice(
      text,
      last ? endOf(last) : start,
      last ? 0 : close - start,
      (last ? `,${gap}` : '') + added,
    );
  }
  const lines = JSON.stringify(value, null, style.unit).replaceAll('\n', style.eol + indent);
  const added = `${style.eol}${indent}${prefix(' ')}${lines}`;
  if (last) return splice(text, endOf(last), 0, `,${added}`);
  const after = style.eol + lineIndent(body, container.offset);
  return splice(text, start, close - start, added + after);
}

/** Returns the text without one child of an object or array, and without the comma it needed. */
export function removeChild(text: string, container: Node, child: Node): string {
  const siblings = container.children ?? [];
  const index = siblings.indexOf(child);
  const before = siblings[index - 1];
  const after = siblings[index + 1];
  if (before) return splice(text, endOf(before), endOf(child) - endOf(before), '');
  if (after) return splice(text, child.offset, after.offset - child.offset, '');
  return splice(text, container.offset + 1, container.length - 2, '');
}

const endOf = (node: Node): number => node.offset + node.length;

/** Indentation of a child that begins its line; `undefined` if it stands behind something. */
function indentOf(text: string, child: Node): string | undefined {
  const indent = lineIndent(text, child.offset);
  const lineStart = text.lastIndexOf('\n', child.offset - 1) + 1;
  return lineStart > 0 && lineStart + indent.length === child.offset ? indent : undefined;
}

/** The root of a file is always laid out in lines, anything else when the file is. */
function hasLines(text: string, container: Node): boolean {
  return container.parent === undefined || text.trim().includes('\n');
}

function lineIndent(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? '';
}

function styleOf(text: string): { readonly eol: string; readonly unit: string } {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /\n(\t| +)\S/.exec(text)?.[1] ?? '  ';
  return { eol, unit };
}

/** Offsets count from behind a byte order mark. */
function splice(text: string, offset: number, removed: number, added: string): string {
  const start = offset + text.length - withoutMark(text).length;
  return text.slice(0, start) + added + text.slice(start + removed);
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(withoutMark(text));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function position(text: string, offset: number): string {
  const before = withoutMark(text).slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `CloseBraceExpected` as `close brace expected`. */
function inWords(code: string): string {
  if (code === 'InvalidCommentToken') return 'a comment';
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
