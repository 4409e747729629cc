/**
 * Hooks in a JSON settings file of the shape `{"hooks": {"<Event>": [{"matcher": …, "hooks":
 * [{…}]}]}}`. Ours are in groups of their own, behind everything that is there. Works on text:
 * reads and writes no file.
 */
import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, type ParseError, printParseErrorCode } from 'jsonc-parser';
import type { InstalledHook, Plan, SettingsEditor, WantedHook } from '../agents/install.ts';
import { parsedJson } from '../text/json.ts';
import {
  addElement,
  addMember,
  elementsOf,
  jsonTree,
  memberOf,
  type Node,
  removeChild,
  valueAt,
  withoutByteOrderMark,
} from '../text/json-text.ts';
import { SettingsFileError } from './files.ts';
import { isShim } from './hook-shim.ts';

export const jsonHooks: SettingsEditor = {
  plan,
  withoutOurs,
  find: (file, text) => (isBlank(text) ? [] : findOurs(parseSettings(file, text))),
};

function plan(
  file: string,
  { current, bare }: { readonly current: string | undefined; readonly bare: string | undefined },
  wanted: readonly WantedHook[],
): Plan {
  const found = isBlank(current) ? [] : findOurs(parseSettings(file, current));
  if (current !== undefined && isCurrent(found, wanted)) return { state: 'current', text: current };
  const text = withHooks(file, isBlank(bare) ? '{}\n' : bare, wanted);
  return { state: found.length === 0 ? 'new' : 'upgrade', text };
}

function isBlank(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === '';
}

/** An entry of ours, its place in the tree, and the group around it. */
interface FoundHook extends InstalledHook {
  readonly group: Node;
  readonly node: Node;
}

function findOurs(root: Node): FoundHook[] {
  const hooks = valueAt(root, 'hooks');
  const events = (hooks?.type === 'object' ? hooks.children : undefined) ?? [];
  return events.flatMap((member) => {
    const [key, groups] = member.children ?? [];
    return elementsOf(groups).flatMap((group) =>
      elementsOf(valueAt(group, 'hooks'))
        .filter((node) => isOurs(getNodeValue(node)))
        .map((node) => ({
          event: String(key?.value),
          matcher: valueAt(group, 'matcher')?.value,
          // The parser's objects have no prototype, and would not equal others.
          entry: structuredClone(getNodeValue(node)),
          group,
          node,
        })),
    );
  });
}

function isOurs(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'args' in entry && isShim(entry.args);
}

export function isCurrent(found: readonly InstalledHook[], wanted: readonly WantedHook[]): boolean {
  const isThere = ({ event, matcher, entry }: WantedHook): boolean =>
    found.some(
      (it) => it.event === event && it.matcher === matcher && isDeepStrictEqual(it.entry, entry),
    );
  return found.length === wanted.length && wanted.every(isThere);
}

function withHooks(file: string, text: string, wanted: readonly WantedHook[]): string {
  return wanted.reduce((current, hook) => withHook(file, current, hook), text);
}

function withHook(file: string, text: string, { event, matcher, entry }: WantedHook): string {
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [entry] };
  const root = parseSettings(file, text);
  const hooks = valueAt(root, 'hooks');
  if (!hooks) return addMember(text, root, 'hooks', { [event]: [group] });
  if (hooks.type !== 'object') throw misshaped(file, text, hooks, '`hooks`', 'an object');
  const groups = valueAt(hooks, event);
  if (!groups) return addMember(text, hooks, event, [group]);
  if (groups.type !== 'array') throw misshaped(file, text, groups, `\`hooks.${event}\``, 'a list');
  return addElement(text, groups, group);
}

/** Empty lists that were there before stay, as far as `original` tells. */
function withoutOurs(file: string, text: string, original?: string): string {
  if (isBlank(text)) return text;
  let current = text;
  for (;;) {
    const root = parseSettings(file, current);
    const [ours] = findOurs(root);
    if (!ours) return current === text ? text : withoutEmptyHooks(file, current, original);
    current = withoutEntry(file, current, root, ours, original);
  }
}

function withoutEntry(
  file: string,
  text: string,
  root: Node,
  { event, group, node }: FoundHook,
  original: string | undefined,
): string {
  const list = valueAt(group, 'hooks');
  if (list && elementsOf(list).length > 1) return removeChild(text, list, node);
  const hooks = valueAt(root, 'hooks');
  const member = hooks?.children?.find((it) => it.children?.[1] === group.parent);
  const groups = member?.children?.[1];
  if (!hooks || !member || !groups) throw new Error(`${file}: an entry stands outside \`hooks\``);
  if (elementsOf(groups).length > 1 || existed(file, original, 'hooks', event)) {
    return removeChild(text, groups, group);
  }
  return removeChild(text, hooks, member);
}

function withoutEmptyHooks(file: string, text: string, original: string | undefined): string {
  const root = parseSettings(file, text);
  const member = memberOf(root, 'hooks');
  const isEmpty = member?.children?.[1]?.children?.length === 0;
  return member && isEmpty && !existed(file, original, 'hooks')
    ? removeChild(text, root, member)
    : text;
}

function existed(file: string, original: string | undefined, ...path: readonly string[]): boolean {
  if (isBlank(original)) return false;
  let node: Node | undefined = parseSettings(file, original);
  for (const key of path) node = valueAt(node, key);
  return node !== undefined;
}

/** @throws {SettingsFileError} with the position, if the text is not one plain JSON object. */
function parseSettings(file: string, text: string): Node {
  const errors: ParseError[] = [];
  const root = jsonTree(text, errors, { disallowComments: true });
  const [error] = errors;
  if (error || !root || parsedJson(withoutByteOrderMark(text)) === undefined) {
    const what = error ? inWords(printParseErrorCode(error.error)) : 'it cannot be read';
    const where = error ? ` at ${position(text, error.offset)}` : '';
    throw new SettingsFileError(`${file} is not plain JSON: ${what}${where}`, {
      hint: 'correct the file: the agent ignores all of it as it is',
    });
  }
  if (root.type !== 'object') throw misshaped(file, text, root, 'the settings', 'an object');
  return root;
}

function misshaped(
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

function position(text: string, offset: number): string {
  const before = withoutByteOrderMark(text).slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `CloseBraceExpected` as `close brace expected`. */
function inWords(code: string): string {
  if (code === 'InvalidCommentToken') return 'a comment';
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
