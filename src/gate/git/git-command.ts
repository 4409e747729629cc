/** A git command line, taken apart: which part of git runs, with which words. Pure. */
import type { Word } from '../../recognise/finding.ts';

export interface GitCommand {
  /** `undefined` where only running it would tell; `help` if none is given. */
  readonly subcommand: Word;
  /** What follows the subcommand, options included. */
  readonly words: readonly Word[];
  /** Folders that `-C` names, each from the one before. */
  readonly directories: readonly Word[];
  /** `--git-dir` or `--work-tree` take repository or files from elsewhere. */
  readonly elsewhere: boolean;
}

/** Options of git itself whose value is the next word. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--attr-source',
  '--config-env',
  '--git-dir',
  '--namespace',
  '--super-prefix',
  '--work-tree',
]);

/** `undefined` if the command is not git's. `git-push` is git, too. */
export function gitCommand([program, ...words]: readonly Word[]): GitCommand | undefined {
  const name = program?.slice(program.lastIndexOf('/') + 1);
  const directories: Word[] = [];
  let elsewhere = false;
  if (name?.startsWith('git-')) {
    return { subcommand: name.slice('git-'.length), words, directories, elsewhere };
  }
  if (name !== 'git') return undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined || !word.startsWith('-')) {
      return { subcommand: word, words: words.slice(at + 1), directories, elsewhere };
    }
    if (word === '-C') directories.push(words[at + 1]);
    elsewhere ||= /^--(git-dir|work-tree)(=|$)/.test(word);
    if (WITH_VALUE.has(word)) at += 1;
  }
  return { subcommand: 'help', words: [], directories, elsewhere };
}
