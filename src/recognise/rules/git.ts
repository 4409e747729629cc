import type { Tool } from './rule.ts';

const COMMANDS =
  'add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr ' +
  'check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick ' +
  'clean clone column commit commit-graph commit-tree config count-objects credential ' +
  'cvsexportcommit cvsimport daemon describe diagnose diff diff-files diff-index diff-tree ' +
  'difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg ' +
  'for-each-ref for-each-repo format-patch fsck gc grep gui hash-object help hook ' +
  'http-fetch http-push imap-send index-pack init instaweb interpret-trailers lfs log ' +
  'ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file ' +
  'merge-index merge-tree mergetool mktag mktree mv name-rev notes p4 pack-objects ' +
  'pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog refs ' +
  'remote repack replace replay request-pull rerere reset restore rev-list rev-parse ' +
  'revert rm send-email send-pack shortlog show show-branch show-index show-ref ' +
  'sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref ' +
  'tag unpack-file unpack-objects update-index update-ref update-server-info var ' +
  'verify-commit verify-pack verify-tag version whatchanged worktree write-tree';

export function gitTools(): readonly Tool[] {
  return [
    {
      names: 'git',
      values: '-c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
      flags:
        '-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs ' +
        '--noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice ' +
        '--exec-path --html-path --man-path --info-path --version',
      directory: '-C',
      abbreviates: true,
      subcommands: COMMANDS,
      rules: [
        {
          id: 'git push',
          kind: 'push',
          path: 'push',
          values: '-o --push-option --repo --receive-pack --exec --recurse-submodules',
          flags:
            '--all --branches --mirror --tags --delete -d --force -f --force-with-lease ' +
            '--force-if-includes --set-upstream -u --thin --quiet -q --verbose -v --progress --prune ' +
            '--porcelain --no-verify --verify --follow-tags --signed --atomic --ipv4 -4 --ipv6 -6',
          dry: '-n --dry-run',
        },
        {
          id: 'git send-pack',
          kind: 'push',
          path: 'send-pack',
          values: '--receive-pack --exec --remote -o --push-option',
          flags:
            '--all --stdin --mirror --force -f --verbose -v --thin --atomic --signed --quiet -q',
          dry: '-n --dry-run',
        },
        {
          id: 'git http-push',
          kind: 'push',
          path: 'http-push',
          dry: '--dry-run',
        },
        {
          id: 'git subtree push',
          kind: 'push',
          path: 'subtree push',
          values: '-P --prefix -b --branch -m --message --annotate --onto',
          flags: '-q --quiet -d --debug --rejoin --squash --ignore-joins',
        },
        { id: 'git lfs push', kind: 'push', path: 'lfs push', dry: '-d --dry-run' },
        { id: 'git svn dcommit', kind: 'push', path: 'svn dcommit', dry: '-n --dry-run' },
        {
          id: 'git svn commit',
          kind: 'push',
          path: 'svn set-tree|commit-diff',
          dry: '-n --dry-run',
        },
        { id: 'git p4 submit', kind: 'push', path: 'p4 submit', dry: '-n --dry-run' },
        { id: 'git send-email', kind: 'push', path: 'send-email', dry: '--dry-run' },
        {
          id: 'git annex sync',
          kind: 'push',
          path: 'annex sync|push|assist|copy',
          when: (use) => !use.has('--no-push'),
        },
        {
          id: 'git flow publish',
          kind: 'push',
          path: 'flow feature|release|hotfix|bugfix|support publish',
        },
        {
          id: 'git town ship',
          kind: 'push',
          path: 'town sync|ship|propose|append',
          dry: '--dry-run',
          when: (use) => !use.has('--no-push'),
        },
        {
          id: 'git review',
          kind: 'push',
          path: 'review',
          dry: '-n --dry-run -l --list -d --download -s --setup',
        },
        { id: 'git cl upload', kind: 'push', path: 'cl upload|land', dry: '--dry-run' },
        // Told on their input what to send: nothing in the command says that they only fetch.
        {
          id: 'git remote helper',
          kind: 'push',
          path: 'remote-http|remote-https|remote-ftp|remote-ftps|remote-ext|remote-fd',
        },
      ],
    },
    {
      names: 'git-push git-send-pack git-http-push',
      abbreviates: true,
      rules: [
        {
          id: 'git push',
          kind: 'push',
          path: '',
          values: '-o --push-option --repo --receive-pack --exec --recurse-submodules --remote',
          flags: '-u --set-upstream -f --force --tags --all --mirror',
          dry: '-n --dry-run',
        },
      ],
    },
    {
      names:
        'git-remote-http git-remote-https git-remote-ftp git-remote-ftps git-remote-ext git-remote-fd',
      rules: [{ id: 'git remote helper', kind: 'push', path: '' }],
    },
    {
      names: 'git-subtree',
      rules: [
        {
          id: 'git subtree push',
          kind: 'push',
          path: 'push',
          values: '-P --prefix -b --branch -m',
        },
      ],
    },
    {
      names: 'git-lfs',
      rules: [{ id: 'git lfs push', kind: 'push', path: 'push', dry: '-d --dry-run' }],
    },
  ];
}
