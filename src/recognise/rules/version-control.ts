/** Other version control systems, and tools that push for a review. */
import type { Tool } from './rule.ts';

export function versionControlTools(): readonly Tool[] {
  return [
    {
      names: 'jj',
      values: '-R --repository --at-operation --at-op --color --config --config-file --config-toml',
      flags: '--ignore-working-copy --ignore-immutable --quiet --no-pager --debug',
      rules: [
        {
          id: 'jj git push',
          kind: 'push',
          path: 'git push',
          values: '--remote -b --bookmark --branch -r --revisions -c --change --named',
          flags: '--all --tracked --deleted --allow-new -N',
          dry: '--dry-run',
        },
      ],
    },
    {
      names: 'gt',
      rules: [
        {
          id: 'gt submit',
          kind: 'push',
          path: 'submit|s|ss|merge',
          dry: '--dry-run',
          flags: '--stack -s --publish -p --draft -d --no-edit --no-interactive',
        },
        {
          id: 'gt stack submit',
          kind: 'push',
          path: 'stack|downstack|upstack|branch submit|s',
          dry: '--dry-run',
        },
      ],
    },
    {
      names: 'sl',
      rules: [
        {
          id: 'sl push',
          kind: 'push',
          path: 'push',
          values: '-t --to -r --rev',
          dry: '-n --dry-run',
        },
        { id: 'sl pr submit', kind: 'pull-request', path: 'pr submit|s|land' },
        { id: 'sl ghstack', kind: 'pull-request', path: 'ghstack' },
      ],
    },
    {
      names: 'hg',
      values: '-R --repository --cwd --config',
      rules: [
        {
          id: 'hg push',
          kind: 'push',
          path: 'push',
          values: '-r --rev -b --branch -B --bookmark -e --ssh',
          flags: '-f --force --new-branch --insecure',
        },
      ],
    },
    {
      names: 'svn',
      rules: [
        {
          id: 'svn commit',
          kind: 'push',
          path: 'commit|ci|import',
          values: '-m -F --username --password',
        },
      ],
    },
    { names: 'bzr brz', rules: [{ id: 'bzr push', kind: 'push', path: 'push', dry: '--dry-run' }] },
    { names: 'fossil', rules: [{ id: 'fossil push', kind: 'push', path: 'push|sync' }] },
    { names: 'p4', rules: [{ id: 'p4 submit', kind: 'push', path: 'submit' }] },
    { names: 'pijul', rules: [{ id: 'pijul push', kind: 'push', path: 'push' }] },
    {
      names: 'repo',
      rules: [{ id: 'repo upload', kind: 'push', path: 'upload', dry: '-n --dry-run' }],
    },
    {
      names: 'arc',
      rules: [
        {
          id: 'arc diff',
          kind: 'pull-request',
          path: 'diff|land',
          when: (use) => !use.has('--preview', '--only'),
        },
      ],
    },
    {
      names: 'spr git-spr',
      rules: [{ id: 'spr update', kind: 'pull-request', path: 'update|diff|land|merge' }],
    },
    {
      names: 'av',
      rules: [
        {
          id: 'av pr',
          kind: 'pull-request',
          path: 'pr|sync',
          when: (use) => use.argv[1] === 'pr' || use.has('--push'),
        },
      ],
    },
    { names: 'ghstack', rules: [{ id: 'ghstack', kind: 'pull-request', path: '' }] },
    {
      names: 'git-town',
      rules: [{ id: 'git town ship', kind: 'push', path: 'ship|propose|sync', dry: '--dry-run' }],
    },
    {
      names: 'git-review',
      rules: [
        {
          id: 'git review',
          kind: 'push',
          path: '',
          dry: '-n --dry-run -l --list -d --download -s --setup',
        },
      ],
    },
    { names: 'git-cl', rules: [{ id: 'git cl upload', kind: 'push', path: 'upload|land' }] },
  ];
}
