/** Assignments: of a text, of an element, of an array, for one command or for all that follow. */
import type { Assignment, Word } from 'unbash';
import type { Frame, Output } from '../reader.ts';
import { lookUp } from './parameter.ts';
import { concatenated, isKnown, plain, UNKNOWN, UNKNOWN_ARRAY, type Value } from './unknown.ts';
import { combine, fieldsOf, inSequence, textOf } from './words.ts';

/** `a=(x y)` and `a=x` among the arguments of `declare` and the like. */
export function declared(item: Assignment, frame: Frame): readonly (readonly string[])[] {
  const { name } = item;
  assign(item, frame);
  return lookUp(name, frame).map((list) => [`${name}=${list.join(' ')}`]);
}

/** Variables set for one command only: they are there while it runs, and gone afterwards. */
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
  const name = node.name;
  if (node.value.type === 'ArrayValue') {
    const lists = arrayOf(node.value.elements, frame);
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
    variables.set(name, UNKNOWN_ARRAY);
  }
}

/** What is in an array with keys of its own is not followed. */
const arrayOf = (elements: readonly Word[], frame: Frame): Value =>
  elements.some(({ text }) => /^\[.*\]=/s.test(text))
    ? UNKNOWN_ARRAY
    : inSequence(elements, (it) => fieldsOf(it, frame));
