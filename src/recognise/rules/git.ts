import { push, type Tool, tool } from './rule.ts';

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
    tool(
      'git',
      {
        values: '-c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
        flags:
          '-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --exec-path --html-path --man-path --info-path --version',
        directory: '-C',
        abbreviates: true,
        subcommands: COMMANDS,
      },
      [
        push('push', {
          values: '-o --push-option --repo --receive-pack --exec --recurse-submodules',
          flags:
            '--all --branches --mirror --tags --delete -d --force -f --force-with-lease --force-if-includes --set-upstream -u --thin --quiet -q --verbose -v --progress --prune --porcelain --no-verify --verify --follow-tags --signed --atomic --ipv4 -4 --ipv6 -6',
          dry: '-n --dry-run',
        }),
        push('send-pack', {
          values: '--receive-pack --exec --remote -o --push-option',
          flags:
            '--all --stdin --mirror --force -f --verbose -v --thin --atomic --signed --quiet -q',
          dry: '-n --dry-run',
        }),
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
        push('town sync|ship|propose|append', {
          id: 'git town ship',
          dry: '--dry-run',
          unless: '--no-push',
        }),
        push('review', { dry: '-n --dry-run -l --list -d --download -s --setup' }),
        push('cl upload|land', { dry: '--dry-run' }),
        // What they send is told on their input: the command does not say that they only fetch.
        push('remote-http|remote-https|remote-ftp|remote-ftps|remote-ext|remote-fd', {
          id: 'git remote helper',
        }),
      ],
    ),
    tool('git-push git-send-pack git-http-push', { abbreviates: true }, [
      push('', {
        id: 'git push',
        values: '-o --push-option --repo --receive-pack --exec --recurse-submodules --remote',
        flags: '-u --set-upstream -f --force --tags --all --mirror',
        dry: '-n --dry-run',
      }),
    ]),
    tool(
      'git-remote-http git-remote-https git-remote-ftp git-remote-ftps git-remote-ext git-remote-fd',
      [push('', { id: 'git remote helper' })],
    ),
    tool('git-subtree', [
      push('push', { id: 'git subtree push', values: '-P --prefix -b --branch -m' }),
    ]),
    tool('git-lfs', [push('push', { id: 'git lfs push', dry: '-d --dry-run' })]),
  ];
}
