/**
 * Walks the tree of a script with the semantics of sh and bash, and hands every simple command that
 * may run to `frame.reader`. Returns what the script may print.
 */
import type {
  AndOr,
  Assignment,
  Case,
  Command,
  CompoundList,
  For,
  If,
  Pipeline,
  PipelineNode,
  Script,
  Select,
  Statement,
  Word,
} from 'unbash';
import { knownProgram } from '../known-programs.ts';
import { LIMITS } from '../limits.ts';
import { type Argv, type Frame, inside, type Output } from '../reader.ts';
import { assign, declared, withAssignments } from './assignments.ts';
import { readExpression } from './parameter.ts';
import { withRedirections } from './redirect.ts';
import { type Directory, type ShellFunction, type ShellState, union } from './shell-state.ts';
import {
  concatenated,
  distinct,
  isKnown,
  plain,
  UNKNOWN,
  UNKNOWN_WORDS,
  type Value,
} from './unknown.ts';
import { fieldsOf, inSequence, textOf } from './words.ts';

const NOTHING: Output = [''];

/** @param source the text that positions index, if its lines are to be named in findings. */
export function walkList(
  { commands }: Script | CompoundList,
  frame: Frame,
  source?: string,
): Output {
  const lines = source?.trim().includes('\n') ? lineCounter(source) : undefined;
  let output = NOTHING;
  for (const statement of commands) {
    if (frame.state.ended) break;
    const path = lines ? [...frame.path, `line ${lines(statement.pos)}`] : frame.path;
    const text = source?.slice(statement.pos, statement.end) ?? frame.statement;
    output = concatenated(output, walkStatement(statement, { ...frame, path, statement: text }));
  }
  return output;
}

/** Line numbers for growing positions, without counting from the start each time. */
function lineCounter(source: string): (position: number) => number {
  let line = 1;
  let from = 0;
  return (position) => {
    for (; from < position; from += 1) if (source.charCodeAt(from) === 10) line += 1;
    return line;
  };
}

function walkStatement(statement: Statement, frame: Frame): Output {
  return statement.background
    ? walkInBackground(statement.command, frame)
    : walkNode(statement.command, frame);
}

/** Reads a command in the background: what follows runs at the same time, and may come first. */
function walkInBackground(node: Parameters<typeof walkNode>[0], frame: Frame): Output {
  const job = { ...frame, state: frame.state.copy() };
  return frame.reader.unordered('until-end', () => walkNode(node, job));
}

function walkNode(node: PipelineNode | AndOr | CompoundList, frame: Frame): Output {
  switch (node.type) {
    case 'AndOr':
      return walkAndOr(node, frame);
    case 'Pipeline':
      return walkPipeline(node, frame);
    case 'CompoundList':
      return walkList(node, frame);
    case 'BraceGroup':
      return walkList(node.body, frame);
    case 'Command':
      return runSimple(node, frame);
    case 'Subshell':
      return walkList(node.body, { ...frame, state: frame.state.copy() });
    case 'Redirected':
      return withRedirections(node.redirects, frame, (within) => walkNode(node.command, within));
    case 'Function':
      frame.state.functions.set(node.name.value, {
        body: node.body,
        source: frame.state.variables.get('BASH_SOURCE'),
      });
      return NOTHING;
    case 'Coproc':
      return walkInBackground(node.body, { ...frame, stdin: () => [UNKNOWN] });
    case 'If':
      return walkIf(node, frame);
    case 'For':
    case 'Select':
      return walkFor(node, frame);
    case 'While':
      return repeated(frame, () => {
        walkList(node.clause, frame);
        return walkList(node.body, frame);
      });
    case 'Case':
      return walkCase(node, frame);
    case 'TestCommand':
    case 'ArithmeticCommand':
      readExpression(node.expression, frame);
      return NOTHING;
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) readExpression(part, frame);
      return repeated(frame, () => walkList(node.body, frame));
  }
}

function walkAndOr(node: AndOr, frame: Frame): Output {
  const { state } = frame;
  let output = NOTHING;
  /** The states in which the list may end early. */
  const exits: ShellState[] = [];
  for (const [at, command] of node.commands.entries()) {
    const before = at === 0 ? undefined : node.operators[at - 1];
    if (before === '||' || (before === '&&' && !isAssumedToSucceed(node.commands[at - 1]))) {
      exits.push(state.copy());
    }
    output = concatenated(output, walkNode(command, frame));
    if (state.ended) break;
  }
  for (const exit of exits) state.join(exit);
  return output;
}

function isAssumedToSucceed(node: PipelineNode | undefined): boolean {
  if (node?.type !== 'Command') return false;
  return !node.name || knownProgram(node.name.value)?.succeeds === true;
}

function walkPipeline(node: Pipeline, frame: Frame): Output {
  const [only] = node.commands;
  if (only && node.commands.length === 1) return walkNode(only, frame);
  let { stdin } = frame;
  let output = NOTHING;
  const last = node.commands.length - 1;
  for (const [at, command] of node.commands.entries()) {
    const state = frame.state.copy();
    if (at > 0) state.inputs.delete(0);
    const outputIsUsed = frame.outputIsUsed || at < last;
    const input = at > 0 ? [] : frame.input;
    output = walkNode(command, { ...frame, state, stdin, input, outputIsUsed });
    const piped = output;
    stdin = () => piped;
  }
  return output;
}

function walkIf(node: If, frame: Frame): Output {
  walkList(node.clause, frame);
  const outputs: string[] = [];
  const ends: ShellState[] = [];
  const arm = (list: CompoundList | undefined): void => {
    const state = frame.state.copy();
    if (list) outputs.push(...walkList(list, { ...frame, state }));
    ends.push(state);
  };
  arm(node.then);
  for (const elif of node.elif) {
    walkList(elif.clause, frame);
    arm(elif.then);
  }
  arm(node.else);
  joinOutcomes(frame.state, ends);
  return outputs;
}

function joinOutcomes(state: ShellState, ends: readonly ShellState[]): void {
  const [first, ...others] = ends;
  if (!first) return;
  for (const other of others) first.join(other);
  state.become(first);
}

function walkFor(node: For | Select, frame: Frame): Output {
  const values = node.wordlist
    ? [...new Set(node.wordlist.flatMap((word) => fieldsOf(word, frame).flat()))]
    : frame.state.parameters.flat();
  // A pattern gives one name more than the limit, which stands for all others.
  const most = LIMITS.files + 1;
  const texts = values.slice(0, most).map((it) => (it === UNKNOWN_WORDS ? UNKNOWN : it));
  if (values.length > most) texts.push(UNKNOWN);
  const name = frame.state.nameOf(node.name.value);
  const turn = (value: Value): Output => {
    if (!frame.reader.step(1, frame)) return NOTHING;
    frame.state.ended = undefined;
    if (value.length > 0) frame.state.variables.set(name, value);
    return walkList(node.body, frame);
  };
  if (texts.length > 0 && texts.length <= MOST_TURNS) {
    return inTurn(
      texts.map((it) => () => turn([[it]])),
      frame,
    );
  }
  return repeated(frame, () => {
    let output: Output = [];
    for (let at = 0; at === 0 || at < texts.length; at += LIMITS.alternatives) {
      output = distinct([...output, ...turn(plain(texts.slice(at, at + LIMITS.alternatives)))]);
    }
    return output;
  });
}

/** A loop with more turns is read in fewer, with several values in each. */
const MOST_TURNS = 8;

/** Reads a loop whose number of turns is not known. */
const repeated = (frame: Frame, body: () => Output): Output =>
  inTurn([() => NOTHING, body, body], frame);

/** Reads turns in sequence: each sees the state that the one before has left, and any may be the last. */
function inTurn(turns: readonly (() => Output)[], frame: Frame): Output {
  const { state } = frame;
  const { inLoop } = state;
  // In a later turn, the commands below this one have run before it.
  return frame.reader.unordered('in-it', () => {
    let output = NOTHING;
    const ends: ShellState[] = [];
    for (const turn of turns) {
      state.inLoop = true;
      output = concatenated(output, turn());
      state.ended = undefined;
      const last = ends.at(-1);
      if (last && state.equals(last)) break;
      ends.push(state.copy());
    }
    joinOutcomes(state, ends.toReversed());
    state.inLoop = inLoop;
    return output;
  });
}

function walkCase(node: Case, frame: Frame): Output {
  const subjects = new Set(textOf(node.word, frame));
  const isSure = OF_PARAMETER.test(node.word.text) && [...subjects].every(isKnown);
  const ends = [frame.state.copy()];
  const outputs: string[] = [''];
  let through: ShellState | undefined;
  for (const item of node.items) {
    const patterns = item.pattern.flatMap((it) => textOf(it, frame));
    if (isSure && !through && !patterns.some((it) => mayMatch(it, subjects))) continue;
    const state = through ?? frame.state.copy();
    outputs.push(...walkList(item.body, { ...frame, state }));
    through = item.terminator === ';&' ? state : undefined;
    if (!through) ends.push(state);
  }
  if (through) ends.push(through);
  joinOutcomes(frame.state, ends);
  return outputs;
}

/** An argument of the call, which no environment sets. */
const OF_PARAMETER = /^"?\$(?:\d|\{\d+(?::?-[\w-]*)?\})"?$/;

/** True if a pattern matches one of the texts, or has a form that is not worked out. */
const mayMatch = (pattern: string, texts: ReadonlySet<string>): boolean =>
  !/^[\w.:@=-]*$/.test(pattern) ||
  [...texts].some((it) => it.toLowerCase() === pattern.toLowerCase());

/** Calls a function that the text defines, with the words of the call as parameters. */
export function callFunction({ body, source }: ShellFunction, argv: Argv, frame: Frame): Output {
  const { state } = frame;
  const caller = state.variables.get('BASH_SOURCE') ?? [[]];
  if (source) state.variables.set('BASH_SOURCE', source);
  const { parameters, mayReturn, inLoop } = state;
  Object.assign(state, { parameters: [argv.slice(1)], mayReturn: true, inLoop: false });
  const output = walkNode(body, inside(frame, `function ${argv[0]}`));
  Object.assign(state, { parameters, mayReturn, inLoop });
  if (state.ended === 'return') state.ended = undefined;
  if (source) state.variables.set('BASH_SOURCE', caller);
  return output;
}

function runSimple(node: Command, outer: Frame): Output {
  if (!outer.reader.step(1, outer)) return NOTHING;
  const opened = outer.state.inputs.get(0);
  const frame = opened ? { ...outer, stdin: opened } : outer;
  const assignments = node.prefix.filter((it): it is Assignment => it.type === 'Assignment');
  if (!node.name) {
    for (const assignment of assignments) assign(assignment, frame);
    // `$(< file)` stands for the content of the file.
    const reads = frame.outputIsUsed && assignments.length === 0;
    return withRedirections(node.redirects, frame, (within) =>
      reads && within.stdin !== frame.stdin ? within.stdin() : NOTHING,
    );
  }
  const argvs = wordsOf(node, frame);
  const run = (within: Frame): Output =>
    withAssignments(assignments, within, () => {
      const { state } = within;
      const { directories } = state;
      let output: readonly string[] = [];
      const before = within.reader.found();
      let ends: readonly Directory[] = [];
      for (const argv of argvs) {
        state.directories = directories;
        output = [...output, ...within.reader.command(argv, within)];
        ends = union(ends, state.directories);
      }
      state.directories = ends;
      if (within.reader.found() === before) {
        const other = { ...within, state: state.copy(directories) };
        for (const argv of wordsIfSet(node, argvs, other)) {
          output = [...output, ...within.reader.command(argv, other)];
        }
      }
      return output.length === 1 ? output : distinct(output);
    });
  const last = node.name.value === 'exec' && node.args.length === 0 ? 'shell' : 'command';
  return withRedirections(node.redirects, frame, run, last);
}

/** The readings of a command in which a variable that nothing sets is set by the start of the shell. */
function wordsIfSet(
  node: Command,
  argvs: readonly (readonly string[])[],
  frame: Frame,
): readonly (readonly string[])[] {
  const text = [node.name, ...node.args].map((it) => it?.text ?? '').join(' ');
  const isOwn = frame.secondReading || frame.openScripts.length > 0;
  if (isOwn || !text.includes('$') || /\$\(|`/.test(text)) return [];
  const state = frame.state.copy();
  state.hasUnknownVariables = true;
  const others = wordsOf(node, { ...frame, state });
  return String(others) === String(argvs) ? [] : others;
}

function wordsOf(node: Command, frame: Frame): readonly (readonly string[])[] {
  const refers = node.args.some((it) => it.type === 'Word' && /^-\w*n/.test(it.text));
  return inSequence([node.name as Word, ...node.args], (item) =>
    item.type === 'Word' ? fieldsOf(item, frame) : declared(item, refers, frame),
  );
}
