/**
 * What happens to the repository between now, when the gate looks, and the moment when the
 * boundary in the same command is crossed? Pure.
 */
import type { Preceding, Word } from '../../recognise/finding.ts';
import { type GitCommand, gitCommand } from './git-command.ts';
import { type CommandFolders, type CommitSelection, selectedBy } from './next-commit.ts';

export type Earlier =
  /**
   * `commits`: what a commit takes that is made first; without one, what is at HEAD now is what
   * will be there. `names`: a branch or a tag is made there.
   */
  | {
      readonly kind: 'known';
      readonly commits: CommitSelection | undefined;
      readonly names: boolean;
    }
  /** What will leave is made by the command itself; `by` is its part that does it. */
  | { readonly kind: 'unknown'; readonly by: string };

/** Parts of git that change neither a commit, nor a ref, nor a file of the working tree. */
const READ_ONLY_GIT: ReadonlySet<string> = new Set(
  (
    'add blame bundle cat-file config describe diff fetch for-each-ref fsck gc grep help ' +
    'log ls-files ls-remote ls-tree maintenance merge-base name-rev notes push reflog remote ' +
    'rev-list rev-parse shortlog show show-ref stage status var version ' +
    'whatchanged worktree'
  ).split(' '),
);

/**
 * Programs that agents put before a commit and that change no file of a repository; with those that
 * only run another command, which is looked at by itself.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  (
    ': [ builtin basename cat cd command cut date declare dirname doas echo env eval exec exit export false grep head hostname id ' +
    'jq ls local nice nl nohup popd printf pushd pwd readonly rg seq set setsid shopt sleep sort stat stdbuf sudo tail test time timeout tr ' +
    'true type ulimit umask uname unset uniq wait wc which whoami'
  ).split(' '),
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

/** Programs whose purpose is to change files: their result is not what lies there now. */
const EDITORS: ReadonlySet<string> = new Set(
  'cp dd ed ex install ln mv patch perl rm rsync sed tee truncate unlink'.split(' '),
);

/**
 * The command that edits what a boundary takes from the working tree, if there is one. What else
 * runs first, a build above all, makes files that are ignored: to hold for that would hold always.
 */
export function earlierEdit(before: readonly Preceding[]): string | undefined {
  const edit = before.find(
    ({ argv, writesFile }) =>
      writesFile || (EDITORS.has(baseName(argv[0] ?? '')) && !clearsBuild(argv)),
  );
  return edit && shown(edit.argv);
}

/** `rm -rf dist`: what a build is about to make again. */
function clearsBuild([program, ...words]: readonly Word[]): boolean {
  if (program !== 'rm') return false;
  return words.every((word) => word?.startsWith('-') || BUILT.test(word ?? ''));
}

const BUILT = /^(\.\/)?(dist|build|out|target|coverage|node_modules|[\w.*-]+\.egg-info)(\/\**)?$/;

/** Subcommands that can give the commit at HEAD another name, and the words by which they do. */
const NAMING: Readonly<Record<string, RegExp>> = {
  branch: /^(-c|--copy)?$/,
  checkout: /^-b$/,
  switch: /^(-c|--create)$/,
  tag: /^(-a|-s|-m|--annotate|--sign|--message)?$/,
};

function gitEffect(argv: readonly Word[]): 'nothing' | 'commits' | 'names' | 'unknown' {
  const command = gitCommand(argv);
  if (command === undefined) return 'nothing';
  const { subcommand, words, elsewhere } = command;
  if (subcommand === undefined) return 'unknown';
  if (redirects(command)) return 'unknown';
  if (READ_ONLY_GIT.has(subcommand)) return 'nothing';
  if (subcommand === 'commit') return elsewhere ? 'unknown' : 'commits';
  const naming = NAMING[subcommand];
  return naming === undefined ? 'unknown' : namesHead(words, subcommand, naming);
}

/** Changes where a push goes, or what this repository takes for the remote's. */
function redirects({ subcommand, words }: GitCommand): boolean {
  switch (subcommand) {
    case 'config':
      return words.some(isRouting) && !words.some((word) => READS_CONFIG.test(word ?? ''));
    case 'fetch':
      return words.some((word) => word === undefined || /^[^-].*:(?!\/\/)/.test(word));
    case 'remote':
      return /^(set-url|set-head|rename|remove|rm)$/.test(words.find(isOperand) ?? '');
    default:
      return false;
  }
}

const isRouting = (word: Word): boolean =>
  word === undefined || /^(remote|branch|push|url|include|includeif|core)\./i.test(word);

const READS_CONFIG = /^(--get.*|-l|--list|get|list)$/;

const isOperand = (word: Word): boolean => word !== undefined && !word.startsWith('-');

/** `git switch -c topic`, `git tag -a v1 -m text`: a new name, and no other commit than HEAD. */
function namesHead(
  words: readonly Word[],
  subcommand: string,
  naming: RegExp,
): 'nothing' | 'names' | 'unknown' {
  const options = words.filter((word) => word?.startsWith('-'));
  const message = words.findIndex((word) => word === '-m' || word === '--message');
  const operands = words.filter(
    (word, at) => !word?.startsWith('-') && (message === -1 || at !== message + 1),
  );
  const lists = subcommand === 'branch' || subcommand === 'tag';
  if (lists && operands.length === 0) return 'nothing';
  if (lists && options.some((word) => word !== undefined && LISTING.has(word))) return 'nothing';
  const plain = options.every((word) => word !== undefined && naming.test(word));
  const named = lists || options.length > 0;
  return plain && named && operands.length === 1 ? 'names' : 'unknown';
}

const LISTING: ReadonlySet<string> = new Set(
  '-l --list -a --all -r --remotes -v -vv -d -D --delete --show-current --contains -n'.split(' '),
);

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
