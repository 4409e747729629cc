/** What a commit contains that is made earlier in the same command as a release boundary. Pure. */
import { join, resolve } from 'node:path';
import { type GitCommand, gitCommand, subcommandUse } from '../../git/command-line.ts';
import { isWithin } from '../../git/tree-entry.ts';
import type { Preceding } from '../../recognise/finding.ts';
import type { Word } from '../../text/options.ts';

/** What the commit contains besides what is staged already. */
export interface CommitSelection {
  /** Every change, new files too: `git add --all`. */
  readonly everything: boolean;
  /** Every change of a tracked file: `git commit --all`. */
  readonly tracked: boolean;
  /** Files and folders, absolute. */
  readonly paths: readonly string[];
}

/** `undefined` if it is not known before the command runs. */
type Selected = CommitSelection | undefined;

export interface CommandFolders {
  /** Absolute folder in which the command starts. */
  readonly start: string;
  /** Absolute folder in which the boundary runs, and the `-C` options that lead there. */
  readonly directory: string;
  readonly directories: readonly Word[];
}

/**
 * True if the commit contains a change.
 *
 * @param root of the working tree, absolute.
 */
export function takes(
  { everything, tracked, paths }: CommitSelection,
  root: string,
  change: { readonly path: string; readonly untracked: boolean },
): boolean {
  const file = join(root, change.path);
  return everything || (tracked && !change.untracked) || paths.some((it) => isWithin(it, file));
}

/**
 * @param before the commands up to the last commit, that included.
 * @returns `undefined` if it is not known before they run.
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
  // A folder change in a subshell does not last: where the paths are is then uncertain.
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
const EVERYTHING = ['-A', '--all'];
const TRACKED = ['-u', '--update'];
const ADDS_AS_TOLD = new Set([
  ...EVERYTHING,
  ...TRACKED,
  ...'-v --verbose -f --force --ignore-errors --sparse'.split(' '),
]);

function added({ words, directories }: GitCommand, at: string | undefined): Selected {
  const { options, operands, has } = subcommandUse('add', words);
  if (!options.every(({ name }) => ADDS_AS_TOLD.has(name))) return undefined;
  if (operands.length === 0) {
    const tracked = has(...TRACKED);
    return { ...NOTHING, tracked, everything: has(...EVERYTHING) && !tracked };
  }
  const folder = within(at, directories);
  if (folder === undefined || !operands.every(isPlainPath)) return undefined;
  return { ...NOTHING, paths: operands.map((word) => resolve(folder, word ?? '')) };
}

/** A pathspec without magic or wildcards. */
const isPlainPath = (word: Word): boolean => word !== undefined && !/^:|[*?[\\]/.test(word);

function within(folder: string | undefined, directories: readonly Word[]): string | undefined {
  return directories.reduce<string | undefined>(
    (at, directory) =>
      at === undefined || directory === undefined ? undefined : resolve(at, directory),
    folder,
  );
}

/** Options of `git commit` that do not name a part of the changes. */
const SELECTS_NO_PART = new Set(
  (
    '-a --all --amend -e --edit --no-edit -n --verify --no-verify -q --quiet -v --verbose -s --signoff --no-signoff ' +
    '--allow-empty --allow-empty-message --reset-author -S --gpg-sign --no-gpg-sign --no-post-rewrite --status --no-status ' +
    '-m --message -F --file -C --reuse-message -c --reedit-message -t --template --author --date --fixup --squash ' +
    '--cleanup --trailer'
  ).split(' '),
);

/** Paths, `--only`, `--include` and `--patch` commit a part: which one, only git can tell. */
function committed({ words }: GitCommand): Selected {
  const { options, operands, has } = subcommandUse('commit', words);
  if (operands.length > 0 || !options.every(({ name }) => SELECTS_NO_PART.has(name))) {
    return undefined;
  }
  return { ...NOTHING, tracked: has('-a', '--all') };
}
