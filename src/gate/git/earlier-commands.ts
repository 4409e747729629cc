/**
 * How earlier parts of a command change what its release boundary will send: which commits are made,
 * and what they will contain. The gate reads the repository before the command runs. Pure.
 */
import { join, resolve } from 'node:path';
import {
  configUse,
  folderWithin,
  type GitCommand,
  gitCommand,
  subcommandUse,
} from '../../base/git/command-line.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { type Word, words } from '../../base/text/options.ts';
import type { Preceding } from '../../commands/finding.ts';
import { knownProgram } from '../../commands/known-programs.ts';

export type Earlier =
  /**
   * `commits`: what a commit on the way will contain; without one, HEAD stays as it is. `names`: a
   * branch or a tag is created at HEAD.
   */
  | {
      readonly kind: 'known';
      readonly commits: CommitSelection | undefined;
      readonly names: boolean;
    }
  /** The content cannot be known before the command runs; `by` is the part that makes it. */
  | { readonly kind: 'unknown'; readonly by: string };

/** Subcommands that change no commit, no ref and no file of the working tree. */
const READ_ONLY_GIT = words(
  'add archive blame bundle cat-file check-attr check-ignore config count-objects describe diff diff-files diff-index ' +
    'diff-tree fast-export fetch for-each-ref format-patch fsck gc grep help log ls-files ls-remote ls-tree maintenance merge-base name-rev notes push reflog remote ' +
    'rev-list rev-parse shortlog show show-ref stage status var version ' +
    'whatchanged worktree',
);

/** Whether HEAD can differ when the boundary is reached. */
export function earlierCommands(before: readonly Preceding[]): Earlier {
  const moving = movingCommand(before);
  if (moving !== undefined) return { kind: 'unknown', by: moving };
  const committing = before.findLastIndex(({ argv }) => gitEffect(argv) === 'commits');
  const editing = before.slice(0, Math.max(0, committing)).find((it) => mayEdit(it));
  if (editing !== undefined) return { kind: 'unknown', by: shown(editing.argv) };
  const names = before.some(({ argv }) => gitEffect(argv) === 'names');
  if (committing === -1) return { kind: 'known', commits: undefined, names };
  const commits = selectedBy(before.slice(0, committing + 1));
  const by = shown(before[committing]?.argv ?? []);
  return commits === undefined ? { kind: 'unknown', by } : { kind: 'known', commits, names };
}

/** Whether a program ran whose effects are unknown: any but git, lanehold, and programs that read and print. */
export const ranProgram = (before: readonly Preceding[]): boolean =>
  before.some(
    ({ argv }) => argv[0] !== 'lanehold' && !programOf(argv)?.readsOnly && !gitCommand(argv),
  );

/** The commands of git whose effect is known, and what is verified of it. */
export function tellable(before: readonly Preceding[]): readonly Preceding[] {
  const ofGit = before.filter(({ argv }) => gitCommand(argv) && gitEffect(argv) !== 'unknown');
  const known = earlierCommands(ofGit).kind === 'known' ? ofGit : [];
  return [...known, ...before.filter(({ argv }) => argv.includes('verify'))];
}

/** The first command that may move HEAD, or change where a push goes. */
export function movingCommand(commands: readonly Preceding[]): string | undefined {
  const moving = commands.find(({ argv }) => gitEffect(argv) === 'unknown');
  return moving && shown(moving.argv);
}

/** The first command that may change files of the working tree. */
export function editingCommand(commands: readonly Preceding[]): string | undefined {
  const editing = commands.find(mayEdit);
  return editing && shown(editing.argv);
}

/** The first command that commits, or may move HEAD. */
export function committingCommand(commands: readonly Preceding[]): string | undefined {
  const moving = commands.find(({ argv }) => ['commits', 'unknown'].includes(gitEffect(argv)));
  return moving && shown(moving.argv);
}

/**
 * The command, if any, that edits files before a boundary takes them from the working tree. Other
 * programs are let through: they are mostly builds, which write ignored files.
 */
export function earlierEdit(before: readonly Preceding[]): string | undefined {
  const edit = before.find(
    ({ argv, writesFile }) => writesFile || (programOf(argv)?.edits === true && !clearsBuild(argv)),
  );
  return edit && shown(edit.argv);
}

/** True for `rm -rf dist`, which removes only the output of a build. */
function clearsBuild([program, ...words]: readonly Word[]): boolean {
  if (program !== 'rm') return false;
  return words.every((word) => word?.startsWith('-') || BUILT.test(word ?? ''));
}

const BUILT = /^(\.\/)?(dist|build|out|target|coverage|node_modules|[\w.*-]+\.egg-info)(\/\**)?$/;

/** Options with which a subcommand does nothing but create a branch or tag at HEAD. */
const NAMING: Readonly<Record<string, string>> = {
  branch: '-c --copy',
  checkout: '-b',
  switch: '-c --create',
  tag: '-a -s -m --annotate --sign --message',
};

/** Options with which a subcommand creates no branch or tag. */
const MAKES_NONE: Readonly<Record<string, string>> = {
  branch: '-l --list -a --all -r --remotes -v --verbose -d -D --delete --show-current --contains',
  tag: '-l --list -d --delete -n --contains',
};

function gitEffect(argv: readonly Word[]): 'nothing' | 'commits' | 'names' | 'unknown' {
  const command = gitCommand(argv);
  if (command === undefined) return makesCommits(argv) ? 'unknown' : 'nothing';
  const { subcommand, words: given, elsewhere } = command;
  if (subcommand === undefined || redirects(command)) return 'unknown';
  if (READ_ONLY_GIT.has(subcommand)) return 'nothing';
  if (subcommand === 'commit') return elsewhere ? 'unknown' : 'commits';
  return namesHead(subcommand, given);
}

/** Other programs that commit or move HEAD, with the words that make them do so; empty: any use. */
const COMMITTING: Readonly<Record<string, string>> = {
  npm: 'version',
  pnpm: 'version',
  yarn: 'version',
  bun: 'version',
  lerna: 'version',
  cz: 'bump',
  'bump2version bumpversion bump-my-version standard-version commit-and-tag-version bumpp': '',
  'mvn mvnw': 'release:prepare release:clean',
  cargo: 'release',
  gh: 'checkout',
  glab: 'checkout',
  'gt sl hg jj':
    'commit ci create c modify m amend squash fold absorb split restack rebase sync move edit new describe desc ' +
    'up update down checkout co get pull uncommit undo revert graft import abandon backout bookmark git',
  aider: '',
};

function makesCommits([program, ...given]: readonly Word[]): boolean {
  const name = baseName(program ?? '');
  const row = Object.entries(COMMITTING).find(([names]) => words(names).has(name));
  if (row === undefined || given.includes('--no-git-tag-version')) return false;
  return row[1] === '' || given.some((word) => word !== undefined && words(row[1]).has(word));
}

/** True if the command changes where a push goes, or what is recorded of the remote's refs. */
function redirects({ subcommand, words: given }: GitCommand): boolean {
  switch (subcommand) {
    case 'config': {
      const use = subcommandUse(subcommand, given);
      if (configUse(use).kind === 'read') return false;
      return given.includes(undefined) || use.operands.some(isRouting);
    }
    case 'fetch':
      return given.some((word) => word === undefined || /^[^-].*:(?!\/\/)/.test(word));
    case 'remote': {
      const [verb = ''] = subcommandUse(subcommand, given).operands;
      return words('set-url set-head rename remove rm').has(verb);
    }
    default:
      return false;
  }
}

const isRouting = (key: Word): boolean =>
  /^(remote|branch|push|url|include|includeif|core)(\.|$)/i.test(key ?? '');

/** The effect of a subcommand that names a commit: `git switch -c topic`, `git tag -a v1 -m text`. */
function namesHead(subcommand: string, given: readonly Word[]): 'nothing' | 'names' | 'unknown' {
  const naming = Object.hasOwn(NAMING, subcommand) ? NAMING[subcommand] : undefined;
  if (naming === undefined) return 'unknown';
  const { options, operands, has } = subcommandUse(subcommand, given);
  const lists = Object.hasOwn(MAKES_NONE, subcommand);
  if (lists && (operands.length === 0 || has(...words(MAKES_NONE[subcommand])))) return 'nothing';
  const plain = options.every(({ name }) => words(naming).has(name));
  const names = lists ? operands.length : options.length + operands.length;
  return plain && names === 1 && (lists || options.length === 1) ? 'names' : 'unknown';
}

function mayEdit({ argv, writesFile }: Preceding): boolean {
  if (writesFile || argv[0] === undefined) return true;
  // A command that another command runs is judged by itself.
  return !programOf(argv)?.readsOnly && gitCommand(argv) === undefined;
}

function programOf([program = '']: readonly Word[]) {
  return knownProgram(baseName(program));
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

function shown(argv: readonly Word[]): string {
  const words = argv.slice(0, 3).map((word) => word ?? '…');
  return words.join(' ');
}

/** The changes that a commit contains besides what is staged already. */
export interface CommitSelection {
  /** Every change, new files too: `git add --all`. */
  readonly everything: boolean;
  /** Every change of a tracked file: `git commit --all`. */
  readonly tracked: boolean;
  /** The files and folders, absolute. */
  readonly paths: readonly string[];
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
function selectedBy(before: readonly Preceding[]): CommitSelection | undefined {
  const steps: (CommitSelection | undefined)[] = [];
  for (const { argv, directory } of before) {
    const command = gitCommand(argv);
    if (command?.subcommand === 'add') steps.push(added(command, directory));
    if (command?.subcommand === 'commit') steps.push(committed(command));
  }
  const known = steps.filter((step) => step !== undefined);
  if (known.length < steps.length) return undefined;
  const paths = known.flatMap((step) => step.paths);
  return {
    everything: known.some((step) => step.everything),
    tracked: known.some((step) => step.tracked),
    paths,
  };
}

const NOTHING: CommitSelection = { everything: false, tracked: false, paths: [] };
const EVERYTHING = ['-A', '--all'];
const TRACKED = ['-u', '--update'];
const ADDS_AS_TOLD = new Set([
  ...EVERYTHING,
  ...TRACKED,
  ...'-v --verbose -f --force --ignore-errors --sparse'.split(' '),
]);

function added(
  { words, directories }: GitCommand,
  at: string | undefined,
): CommitSelection | undefined {
  const { options, operands, has } = subcommandUse('add', words);
  if (!options.every(({ name }) => ADDS_AS_TOLD.has(name))) return undefined;
  if (operands.length === 0) {
    const tracked = has(...TRACKED);
    return { ...NOTHING, tracked, everything: has(...EVERYTHING) && !tracked };
  }
  const folder = folderWithin(at, directories);
  if (folder === undefined || !operands.every(isPlainPath)) return undefined;
  return { ...NOTHING, paths: operands.map((word) => resolve(folder, word ?? '')) };
}

/** A pathspec without magic or wildcards. */
const isPlainPath = (word: Word): boolean => word !== undefined && !/^:|[*?[\\]/.test(word);

/** Options of `git commit` that do not name a part of the changes. */
const SELECTS_NO_PART = new Set(
  (
    '-a --all --amend -e --edit --no-edit -n --verify --no-verify -q --quiet -v --verbose -s --signoff --no-signoff ' +
    '--allow-empty --allow-empty-message --reset-author -S --gpg-sign --no-gpg-sign --no-post-rewrite --status --no-status ' +
    '-m --message -F --file -C --reuse-message -c --reedit-message -t --template --author --date --fixup --squash ' +
    '--cleanup --trailer'
  ).split(' '),
);

/** The changes that `git commit` takes. With paths, `--only`, `--include` and `--patch`, only git can tell which. */
function committed({ words }: GitCommand): CommitSelection | undefined {
  const { options, operands, has } = subcommandUse('commit', words);
  if (operands.length > 0 || !options.every(({ name }) => SELECTS_NO_PART.has(name))) {
    return undefined;
  }
  return { ...NOTHING, tracked: has('-a', '--all') };
}
