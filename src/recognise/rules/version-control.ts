/** Other version control systems, and tools that push for a review. */
import { pullRequest, push, type Tool, tool } from './rule.ts';

export function versionControlTools(): readonly Tool[] {
  return [
    tool(
      'jj',
      {
        values:
          '-R --repository --at-operation --at-op --color --config --config-file --config-toml',
        flags: '--ignore-working-copy --ignore-immutable --quiet --no-pager --debug',
      },
      [
        push('git push', {
          values: '--remote -b --bookmark --branch -r --revisions -c --change --named',
          flags: '--all --tracked --deleted --allow-new -N',
          dry: '--dry-run',
        }),
      ],
    ),
    tool('gt', [
      push('submit|s|ss|merge', {
        dry: '--dry-run',
        flags: '--stack -s --publish -p --draft -d --no-edit --no-interactive',
      }),
      push('stack|downstack|upstack|branch submit|s', { dry: '--dry-run' }),
    ]),
    tool('sl', [
      push('push', { values: '-t --to -r --rev', dry: '-n --dry-run' }),
      pullRequest('pr submit|s|land'),
      pullRequest('ghstack'),
    ]),
    tool('hg', { values: '-R --repository --cwd --config' }, [
      push('push', {
        values: '-r --rev -b --branch -B --bookmark -e --ssh',
        flags: '-f --force --new-branch --insecure',
      }),
    ]),
    tool('svn', [push('commit|ci|import', { values: '-m -F --username --password' })]),
    tool('bzr brz', [push('push', { dry: '--dry-run' })]),
    tool('fossil', [push('push|sync')]),
    tool('p4', [push('submit')]),
    tool('pijul', [push('push')]),
    tool('repo', [push('upload', { dry: '-n --dry-run' })]),
    tool('arc', [pullRequest('diff|land', { unless: '--preview --only' })]),
    tool('spr git-spr', [pullRequest('update|diff|land|merge')]),
    tool('av', [
      pullRequest('pr|sync', { when: (use) => use.argv[1] === 'pr' || use.has('--push') }),
    ]),
    tool('ghstack', [pullRequest('')]),
    tool('git-town', [push('ship|propose|sync', { id: 'git town ship', dry: '--dry-run' })]),
    tool('git-review', [
      push('', { id: 'git review', dry: '-n --dry-run -l --list -d --download -s --setup' }),
    ]),
    tool('git-cl', [push('upload|land', { id: 'git cl upload' })]),
  ];
}
