import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { GitHookRemoved } from '../../install/git-hook.ts';
import { printable } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';

export function declareGitHookRemove(parent: Command, context: () => Context): void {
  parent
    .command('remove')
    .description('Take the pre-push hook out again and put back what was there before')
    .addHelpText('after', examples(['lanehold git-hook remove', 'in the repository you stand in']))
    .action(async () => {
      process.exitCode = await runGitHookRemove(context());
    });
}

export async function runGitHookRemove(context: Context): Promise<ExitCode> {
  const [{ removeGitHook }, { forgetGitHooks }, { hookFolder }, { exclusively }, { homeOf }] =
    await Promise.all([
      import('../../install/git-hook.ts'),
      import('../../install/git-hook-records.ts'),
      import('../../install/hook-folder.ts'),
      import('../../install/lock.ts'),
      import('../../store/home.ts'),
    ]);
  const place = await hookFolder(context.cwd, context.env);
  const home = homeOf(context.env);
  const removed = await exclusively(home, () => {
    const done = removeGitHook(place);
    forgetGitHooks(home, [place.folder, place.ownFolder]);
    return done;
  });
  context.print({ removed }, removed.map(inWords).join('\n'));
  return ExitCode.done;
}

function inWords({ state, file, left }: GitHookRemoved): string {
  const path = printable(file);
  switch (state) {
    case 'restored':
      return `restored ${path} as it was before`;
    case 'deleted':
      return `deleted ${path}, which there was not before`;
    case 'absent':
      return left === undefined
        ? `nothing of ours in ${path}`
        : `left ${path}, which is not ours; what was there before ours is ${printable(left)}`;
  }
}
