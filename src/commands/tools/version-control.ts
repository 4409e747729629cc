/** Version control systems, and tools that push for a review. */

import {
  GIT_OPTIONS,
  GIT_SUBCOMMANDS,
  isDeletion,
  SUBCOMMAND_OPTIONS,
} from '../../base/git/command-line.ts';
import { lastOperand, type Match, pullRequest, push, type Rule, type Tool, tool } from './rule.ts';

const PUSH = { ...SUBCOMMAND_OPTIONS.push, dry: '-n --dry-run', when: sendsContent };
const STACK = 'stack|branch|repo|upstack|downstack|s|b submit|s|sync';

/** Programs `git-x` that git runs as `git x`. */
const EXTENSIONS: readonly Tool[] = [
  push('git-subtree', 'git subtree push = push'),
  push('git-lfs', 'git lfs push = push [-d --dry-run]'),
  push('git-annex', 'git annex sync = sync|push|assist|copy [--no-push]'),
  push('git-town', 'git town ship = sync|ship|propose [--dry-run --no-push]'),
  push('git-machete', 'git machete = traverse|advance'),
  push(
    'git-machete',
    'git machete = github|gitlab create-pr|retarget-pr|restack-pr|create-mr|retarget-mr|restack-mr',
  ),
  push('git-spice gs', STACK, { id: 'git spice submit', dry: '-n --dry-run' }),
  push('git-review', 'git review = [-n --dry-run -l --list -d --download -s --setup]'),
  push('git-cl', 'git cl upload = upload|land'),
];

export const gitTools = (): readonly Tool[] => [
  tool(
    'git',
    { ...GIT_OPTIONS, abbreviates: true, subcommands: GIT_SUBCOMMANDS, staysHere: 'flow' },
    [
      push('push; send-pack', PUSH),
      push('http-push [--dry-run]; svn dcommit [-n --dry-run]'),
      push('git svn commit = svn set-tree|commit-diff [-n --dry-run]; p4 submit [-n --dry-run]'),
      push('send-email [--dry-run]; imap-send [--list]'),
      push('git flow publish = flow feature|release|hotfix|bugfix|support publish'),
      push(
        'git flow finish --push = flow release|hotfix|feature|bugfix finish -p|--push|--pushproduction|--pushdevelop|--pushtag',
      ),
      pullRequest('pull-request'),
      push('stack push; git stack push = stack --push; sync|autopush [-n --dry-run]'),
      push('git ps rr = ps rr|int|integrate|request-review'),
      pullRequest('git spr = spr update|diff|land|merge; ghstack'),
      push('cvsexportcommit -c'),
      // These read their instructions from the input: their words do not show whether they only fetch.
      push(
        'git remote helper = remote-http|remote-https|remote-ftp|remote-ftps|remote-ext|remote-fd',
      ),
      ...EXTENSIONS.flatMap(asSubcommand),
    ],
  ),
  push('git-push git-send-pack git-http-push', 'git push =', { abbreviates: true, ...PUSH }),
  push(
    'git-remote-http git-remote-https git-remote-ftp git-remote-ftps git-remote-ext git-remote-fd',
    'git remote helper =',
  ),
  ...EXTENSIONS,
];

function asSubcommand({ names, rules }: Tool): readonly Rule[] {
  const [, name] = /^git-(\S+)/.exec(names) ?? [];
  return rules().map((rule) => ({ ...rule, path: `${name} ${rule.path}`.trimEnd() }));
}

/** Deleting a branch sends nothing: `git push origin --delete x`, `git push origin :x`. */
function sendsContent({ operands, has }: Match): boolean {
  if (has('-d', '--delete') && !has('--no-delete')) return false;
  const [, ...refs] = operands;
  return (
    has('--tags', '--all', '--mirror', '--follow-tags') ||
    refs.length === 0 ||
    !refs.every(isDeletion)
  );
}

/** Another system than git sends the files as they lie there, with or without a `.git`. */
const NOT_GIT = { leaves: 'worktree' } as const;

/** A place in a repository of Subversion: `^/tags/1`. */
const ADDRESS = /^(?:\^\/|\w[\w+]*:\/\/)/;

export const versionControlTools = (): readonly Tool[] => [
  push('jj', 'git push [--dry-run]', NOT_GIT),
  pullRequest('jj', 'spr update|diff|land|merge'),
  push('gt', 'submit|s|ss|merge [--dry-run]; stack|downstack|upstack|branch submit|s [--dry-run]'),
  push('sl', 'push [-n --dry-run]', { ...NOT_GIT, values: '-t --to -r --rev' }),
  pullRequest('sl', 'pr submit|s|land; ghstack'),
  pullRequest('hg', 'phabsend', NOT_GIT),
  push('hg', 'email [-n --test]; push', NOT_GIT),
  push('svn', 'commit|ci|import', NOT_GIT),
  // A branch or a tag is a copy in the repository.
  push('svn', 'copy|cp|mkdir|move|mv', { ...NOT_GIT, when: lastOperand(ADDRESS) }),
  push('svnmucc', '', NOT_GIT),
  push('osc', 'commit|ci|checkin', NOT_GIT),
  push('fedpkg rhpkg centpkg', 'push|build|update|chain-build'),
  push('bzr brz', 'push [--dry-run]', NOT_GIT),
  push('fossil', 'push|sync|commit|ci [-n --dry-run --private --no-sync]', NOT_GIT),
  push('p4', 'submit', NOT_GIT),
  push('pijul darcs dolt', 'push [--dry-run]', NOT_GIT),
  push('cvs', 'commit|ci|com|import', NOT_GIT),
  push('cm', 'checkin|ci|push', NOT_GIT),
  push('tf', 'checkin', NOT_GIT),
  push('rad', 'push|sync'),
  pullRequest('rad', 'patch open'),
  push('lakectl', 'commit|merge'),
  push('b4', 'send [-d --dry-run -o --output-dir --reflect]'),
  // A stack of patches is applied to the working tree.
  tool('stg quilt guilt', { staysHere: 'push' }, []),
  push('stg', 'mail|email [-m --mbox]'),
  push('repo', 'upload [-n --dry-run]'),
  pullRequest('arc', 'diff|land [--preview --only]'),
  pullRequest('av', 'pr; av pr = sync --push'),
  pullRequest('spr git-spr', 'update|diff|land|merge'),
  pullRequest('ghstack', ''),
];
