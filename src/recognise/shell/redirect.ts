/**
 * Redirections of a command's input and output. The text of a file that the command writes is
 * recorded, since it may be run later.
 */
import { isAbsolute, resolve } from 'node:path';
import type { Redirect, Redirection } from 'unbash';
import { noteWrites } from '../guard/guarded-writes.ts';
import type { Frame, Output } from '../reader.ts';
import { concatenated, distinct, isKnown, UNKNOWN } from './unknown.ts';
import { textOf, textOfParts } from './words.ts';

/** Runs a command, or a group of them, with its input and output redirected. */
export function withRedirections(
  redirections: readonly Redirection[],
  frame: Frame,
  run: (frame: Frame) => Output,
): Output {
  if (redirections.length === 0) return run(frame);
  let { stdin } = frame;
  const writes: { readonly paths: readonly string[]; readonly append: boolean }[] = [];
  for (const redirection of redirections) {
    const input = inputOf(redirection, frame);
    if (input) stdin = input;
    else if (redirection.type === 'Redirect') {
      const { operator } = redirection;
      const paths = targetsOf(redirection, frame);
      // For any descriptor: `2> file` truncates the file as well.
      if (operator.includes('>')) noteWrites(paths, [], frame);
      if (isOutput(redirection)) writes.push({ paths, append: operator.includes('>>') });
    }
  }
  const outputIsUsed = frame.outputIsUsed || writes.length > 0;
  const output = run({ ...frame, stdin, outputIsUsed });
  for (const { paths, append } of writes) write(paths, () => output, append, frame);
  return writes.length > 0 ? [''] : output;
}

function isOutput(redirection: Redirect): boolean {
  const { operator } = redirection;
  return operator.startsWith('&>') || (operator[0] === '>' && descriptorOf(redirection, 1) === 1);
}

/**
 * The new standard input, if the redirection sets it. Here-documents for other descriptors are
 * expanded too.
 */
function inputOf(redirection: Redirection, frame: Frame): (() => Output) | undefined {
  if (redirection.type !== 'Redirect') {
    const texts = hereText(redirection, frame);
    return descriptorOf(redirection) === 0 ? () => texts : undefined;
  }
  if (!redirection.operator.startsWith('<') || descriptorOf(redirection) !== 0) return undefined;
  const names = targetsOf(redirection, frame);
  return () => names.flatMap((name) => fileTexts(name, frame) ?? [UNKNOWN]);
}

function targetsOf({ target }: Redirect, frame: Frame): readonly string[] {
  return target ? textOf(target, frame) : [];
}

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

/** Absolute paths that a file name may mean, one for each possible working directory. */
export function pathsOf(name: string, frame: Frame): readonly string[] {
  if (!isKnown(name) || name === '') return [];
  if (isAbsolute(name)) return [resolve(name)];
  return frame.state.directories
    .filter((directory) => directory !== undefined)
    .map((directory) => resolve(directory, name));
}

/**
 * The texts a file may have: as the command wrote it, else as it is on disk; `undefined` if it is
 * not readable.
 */
export function fileTexts(name: string, frame: Frame): Output | undefined {
  const written = name.startsWith('/dev/fd/') ? frame.reader.written(name) : undefined;
  if (written) return written;
  if (name === '/dev/stdin' || name === '/dev/fd/0' || name === '/proc/self/fd/0') {
    return frame.stdin();
  }
  for (const path of pathsOf(name, frame)) {
    const own = frame.reader.written(path);
    if (own) return own;
    const text = frame.reader.context.readFile(path);
    if (text !== undefined) return [text];
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
    // A device, or the number of a descriptor: `>&2`.
    if (isDevice(path)) continue;
    const before = append ? frame.reader.written(path) : undefined;
    const start = (): Output => before ?? [frame.reader.context.readFile(path) ?? ''];
    const whole = (): Output => distinct(concatenated(start(), texts()));
    frame.reader.write(path, append ? whole : texts);
  }
}

/** `/dev/shm` holds ordinary files, in memory. */
const isDevice = (path: string): boolean =>
  path.startsWith('/dev/') && !path.startsWith('/dev/shm/');
