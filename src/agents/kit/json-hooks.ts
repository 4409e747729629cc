/**
 * The hooks of lanehold in a JSON file: elements of lists anywhere below the root. The keys of an
 * agent say where the lists are, and what their elements are. Elements of lanehold are found by the
 * shim that they start, and come after all others. Works on text: reads and writes no file.
 */
import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, type ParseError, printParseErrorCode } from 'jsonc-parser';
import { UserFileError } from '../../base/files/user-files.ts';
import { isJsonObject, parsedJson, withoutByteOrderMark } from '../../base/text/json.ts';
import {
  addElement,
  elementsOf,
  jsonTree,
  type KeyPath,
  memberOf,
  type Node,
  removeChild,
  removeKey,
  replaceNode,
  setValue,
  valueAt,
} from '../../base/text/json-text.ts';
import type { FileEditor, InstalledHook, Plan } from '../install.ts';
import { shimAgent, shimInLine } from './hook-shim.ts';

export interface WantedHook {
  /** Keys from the root to the list: `['hooks', 'PreToolUse']`. */
  readonly path: KeyPath;
  /** The element of the list. In it, at any depth, an object has a line of `shimCommandLine` or `scriptCommandLine`. */
  readonly element: object;
}

export interface JsonHooks {
  /** The name of the agent; entries of others in the same file are left alone. */
  readonly agent: string;
  readonly wanted: readonly WantedHook[];
  /** Members that the root needs besides the lists: `{version: 1}`. */
  readonly head?: Readonly<Record<string, unknown>>;
  /** The agent allows comments, and commas before a closing bracket. */
  readonly comments?: boolean;
  /** The key of an element with its event, if that is not the last key of the path. */
  readonly eventKey?: string;
}

/** `{"hooks": {"<event>": [{"matcher": …, "hooks": [entry]}]}}` */
export function inGroup(event: string, entry: object, matcher?: string): WantedHook {
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [entry] };
  return { path: ['hooks', event], element: group };
}

/** `{"hooks": {"<event>": [entry]}}` */
export function inList(event: string, entry: object): WantedHook {
  return { path: ['hooks', event], element: entry };
}

/** A whole file with these hooks alone. */
export function hooksText(wanted: readonly WantedHook[]): string {
  return hooksIn('', { agent: '', wanted }).withHooks('{}\n');
}

export function jsonHooks(hooks: JsonHooks): FileEditor {
  return {
    plan: (file, texts) => hooksIn(file, hooks).plan(texts.current, texts.bare),
    withoutOurs: (file, text, original) => hooksIn(file, hooks).withoutOurs(text, original),
    find: (file, text) => hooksIn(file, hooks).find(text),
  };
}

/** @param file for messages only. */
function hooksIn(file: string, { wanted, head = {}, comments = false, ...whose }: JsonHooks) {
  const ours = (root: Node) => oursIn(root, whose);
  const present = (root: Node, { path, element }: WantedHook): Node | undefined =>
    elementsOf(nodeAt(root, path)).find((it) => equals(it, element));

  /** @throws {UserFileError} with the position, if the text is not one JSON object. */
  function parse(text: string): Node {
    const errors: ParseError[] = [];
    const options = { disallowComments: !comments, allowTrailingComma: comments };
    const root = jsonTree(text, errors, options);
    const [error] = errors;
    const isRead = comments || parsedJson(text) !== undefined;
    if (error || !root || !isRead) {
      const what = error ? inWords(printParseErrorCode(error.error)) : 'it cannot be read';
      const where = error ? ` at ${position(text, error.offset)}` : '';
      throw unusable(`${file} is not plain JSON: ${what}${where}`);
    }
    return shaped(text, root, 'object', 'the settings');
  }

  function shaped(text: string, node: Node, type: 'array' | 'object', name: string): Node {
    if (node.type === type) return node;
    const wish = type === 'array' ? 'a list' : 'an object';
    throw unusable(`${file}: ${name} at ${position(text, node.offset)} should be ${wish}`);
  }

  function plan(current: string | undefined, bare: string | undefined): Plan {
    const start = isBlank(bare) ? '{}\n' : bare;
    if (isBlank(current)) return { state: 'new', text: withHooks(start) };
    const { length } = ours(parse(current));
    const isWhole = length === wanted.length && withHooks(current) === current;
    if (isWhole) return { state: 'current', text: current };
    if (length === 0) return { state: 'new', text: withHooks(start) };
    return { state: 'upgrade', text: withHooks(replaced(current)) };
  }

  /**
   * Updates elements of lanehold in their positions, because some agents identify the hooks of
   * others by position; removes those that are no longer wanted.
   */
  function replaced(text: string): string {
    const counts = new Map<string, number>();
    let current = text;
    for (const { path, element } of wanted) {
      const key = path.join('\n');
      const root = parse(current);
      const at = counts.get(key) ?? 0;
      const there = whollyOurs(root, nodeAt(root, path))[at];
      if (!there) continue;
      counts.set(key, at + 1);
      if (!equals(there, element)) current = replaceNode(current, there, element);
    }
    for (;;) {
      const root = parse(current);
      const kept = wanted.map((it) => present(root, it));
      const surplus = ours(root).find(({ element }) => !kept.includes(outermost(element)));
      if (!surplus) return current;
      current = withoutElement(current, surplus.element, undefined);
    }
  }

  /** Elements of a list that have one entry of lanehold and none of others. */
  function whollyOurs(root: Node, list: Node | undefined): Node[] {
    const own = ours(root).map(({ element }) => element);
    return elementsOf(list).filter((element) => {
      const within = own.filter((it) => outermost(it) === element);
      const group = within[0]?.parent;
      return within.length === 1 && (within[0] === element || group?.children?.length === 1);
    });
  }

  function withHooks(text: string): string {
    let current = text;
    for (const [key, value] of Object.entries(head)) {
      if (!valueAt(parse(current), key)) current = setValue(current, [key], value);
    }
    for (const it of wanted) {
      const root = parse(current);
      if (present(root, it)) continue;
      const list = listAt(current, root, it.path);
      current = list
        ? addElement(current, list, it.element)
        : setValue(current, it.path, [it.element]);
    }
    return current;
  }

  /** The list at a path; `undefined` if there is none yet. @throws {UserFileError} if another value is in its way. */
  function listAt(text: string, root: Node, path: KeyPath): Node | undefined {
    let node: Node | undefined = root;
    for (const [depth, key] of path.entries()) {
      node = valueAt(node, key);
      if (node === undefined) return undefined;
      const name = `\`${path.slice(0, depth + 1).join('.')}\``;
      shaped(text, node, depth === path.length - 1 ? 'array' : 'object', name);
    }
    return node;
  }

  /** Removes the hooks. An empty list that was there before stays, as far as `original` shows it. */
  function withoutOurs(text: string, original: string | undefined): string {
    if (isBlank(text)) return text;
    const before = isBlank(original) ? undefined : parse(original);
    let current = text;
    for (;;) {
      const [first] = ours(parse(current));
      if (!first) return current === text ? text : withoutHead(current, before);
      current = withoutElement(current, first.element, before);
    }
  }

  /** Removes the keys that lanehold's hooks needed at the root, such as a version, unless other hooks need them. */
  function withoutHead(text: string, before: Node | undefined): string {
    const added = Object.keys(head).filter((key) => !memberOf(before, key));
    const names = (parse(text).children ?? []).map(nameOf).filter((it) => !(it in head));
    const isNeeded = names.some((it) => before === undefined || !memberOf(before, it));
    return isNeeded ? text : added.reduce((current, key) => removeKey(current, [key]), text);
  }

  const find = (text: string): readonly InstalledHook[] =>
    isBlank(text) ? [] : ours(parse(text)).map(({ hook }) => hook);

  return { plan, withHooks, withoutOurs, find };
}

function isBlank(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === '';
}

/** The entries of lanehold, each with the element of a list that is or contains it. */
function oursIn(root: Node, hooks: Pick<JsonHooks, 'agent' | 'eventKey'>) {
  const found: { readonly hook: InstalledHook; readonly element: Node }[] = [];
  const visit = (node: Node, element: Node | undefined): void => {
    const start = element && node.type === 'object' ? startOf(getNodeValue(node)) : undefined;
    if (element && start && shimAgent(start.shim) === hooks.agent) {
      const timeout = timeoutOf(node) ?? timeoutOf(element);
      found.push({ element, hook: { event: eventOf(element, hooks.eventKey), timeout, ...start } });
      return;
    }
    for (const child of node.children ?? []) {
      visit(child, node.type === 'array' ? child : element);
    }
  };
  visit(root, undefined);
  return found;
}

function startOf(entry: Readonly<Record<string, unknown>>) {
  for (const value of Object.values(entry)) {
    const shim = typeof value === 'string' ? shimInLine(value) : undefined;
    if (shim !== undefined) return { line: String(value), shim };
  }
  return undefined;
}

function timeoutOf(entry: Node): number | undefined {
  const value = (valueAt(entry, 'timeout') ?? valueAt(entry, 'timeoutSec'))?.value;
  return typeof value === 'number' ? value : undefined;
}

/** The event of an element: the innermost key above it, except keys within a group, such as `hooks`. */
function eventOf(element: Node, eventKey: string | undefined): string {
  const named = eventKey === undefined ? undefined : valueAt(element, eventKey)?.value;
  if (named !== undefined) return String(named);
  const owner = element.parent?.parent?.parent;
  const isInGroup = owner?.parent?.type === 'array';
  return isInGroup
    ? eventOf(owner, eventKey)
    : String(element.parent?.parent?.children?.[0]?.value ?? '');
}

/** Whether an element is as wanted, apart from entries that others have added to a group of lanehold's. */
function equals(node: Node, value: object): boolean {
  // The parser's objects have no prototype, and would not equal others.
  const members = Object.entries<unknown>(structuredClone(getNodeValue(node)) ?? {}).map(
    ([key, it]) => [key, Array.isArray(it) && key === 'hooks' ? it.filter(isOurs) : it],
  );
  return isDeepStrictEqual(Object.fromEntries(members), value);
}

function isOurs(entry: unknown): boolean {
  return isJsonObject(entry) && startOf(entry) !== undefined;
}

function nodeAt(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>(valueAt, root);
}

/** The element of the outermost list around a node. */
function outermost(node: Node): Node {
  let found = node;
  for (let it: Node | undefined = node; it?.parent; it = it.parent) {
    if (it.parent.type === 'array') found = it;
  }
  return found;
}

/** Removes an element, and the lists and objects that only it filled. */
function withoutElement(text: string, element: Node, before: Node | undefined): string {
  let child = element;
  for (let container = child.parent; container; container = child.parent) {
    const isLast = (container.children?.length ?? 0) <= 1;
    // A group is removed with its list, whatever else it has.
    const isGroup = container.type === 'object' && container.parent?.type === 'array';
    const owner = container.parent;
    const stays = !isLast || existed(before, container);
    if (owner === undefined || (stays && !isGroup)) return removeChild(text, container, child);
    // A value is removed with its key.
    child = owner.type === 'property' ? owner : container;
  }
  return text;
}

/** Whether the original has the node's object keys; elements of a list are not looked for. */
function existed(before: Node | undefined, node: Node): boolean {
  const path: string[] = [];
  for (let it = node.parent; it; it = it.parent) {
    if (it.type === 'array') return false;
    if (it.type === 'property') path.unshift(String(it.children?.[0]?.value));
  }
  return before !== undefined && nodeAt(before, path) !== undefined;
}

const nameOf = (member: Node): string => String(member.children?.[0]?.value);

const unusable = (fact: string): UserFileError =>
  new UserFileError(fact, { hint: 'correct the file: the agent ignores all of it as it is' });

function position(text: string, offset: number): string {
  const before = withoutByteOrderMark(text.slice(0, offset)).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `CloseBraceExpected` as `close brace expected`. */
function inWords(code: string): string {
  if (code === 'InvalidCommentToken') return 'a comment';
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
