/** Redirections of a command's input and output. The text of a written file is recorded: it may be run later. */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Redirect, Redirection } from 'unbash';
import { noteWrites } from '../guard/guarded-writes.ts';
import type { Frame, Output } from '../reader.ts';
import { concatenated, distinct, isKnown, isWhollyUnknown, quoted, UNKNOWN } from './unknown.ts';
import { textOf, textOfParts } from './words.ts';

/**
 * Runs a command, or a group of them, with its input and output redirected.
 *
 * @param last how long they hold: after `exec`, for all that follows.
 */
export function withRedirections(
  redirections: readonly Redirection[],
  frame: Frame,
  run: (frame: Frame) => Output,
  last: 'command' | 'shell' = 'command',
): Output {
  if (redirections.length === 0) return run(frame);
  const { state } = frame;
  const { inputs, outputs } = state;
  state.inputs = new Map(inputs);
  state.outputs = new Map(outputs);
  const output = redirected(redirections, frame, run);
  if (last === 'command') Object.assign(state, { inputs, outputs });
  return output;
}

function redirected(
  redirections: readonly Redirection[],
  frame: Frame,
  run: (frame: Frame) => Output,
): Output {
  let { stdin, input: file } = frame;
  const writes: Written[] = [];
  for (const redirection of redirections) {
    const input = inputOf(redirection, frame);
    if (!input) writes.push(...openOutput(redirection, frame));
    else {
      const number = descriptorOf(redirection);
      frame.state.inputs.set(number, input);
      if (number === 0) [stdin, file] = [input, fileOf(redirection, frame)];
    }
  }
  const outputIsUsed = frame.outputIsUsed || writes.length > 0;
  const output = run({ ...frame, stdin, input: file, outputIsUsed });
  for (const { paths, append } of writes) write(paths, () => output, append, frame);
  return writes.length > 0 ? [''] : output;
}

interface Written {
  readonly paths: readonly string[];
  readonly append: boolean;
}

function openOutput(redirection: Redirection, frame: Frame): readonly Written[] {
  if (redirection.type !== 'Redirect') return [];
  const { operator } = redirection;
  const paths = outputsOf(redirection, frame);
  // Any descriptor counts: `2> file` truncates the file as well.
  if (operator.includes('>')) noteWrites(paths, [], frame);
  frame.state.outputs.set(descriptorOf(redirection, 1), paths);
  return isOutput(redirection) ? [{ paths, append: operator.includes('>>') }] : [];
}

function isOutput(redirection: Redirect): boolean {
  const { operator } = redirection;
  return operator.startsWith('&>') || (operator[0] === '>' && descriptorOf(redirection, 1) === 1);
}

/** The texts that a descriptor reads, if the redirection sets that. */
function inputOf(redirection: Redirection, frame: Frame): (() => Output) | undefined {
  if (redirection.type !== 'Redirect') {
    const texts = hereText(redirection, frame);
    return () => texts;
  }
  const { operator } = redirection;
  if (!operator.startsWith('<')) return undefined;
  const names = targetsOf(redirection, frame);
  if (operator === '<&') {
    const sources = names.map((it) => frame.state.inputs.get(Number(it)));
    return () => sources.flatMap((source) => source?.() ?? [UNKNOWN]);
  }
  return () => names.flatMap((name) => fileTexts(name, frame) ?? [UNKNOWN]);
}

/** The paths that are written; for `>&3`, those that descriptor 3 leads to. */
function outputsOf(redirection: Redirect, frame: Frame): readonly string[] {
  const names = targetsOf(redirection, frame);
  if (redirection.operator !== '>&') return names;
  return names.flatMap((it) =>
    /^\d+$/.test(it) ? (frame.state.outputs.get(Number(it)) ?? []) : it,
  );
}

const fileOf = (it: Redirection, frame: Frame): Output =>
  it.type === 'Redirect' && it.operator === '<' ? targetsOf(it, frame) : [];

const targetsOf = ({ target }: Redirect, frame: Frame): Output =>
  target ? textOf(target, frame) : [];

function hereText(redirection: Exclude<Redirection, Redirect>, frame: Frame): Output {
  if (redirection.type === 'HereString') {
    const texts = redirection.target ? textOf(redirection.target, frame) : [''];
    return texts.map((it) => `${it}\n`);
  }
  const { body, delimiter, operator } = redirection;
  const texts = delimiter?.quoted
    ? [body.text]
    : body.parts
      ? textOfParts(body.parts, frame)
      : [body.text.replace(/\\([\\$`\n])/g, (_, char) => (char === '\n' ? '' : char))];
  return operator === '<<-' ? texts.map((it) => it.replace(/^\t+/gm, '')) : texts;
}

function descriptorOf({ descriptor }: Redirection, fallback = 0): number {
  if (!descriptor) return fallback;
  return descriptor.type === 'FileDescriptor' ? descriptor.value : -1;
}

/**
 * Absolute paths that a file name may mean, one for each possible working directory. In an unknown folder
 * a name stands for itself: what the command writes there is read where it uses the same name.
 */
export function pathsOf(name: string, frame: Frame): readonly string[] {
  if (isWhollyUnknown(name) || name === '') return [];
  if (!isKnown(name)) return [quoted(name)];
  if (isAbsolute(name)) return [resolve(name)];
  return frame.state.directories.map((it) =>
    it === undefined ? `${UNKNOWN}/${name}` : resolve(it, name),
  );
}

/** The texts a file may have: as the command wrote it, else as it is on disk; `undefined` if it is not readable. */
export function fileTexts(name: string, frame: Frame): Output | undefined {
  const written = name.startsWith('/dev/fd/') ? frame.reader.written(name) : undefined;
  if (written) return written;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/([1-9]\d*)$/.exec(name) ?? [];
  const input = number === undefined ? undefined : frame.state.inputs.get(Number(number));
  if (input) return input();
  if (name === '/dev/stdin' || name === '/dev/fd/0' || name === '/proc/self/fd/0') {
    return frame.stdin();
  }
  for (const path of pathsOf(name, frame)) {
    const own = frame.reader.written(path);
    if (own) return own;
    const text = isKnown(path) ? frame.reader.context.readFile(path) : undefined;
    if (text !== undefined) return [text];
  }
  return undefined;
}

const MOST_PARENTS = 8;

export function nearest<T>(
  frame: Frame,
  find: (directory: string) => T | undefined,
): T | undefined {
  let [directory] = frame.state.directories;
  for (let level = 0; directory !== undefined && level < MOST_PARENTS; level += 1) {
    const found = find(directory);
    if (found !== undefined) return found;
    const parent = dirname(directory);
    directory = parent === directory ? undefined : parent;
  }
  return undefined;
}

/** Records that a file now contains one of these texts, or ends with one of them. */
export function write(
  names: readonly string[],
  texts: () => Output,
  append: boolean,
  frame: Frame,
): void {
  for (const path of names.flatMap((name) => pathsOf(name, frame))) {
    // This is a device, or the number of a descriptor: `>&2`.
    // `/dev/shm` holds ordinary files, in memory.
    if (/^\/dev\/(?!shm\/)/.test(path)) continue;
    const before = frame.reader.written(path);
    const start = (): Output => before ?? [frame.reader.context.readFile(path) ?? ''];
    const whole = (): Output => distinct(concatenated(start(), texts()));
    // Two unknown names may be the same text and yet name two files.
    const either = (): Output => [...(before ?? []), ...texts()];
    frame.reader.write(path, !isKnown(path) ? either : append ? whole : texts);
  }
}
