/**
 * A simple command of the tree: its assignments, its words, its redirections.
 */
import type { Assignment, Command, Word } from 'unbash';
import type { Frame, Output } from '../reader.ts';
import { lookUp } from './parameter.ts';
import { withRedirections } from './redirect.ts';
import {
  concatenated,
  distinct,
  isKnown,
  plain,
  quoted,
  UNKNOWN,
  UNKNOWN_ARRAY,
  type Value,
} from './unknown.ts';
import { combine, fieldsOf, inSequence, textOf } from './words.ts';

const NOTHING: Output = [''];

export function runSimple(node: Command, outer: Frame): Output {
  if (!outer.reader.step(1, outer)) return NOTHING;
  const opened = outer.state.inputs.get(0);
  const frame = opened ? { ...outer, stdin: opened } : outer;
  const assignments = node.prefix.filter((it): it is Assignment => it.type === 'Assignment');
  if (!node.name) {
    for (const assignment of assignments) assign(assignment, frame);
    // `$(< file)` is what the file holds.
    const reads = frame.outputIsUsed && assignments.length === 0;
    return withRedirections(node.redirects, frame, (within) =>
      reads && within.stdin !== frame.stdin ? within.stdin() : NOTHING,
    );
  }
  const argvs = wordsOf(node, frame);
  const run = (within: Frame): Output =>
    withAssignments(assignments, within, () => {
      let output: readonly string[] = [];
      for (const argv of argvs) output = [...output, ...within.reader.command(argv, within)];
      return output.length === 1 ? output : distinct(output);
    });
  const last = node.name.value === 'exec' && node.args.length === 0 ? 'shell' : 'command';
  return withRedirections(node.redirects, frame, run, last);
}

/** The argument lists that the command may run with. */
function wordsOf(node: Command, frame: Frame): readonly (readonly string[])[] {
  const refers = node.args.some((it) => it.type === 'Word' && /^-\w*n/.test(it.text));
  return inSequence([node.name as Word, ...node.args], (item) => {
    if (item.type === 'Word') return fieldsOf(item, frame);
    return refers ? referring(item, frame) : declared(item, frame);
  });
}

/** `declare -n name=other` sets what the name means, not what it holds. */
function referring({ name, value }: Assignment, frame: Frame): readonly (readonly string[])[] {
  const texts = value.type === 'Word' ? textOf(value, frame) : [];
  return texts.map((text) => [`${name}=${text}`]);
}

/** `a=(x y)` and `a=x` among the arguments of `declare` and the like. */
function declared(item: Assignment, frame: Frame): readonly (readonly string[])[] {
  assign(item, frame);
  const value = lookUp(item.name, frame);
  return value.map((list) => [`${item.name}=${list.join(' ')}`]);
}

/** Variables set for one command only: they are there while it runs, and gone afterwards. */
function withAssignments(
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

function assign(node: Assignment, frame: Frame): void {
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
    const texts = fields.map((it) => afterKey(quoted(it.join(' '))));
    frame.state.variables.set(`${name}[${key}]`, plain(texts));
    return texts.map((it) => [it]);
  });
}

/** The key of an element written `[key]=value`. */
function elementKey(text: string): string | undefined {
  const end = text.startsWith('[') ? text.indexOf(']=') : -1;
  return end < 0 ? undefined : text.slice(1, end).replace(/^["']|["']$/g, '');
}

function afterKey(text: string): string {
  return text.slice(text.indexOf(']=') + 2);
}
