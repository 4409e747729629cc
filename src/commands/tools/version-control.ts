/** Version control systems, and tools that push for a review. */

import { GIT_OPTIONS, GIT_SUBCOMMANDS, SUBCOMMAND_OPTIONS } from '../../base/git/command-line.ts';
import type { Use } from '../../base/text/options.ts';
import { pullRequest, push, type Tool, tool } from './rule.ts';

const PUSH = { ...SUBCOMMAND_OPTIONS.push, dry: '-n --dry-run', when: sendsContent };

export const gitTools = (): readonly Tool[] => [
  tool('git', { ...GIT_OPTIONS, abbreviates: true, subcommands: GIT_SUBCOMMANDS }, [
    push('push', PUSH),
    push('send-pack', PUSH),
    push('http-push', { dry: '--dry-run' }),
    push('subtree push', {
      values: '-P --prefix -b --branch -m --message --annotate --onto',
      flags: '-q --quiet -d --debug --rejoin --squash --ignore-joins',
    }),
    push('lfs push', { dry: '-d --dry-run' }),
    push('svn dcommit', { dry: '-n --dry-run' }),
    push('svn set-tree|commit-diff', { id: 'git svn commit', dry: '-n --dry-run' }),
    push('p4 submit', { dry: '-n --dry-run' }),
    push('send-email', { dry: '--dry-run' }),
    push('annex sync|push|assist|copy', { unless: '--no-push' }),
    push('flow feature|release|hotfix|bugfix|support publish', { id: 'git flow publish' }),
    push('town sync|ship|propose', {
      id: 'git town ship',
      dry: '--dry-run',
      unless: '--no-push',
    }),
    push('machete', {
      when: (use) =>
        /^(github|gitlab)$/.test(use.operands[0] ?? '')
          ? /^(create|retarget|restack)-/.test(use.operands[1] ?? '')
          : use.operands[0] === 'traverse' || use.operands[0] === 'advance',
    }),
    push('flow release|hotfix|feature|bugfix finish', {
      id: 'git flow finish --push',
      only: '-p --push --pushproduction --pushdevelop --pushtag',
    }),
    pullRequest('pull-request', { id: 'git pull-request' }),
    push('sync|autopush', { id: 'git sync', dry: '-n --dry-run' }),
    push('stack push', { id: 'git stack push' }),
    push('stack', { id: 'git stack push', only: '--push' }),
    push('cvsexportcommit', { only: '-c' }),
    push('ps rr|int|integrate|request-review', { id: 'git ps rr' }),
    push('spice stack|branch|repo|upstack|downstack submit|s|sync', { id: 'git spice submit' }),
    pullRequest('spr update|diff|land|merge', { id: 'git spr' }),
    pullRequest('ghstack', { id: 'git ghstack' }),
    push('review', { dry: '-n --dry-run -l --list -d --download -s --setup' }),
    push('cl upload|land', { dry: '--dry-run' }),
    // These get their instructions on the input: the words do not show whether they only fetch.
    push('remote-http|remote-https|remote-ftp|remote-ftps|remote-ext|remote-fd', {
      id: 'git remote helper',
    }),
  ]),
  tool('git-push git-send-pack git-http-push', { abbreviates: true }, [
    push('', { id: 'git push', ...PUSH }),
  ]),
  tool(
    'git-remote-http git-remote-https git-remote-ftp git-remote-ftps git-remote-ext git-remote-fd',
    [push('', { id: 'git remote helper' })],
  ),
  push('git-subtree', 'push', { id: 'git subtree push', values: '-P --prefix -b --branch -m' }),
  push('git-lfs', 'push', { id: 'git lfs push', dry: '-d --dry-run' }),
];

/** Deleting a branch sends nothing: `git push origin --delete x`, `git push origin :x`. */
function sendsContent({ operands, has }: Use): boolean {
  if (has('-d', '--delete') && !has('--no-delete')) return false;
  const [, ...refs] = operands;
  return (
    has('--tags', '--all', '--mirror', '--follow-tags') ||
    refs.length === 0 ||
    !refs.every((it) => /^:./.test(it))
  );
}

/** What another system than git sends is compared as it lies there, with or without a `.git`. */
const NOT_GIT = { leaves: 'worktree' } as const;

/** A place in a repository of Subversion: `^/tags/1`. */
const isAddress = (word: string | undefined): boolean => /^(?:\^\/|\w[\w+]*:\/\/)/.test(word ?? '');

export const versionControlTools = (): readonly Tool[] => [
  tool('jj', [pullRequest('spr update|diff|land|merge')]),
  tool('jj', {
    values: '-R --repository --at-operation --at-op --color --config --config-file --config-toml',
    flags: '--ignore-working-copy --ignore-immutable --quiet --no-pager --debug',
    rules: [
      push('git push', {
        ...NOT_GIT,
        values: '--remote -b --bookmark --branch -r --revisions -c --change --named',
        flags: '--all --tracked --deleted --allow-new -N',
        dry: '--dry-run',
      }),
    ],
  }),
  tool('gt', [
    push('submit|s|ss|merge', {
      dry: '--dry-run',
      flags: '--stack -s --publish -p --draft -d --no-edit --no-interactive',
    }),
    push('stack|downstack|upstack|branch submit|s', { dry: '--dry-run' }),
  ]),
  tool('sl', [
    push('push', { ...NOT_GIT, values: '-t --to -r --rev', dry: '-n --dry-run' }),
    pullRequest('pr submit|s|land'),
    pullRequest('ghstack'),
  ]),
  tool('hg', { values: '-R --repository --cwd --config' }, [
    pullRequest('phabsend', NOT_GIT),
    push('email', { ...NOT_GIT, dry: '-n --test' }),
    push('push', {
      ...NOT_GIT,
      values: '-r --rev -b --branch -B --bookmark -e --ssh',
      flags: '-f --force --new-branch --insecure',
    }),
  ]),
  push('svnmucc', '', { ...NOT_GIT, values: '-m -F -u -p -U -r -X' }),
  push('osc', 'commit|ci|checkin', { ...NOT_GIT, id: 'osc commit' }),
  push('fedpkg rhpkg centpkg', 'push|build|update|chain-build', { id: 'fedpkg push' }),
  pullRequest('phabsend', ''),
  tool('svn', { values: '-m -F --message --file --username --password -r --revision' }, [
    push('commit|ci|import', { id: 'svn commit', ...NOT_GIT }),
    // A branch or a tag is a copy in the repository.
    push('copy|cp|mkdir|move|mv', {
      ...NOT_GIT,
      when: ({ operands }) => isAddress(operands.at(-1)),
    }),
  ]),
  push('bzr brz', 'push', { ...NOT_GIT, dry: '--dry-run' }),
  push('fossil', 'push|sync|commit|ci', {
    ...NOT_GIT,
    dry: '-n --dry-run',
    unless: '--private --no-sync',
  }),
  push('p4', 'submit', NOT_GIT),
  push('pijul darcs dolt', 'push', { ...NOT_GIT, dry: '--dry-run' }),
  push('cvs', 'commit|ci|com|import', { ...NOT_GIT, id: 'cvs commit' }),
  push('cm', 'checkin|ci|push', { ...NOT_GIT, id: 'cm checkin' }),
  push('tf', 'checkin', NOT_GIT),
  push('rad', 'push|sync'),
  pullRequest('rad', 'patch open'),
  push('lakectl', 'commit|merge|fs', {
    when: (use) => use.argv[1] !== 'fs' || use.operands[0] === 'upload',
  }),
  push('b4', 'send', { dry: '-d --dry-run', unless: '-o --output-dir --reflect' }),
  push('stg', 'mail|email', { unless: '-m --mbox' }),
  push('gs', 'stack|branch|upstack|downstack|repo|s|b submit|sync', {
    id: 'git spice submit',
    dry: '-n --dry-run',
  }),
  push('git-machete', 'traverse|advance|github|gitlab', {
    id: 'git machete',
    when: (use) =>
      !/^(github|gitlab)$/.test(use.argv[1] ?? '') ||
      /^(create|retarget|restack)-/.test(use.operands[0] ?? ''),
  }),
  push('repo', 'upload', { dry: '-n --dry-run' }),
  pullRequest('arc', 'diff|land', { unless: '--preview --only' }),
  pullRequest('spr git-spr', 'update|diff|land|merge'),
  pullRequest('av', 'pr|sync', { when: (use) => use.argv[1] === 'pr' || use.has('--push') }),
  pullRequest('ghstack', ''),
  push('git-spice', 'stack|branch|repo|upstack|downstack submit|s|sync', {
    id: 'git spice submit',
  }),
  push('git-town', 'ship|propose|sync', { id: 'git town ship', dry: '--dry-run' }),
  push('git-review', '', {
    id: 'git review',
    dry: '-n --dry-run -l --list -d --download -s --setup',
  }),
  push('git-cl', 'upload|land', { id: 'git cl upload' }),
];
