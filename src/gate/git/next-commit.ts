/** What a commit takes that is made earlier in the same command as a boundary. Pure. */
import { join, resolve } from 'node:path';
import { isWithin } from '../../git/paths.ts';
import type { Preceding, Word } from '../../recognise/finding.ts';
import { type GitCommand, gitCommand } from './git-command.ts';

/** What it takes besides what is staged already. */
export interface CommitSelection {
  /** Every change, new files too: `git add --all`. */
  readonly everything: boolean;
  /** Every change of a tracked file: `git commit --all`. */
  readonly tracked: boolean;
  /** Files and folders, absolute. */
  readonly paths: readonly string[];
}

export interface CommandFolders {
  /** Absolute folder in which the text starts. */
  readonly start: string;
  /** Absolute folder in which the boundary is crossed, and the `-C` on its way there. */
  readonly directory: string;
  readonly directories: readonly Word[];
}

/** True if the commit takes a change. @param root of the working tree, absolute. */
export function takes(
  { everything, tracked, paths }: CommitSelection,
  root: string,
  change: { readonly path: string; readonly untracked: boolean },
): boolean {
  const file = join(root, change.path);
  return everything || (tracked && !change.untracked) || paths.some((it) => isWithin(it, file));
}

/**
 * @param before what runs up to the last commit, that included.
 * @returns `undefined` where only running it would tell.
 */
export function selectedBy(
  before: readonly Preceding[],
  { start, directory, directories }: CommandFolders,
): CommitSelection | undefined {
  let at: string | undefined = start;
  const steps: (CommitSelection | undefined)[] = [];
  for (const { argv } of before) {
    at = folderAfter(argv, at);
    const command = gitCommand(argv);
    if (command?.subcommand === 'add') steps.push(added(command, at));
    if (command?.subcommand === 'commit') steps.push(committed(command));
  }
  const known = steps.filter((step) => step !== undefined);
  if (known.length < steps.length) return undefined;
  const paths = known.flatMap((step) => step.paths);
  // A subshell that changes folder comes back; then it is not sure where the paths are.
  if (paths.length > 0 && within(at, directories) !== directory) return undefined;
  return {
    everything: known.some((step) => step.everything),
    tracked: known.some((step) => step.tracked),
    paths,
  };
}

function folderAfter(
  [program, ...words]: readonly Word[],
  at: string | undefined,
): string | undefined {
  if (program === 'pushd' || program === 'popd') return undefined;
  if (program !== 'cd' && program !== 'chdir') return at;
  const [target, ...others] = words.filter((word) => word !== '--');
  if (at === undefined || target === undefined || target.startsWith('-') || others.length > 0) {
    return undefined;
  }
  return resolve(at, target);
}

const NOTHING: CommitSelection = { everything: false, tracked: false, paths: [] };
const QUIET = /^(-v|--verbose|-f|--force|--ignore-errors|--sparse)$/;

function added(
  { words, directories }: GitCommand,
  at: string | undefined,
): CommitSelection | undefined {
  const end = words.indexOf('--');
  const options = words.filter((word, index) => word?.startsWith('-') && !isAfter(index, end));
  const operands = words.filter((word, index) => !word?.startsWith('-') || isAfter(index, end));
  const scopes = options.filter((word) => word !== '--' && !QUIET.test(word ?? ''));
  if (!scopes.every((word) => /^(-A|--all|-u|--update)$/.test(word ?? ''))) return undefined;
  if (operands.length === 0) {
    const tracked = scopes.some((word) => word === '-u' || word === '--update');
    return { ...NOTHING, tracked, everything: scopes.length > 0 && !tracked };
  }
  const folder = within(at, directories);
  if (folder === undefined || !operands.every(isPlainPath)) return undefined;
  return { ...NOTHING, paths: operands.map((word) => resolve(folder, word ?? '')) };
}

const isAfter = (index: number, end: number): boolean => end !== -1 && index > end;

/** A pathspec that is a path and nothing else. */
const isPlainPath = (word: Word): boolean => word !== undefined && !/^:|[*?[\\]/.test(word);

function within(folder: string | undefined, directories: readonly Word[]): string | undefined {
  return directories.reduce<string | undefined>(
    (at, directory) =>
      at === undefined || directory === undefined ? undefined : resolve(at, directory),
    folder,
  );
}

/** Paths, `--only`, `--include` and `--patch` commit a part: which, git alone can tell. */
function committed({ words }: GitCommand): CommitSelection | undefined {
  let tracked = false;
  for (let at = 0; at < words.length; at += 1) {
    const option = commitOption(words[at]);
    if (option === undefined) return undefined;
    tracked ||= option.all;
    if (option.takesNext) at += 1;
  }
  return { ...NOTHING, tracked };
}

const VALUED =
  /^--(message|file|author|date|reuse-message|reedit-message|template|cleanup|fixup|squash|trailer)$/;
const HARMLESS =
  /^--(amend|(no-)?edit|(no-)?verify|quiet|verbose|(no-)?signoff|allow-empty|allow-empty-message|reset-author|(no-)?gpg-sign|no-post-rewrite|(no-)?status)$/;
/** Short options; one of the second group takes a value, which ends the cluster. */
const CLUSTER = /^-([aqvesn]*)(?:([mFCct])(.*)|S.*)?$/s;

/** `undefined` for what names a part of the changes, or is not known. */
function commitOption(word: Word): { all: boolean; takesNext: boolean } | undefined {
  if (word === undefined || !word.startsWith('-')) return undefined;
  if (word === '--all') return { all: true, takesNext: false };
  const [name = '', ...value] = word.split('=');
  if (VALUED.test(name)) return { all: false, takesNext: value.length === 0 };
  if (HARMLESS.test(name)) return { all: false, takesNext: false };
  const cluster = CLUSTER.exec(word);
  if (cluster === null) return undefined;
  const [, flags = '', valued, attached] = cluster;
  return { all: flags.includes('a'), takesNext: valued !== undefined && attached === '' };
}
