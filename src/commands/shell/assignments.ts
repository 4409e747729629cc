/** Assignments of a text, an element or an array, for one command or for all that follow. */
import type { Assignment, Word } from 'unbash';
import type { Frame, Output } from '../reader.ts';
import { lookUp } from './parameter.ts';
import {
  concatenated,
  isKnown,
  plain,
  quoted,
  UNKNOWN,
  UNKNOWN_ARRAY,
  type Value,
} from './unknown.ts';
import { combine, fieldsOf, inSequence, textOf } from './words.ts';

/** `a=(x y)` and `a=x` among the arguments of `declare` and the like. */
export function declared(
  item: Assignment,
  refers: boolean,
  frame: Frame,
): readonly (readonly string[])[] {
  const { name, value } = item;
  // `declare -n name=other` sets what the name means, not what it holds.
  if (refers && value.type === 'Word') return textOf(value, frame).map((it) => [`${name}=${it}`]);
  if (refers) return [];
  assign(item, frame);
  return lookUp(name, frame).map((list) => [`${name}=${list.join(' ')}`]);
}

/** Runs one command with variables that are set for it alone. */
export function withAssignments(
  assignments: readonly Assignment[],
  frame: Frame,
  run: () => Output,
): Output {
  if (assignments.length === 0) return run();
  const { variables } = frame.state;
  const before = assignments.map(({ name }) => [name, variables.get(name)] as const);
  for (const assignment of assignments) assign(assignment, frame);
  const output = run();
  for (const [name, value] of before) {
    if (value) frame.state.variables.set(name, value);
    else frame.state.variables.delete(name);
  }
  return output;
}

export function assign(node: Assignment, frame: Frame): void {
  const { variables } = frame.state;
  const name = frame.state.nameOf(node.name);
  if (node.value.type === 'ArrayValue') {
    const lists = arrayOf(node.value.elements, name, frame);
    const before = node.append ? lookUp(name, frame) : undefined;
    variables.set(name, before ? before.flatMap((head) => combine([head], lists)) : lists);
    return;
  }
  const texts = textOf(node.value, frame);
  if (node.index) {
    assignElement(name, node.index, texts, frame);
    return;
  }
  if (!node.append) {
    variables.set(name, plain(texts));
    return;
  }
  const old = lookUp(name, frame).map((list) => list[0] ?? '');
  const known = variables.has(name) || old.every(isKnown) ? old : [UNKNOWN];
  variables.set(name, plain(concatenated(known, texts)));
}

function assignElement(name: string, index: Word, texts: Output, frame: Frame): void {
  const { variables } = frame.state;
  for (const key of textOf(index, frame)) {
    variables.set(`${name}[${key}]`, plain(texts));
    const lists = /^\d{1,3}$/.test(key) ? (variables.get(name) ?? [[]]) : undefined;
    const withElement = (list: readonly string[], text: string): readonly string[] => {
      const before = Array<string>(Math.max(0, Number(key) - list.length)).fill('');
      return [...list, ...before].toSpliced(Number(key), 1, text);
    };
    const all = lists?.flatMap((list) => texts.map((text) => withElement(list, text)));
    variables.set(name, all ?? UNKNOWN_ARRAY);
  }
}

function arrayOf(elements: readonly Word[], name: string, frame: Frame): Value {
  return inSequence(elements, (element) => {
    const key = elementKey(element.text);
    const fields = fieldsOf(element, frame);
    if (key === undefined) return fields;
    const texts = fields.map((it) => quoted(it.join(' ')).replace(/^.*?\]=/s, ''));
    frame.state.variables.set(`${name}[${key}]`, plain(texts));
    return texts.map((it) => [it]);
  });
}

function elementKey(text: string): string | undefined {
  const end = text.startsWith('[') ? text.indexOf(']=') : -1;
  return end < 0 ? undefined : text.slice(1, end).replace(/^["']|["']$/g, '');
}
