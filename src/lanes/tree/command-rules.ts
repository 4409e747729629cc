/**
 * git commands that are refused to a lane's worker. A lane is one branch whose history only grows, in one working tree;
 * stash, branches, tags and settings are shared by all working trees.
 *
 * Pure, except that a word such as in `git checkout <word>` is checked for a file.
 */
import { configUse, subcommandUse } from '../../base/git/command-line.ts';
import type { Use, Word } from '../../base/text/options.ts';

/** A command that a lane's worker may not run, and an alternative. */
export interface LaneDenial {
  /** The end of `a lane's worker does not …`. */
  readonly what: string;
  readonly instead: string;
}

interface Files {
  /** Whether git's folder has a file of that name. */
  readonly isFile: (name: string) => boolean;
  /** Whether the file may belong to another working tree, or to git itself. */
  readonly isForeign: (name: string) => boolean;
}

interface GitCall extends Files {
  readonly subcommand: string;
  readonly words: readonly Word[];
}

export function refusedGit({ subcommand, words, ...files }: GitCall): LaneDenial | undefined {
  const rule = Object.hasOwn(RULES, subcommand) ? RULES[subcommand] : undefined;
  if (rule === undefined) return undefined;
  const use = subcommandUse(subcommand, words);
  if (use.has('-h', '--help') || rule.allows(use, files)) return undefined;
  return { what: rule.what, instead: rule.instead };
}

interface Rule extends LaneDenial {
  readonly allows: (use: Use<Word>, files: Files) => boolean;
}

const SWITCH = {
  what: 'switch or move branches',
  instead:
    'Stay on the branch that is checked out: the lane is this branch. To take files of another commit: `git checkout <commit> -- <paths>`, or `git restore`.',
};
const REWRITE = {
  what: 'rewrite history',
  instead:
    'The history of a lane only grows: add a commit, or `git revert` one; to take in other work, `git merge` it. How many commits there are does not matter.',
};
const SHARED = {
  what: 'change branches, tags or remotes',
  instead:
    'All working trees of the repository share them. Commit on the branch that is checked out; the rest is done when the lanes are brought together.',
};

const never = (): boolean => false;

const RULES: Readonly<Record<string, Rule>> = {
  stash: {
    what: 'stash',
    instead:
      'The stash is one for all working trees, and others would find it in theirs. Commit what you have, or take it back with `git restore`; lanehold keeps a copy of every state.',
    allows: ({ operands: [verb] }) => verb === 'list' || verb === 'show',
  },
  checkout: {
    ...SWITCH,
    allows: (use, { isFile }) =>
      !use.has('-b', '-B', '-d', '-t', '--orphan', '--detach', '--track') &&
      (use.has('-p', '--patch', '--pathspec-from-file') || takesFiles(use, isFile)),
  },
  switch: { ...SWITCH, allows: never },
  bisect: {
    ...SWITCH,
    allows: ({ operands: [verb = 'log'] }) => verb === 'log' || verb === 'terms',
  },
  'symbolic-ref': {
    ...SWITCH,
    allows: (use) => use.operands.length < 2 && !use.has('-d', '--delete'),
  },
  reset: {
    ...REWRITE,
    allows: (use, { isFile }) => {
      if (use.has('-p', '--patch', '--pathspec-from-file')) return true;
      const [commit] = use.operands;
      if (use.operands.length < 2 && (commit === 'HEAD' || commit === '@')) return true;
      if (use.has('--hard', '--soft', '--merge', '--keep')) return use.operands.length === 0;
      return takesFiles(use, isFile);
    },
  },
  rebase: { ...REWRITE, allows: (use) => use.has('--abort', '--quit', '--show-current-patch') },
  commit: { ...REWRITE, allows: (use) => !use.has('--amend') },
  'filter-branch': { ...REWRITE, allows: never },
  'filter-repo': { ...REWRITE, allows: never },
  'update-ref': { ...REWRITE, allows: never },
  replace: { ...REWRITE, allows: (use) => use.operands.length === 0 || use.has('-l', '--list') },
  reflog: {
    ...REWRITE,
    allows: ({ operands: [verb] }) => !['expire', 'delete', 'drop', 'write'].includes(verb ?? ''),
  },
  prune: { ...REWRITE, allows: (use) => use.has('-n', '--dry-run') },
  gc: { ...REWRITE, allows: (use) => !use.has('--prune') },
  pull: {
    ...REWRITE,
    allows: ({ options, operands }) =>
      !options.some(({ name, value }) => REBASES.has(name) && value !== 'false') &&
      !movesBranch(operands),
  },
  fetch: { ...SHARED, allows: ({ operands }) => !movesBranch(operands) },
  branch: {
    ...SHARED,
    allows: (use) =>
      !use.has(...BRANCH_CHANGES) && (use.operands.length === 0 || use.has(...BRANCH_LISTS)),
  },
  tag: {
    ...SHARED,
    allows: (use) =>
      !use.has('-d', '--delete') && (use.operands.length === 0 || use.has(...TAG_LISTS)),
  },
  remote: {
    ...SHARED,
    allows: ({ operands: [verb = 'show'] }) => ['show', 'get-url', 'update'].includes(verb),
  },
  worktree: {
    what: 'make or remove working trees',
    instead:
      "This one is the lane. For a look at another commit: `git show <commit>:<path>`; for more lanes, say what they are for: lanehold orchestrate ask 'QUESTION'",
    allows: ({ operands: [verb = 'list'] }) => verb === 'list',
  },
  config: {
    what: "change git's settings",
    instead:
      'All working trees of the repository share them. For one command: `git -c <name>=<value> …`.',
    allows: isReadingConfig,
  },
};

const REBASES = new Set(['-r', '--rebase']);

const BRANCH_CHANGES =
  '-f -d -D -m -M -c -C -u -t --force --delete --move --copy --set-upstream-to --unset-upstream --edit-description --track'.split(
    ' ',
  );

const LISTS = '-l --list --contains --no-contains --merged --no-merged --points-at';
const BRANCH_LISTS = `${LISTS} -a -r -v --all --remotes`.split(' ');
const TAG_LISTS = `${LISTS} -n -v --verify`.split(' ');

/** Whether files are named: after `--`, after a commit, or as one word that is a file and no commit. */
function takesFiles({ operands, afterDashes }: Use<Word>, isFile: Files['isFile']): boolean {
  if (afterDashes !== undefined) return afterDashes.length > 0 || operands.length === 0;
  const [only] = operands;
  return operands.length !== 1 || (only !== undefined && isFile(only));
}

/** Whether a refspec updates one of the repository's own branches. The first word is the remote. */
function movesBranch([, ...refspecs]: readonly Word[]): boolean {
  return refspecs.some((it) => {
    const [, to = ''] = it?.split(':') ?? [];
    return to !== '' && !to.startsWith('refs/remotes/');
  });
}

/** Whether a `git config` only reads, or writes to a file of the worker's own. */
function isReadingConfig(use: Use<Word>, { isForeign }: Files): boolean {
  if (configUse(use).kind === 'read') return true;
  const files = use.options.filter(({ name }) => name === '-f' || name === '--file');
  return files.length > 0 && files.every(({ value }) => value !== undefined && !isForeign(value));
}
