import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { declareGitHookInstall } from './git-hook-install.ts';
import { declareGitHookRemove } from './git-hook-remove.ts';
import { declareGitHookStatus } from './git-hook-status.ts';

export function declareGitHook(parent: Command, context: () => Context): void {
  const gitHook = parent
    .command('git-hook')
    .description('Hold what git pushes from this repository, whoever or whatever pushes it');
  for (const declare of [declareGitHookInstall, declareGitHookRemove, declareGitHookStatus]) {
    declare(gitHook, context);
  }
}
