/** An agent has read the instruction files of a project, so what they contain is not repeated to it. */
import { attempt } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';

const RUN = 5;
/** The share of an item's sequences of words that such a file must contain. */
const SAID = 0.8;

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function runsOf(words: readonly string[], length: number): string[] {
  const count = Math.max(0, words.length - length + 1);
  return Array.from({ length: count }, (_, at) => words.slice(at, at + length).join(' '));
}

/** @param files absolute paths, which need not exist. They are read at the first question. */
export function saidIn(files: readonly string[]): (text: string) => boolean {
  let known: { readonly runs: ReadonlySet<string>; readonly all: string } | undefined;
  return (text) => {
    known ??= read(files);
    if (known.all.length === 0) return false;
    const words = wordsIn(text);
    if (words.length < RUN) return words.length > 1 && known.all.includes(` ${words.join(' ')} `);
    const runs = runsOf(words, RUN);
    return runs.filter((it) => known?.runs.has(it)).length >= runs.length * SAID;
  };
}

function read(files: readonly string[]) {
  const texts = files.map((file) => wordsIn(attempt(() => readPlainFile(file)) ?? ''));
  return {
    runs: new Set(texts.flatMap((words) => runsOf(words, RUN))),
    all: texts.flatMap((words) => (words.length === 0 ? [] : [` ${words.join(' ')} `])).join('|'),
  };
}
