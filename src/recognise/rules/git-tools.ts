import { GIT_OPTIONS, GIT_SUBCOMMANDS, SUBCOMMAND_OPTIONS } from '../../git/command-line.ts';
import { push, type Tool, tool } from './rule.ts';

const PUSH = { ...SUBCOMMAND_OPTIONS.push, dry: '-n --dry-run' };

export function gitTools(): readonly Tool[] {
  return [
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
      push('town sync|ship|propose|append', {
        id: 'git town ship',
        dry: '--dry-run',
        unless: '--no-push',
      }),
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
    tool('git-subtree', [
      push('push', { id: 'git subtree push', values: '-P --prefix -b --branch -m' }),
    ]),
    tool('git-lfs', [push('push', { id: 'git lfs push', dry: '-d --dry-run' })]),
  ];
}
