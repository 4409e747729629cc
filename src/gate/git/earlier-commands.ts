/**
 * How earlier parts of a command change what its release boundary will send. The gate reads the
 * repository before the command runs. Pure.
 */
import { configUse, type GitCommand, gitCommand, subcommandUse } from '../../git/command-line.ts';
import type { Preceding } from '../../recognise/finding.ts';
import { type Word, words } from '../../text/options.ts';
import { type CommandFolders, type CommitSelection, selectedBy } from './next-commit.ts';

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
  'add blame bundle cat-file config describe diff fetch for-each-ref fsck gc grep help ' +
    'log ls-files ls-remote ls-tree maintenance merge-base name-rev notes push reflog remote ' +
    'rev-list rev-parse shortlog show show-ref stage status var version ' +
    'whatchanged worktree',
);

/**
 * Programs that change no file of a repository. Those that run another command are harmless by
 * themselves: the other command is checked, too.
 */
const HARMLESS = words(
  ': [ builtin basename cat cd command cut date declare dirname doas echo env eval exec exit export false grep head hostname id ' +
    'jq ls local nice nl nohup popd printf pushd pwd readonly rg seq set setsid shopt sleep sort stat stdbuf sudo tail test time timeout tr ' +
    'true type ulimit umask uname unset uniq wait wc which whoami',
);

/** Whether HEAD can differ when the boundary is reached. */
export function earlierCommands(before: readonly Preceding[], folders: CommandFolders): Earlier {
  const moving = before.find(({ argv }) => gitEffect(argv) === 'unknown');
  if (moving !== undefined) return { kind: 'unknown', by: shown(moving.argv) };
  const committing = before.findLastIndex(({ argv }) => gitEffect(argv) === 'commits');
  const editing = before.slice(0, Math.max(0, committing)).find((it) => mayEdit(it));
  if (editing !== undefined) return { kind: 'unknown', by: shown(editing.argv) };
  const names = before.some(({ argv }) => gitEffect(argv) === 'names');
  if (committing === -1) return { kind: 'known', commits: undefined, names };
  const commits = selectedBy(before.slice(0, committing + 1), folders);
  const by = shown(before[committing]?.argv ?? []);
  return commits === undefined ? { kind: 'unknown', by } : { kind: 'known', commits, names };
}

/** Programs that change files: what they leave differs from the present content. */
const EDITORS = words('cp dd ed ex install ln mv patch perl rm rsync sed tee truncate unlink');

/**
 * The command, if any, that edits files before a boundary takes them from the working tree. Other
 * programs are let through: they are mostly builds, which write ignored files.
 */
export function earlierEdit(before: readonly Preceding[]): string | undefined {
  const edit = before.find(
    ({ argv, writesFile }) =>
      writesFile || (EDITORS.has(baseName(argv[0] ?? '')) && !clearsBuild(argv)),
  );
  return edit && shown(edit.argv);
}

/** `rm -rf dist`: removes only the output of a build. */
function clearsBuild([program, ...words]: readonly Word[]): boolean {
  if (program !== 'rm') return false;
  return words.every((word) => word?.startsWith('-') || BUILT.test(word ?? ''));
}

const BUILT = /^(\.\/)?(dist|build|out|target|coverage|node_modules|[\w.*-]+\.egg-info)(\/\**)?$/;

/** Options with which a subcommand only creates a branch or tag at HEAD. */
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
  if (command === undefined) return 'nothing';
  const { subcommand, words: given, elsewhere } = command;
  if (subcommand === undefined) return 'unknown';
  if (redirects(command)) return 'unknown';
  if (READ_ONLY_GIT.has(subcommand)) return 'nothing';
  if (subcommand === 'commit') return elsewhere ? 'unknown' : 'commits';
  return namesHead(subcommand, given);
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

/** `git switch -c topic`, `git tag -a v1 -m text`: a new name, and no other commit than HEAD. */
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
  const [program] = argv;
  if (writesFile) return true;
  if (program === undefined) return true;
  return !HARMLESS.has(baseName(program)) && gitCommand(argv) === undefined;
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

function shown(argv: readonly Word[]): string {
  return argv
    .slice(0, 3)
    .map((word) => word ?? '…')
    .join(' ');
}
