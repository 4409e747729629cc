import { delimiter, isAbsolute } from 'node:path';
import type { Runtime } from '../../../agents/kit/hook-shim.ts';
import * as gitHook from '../../../app/setup/git-hook.ts';
import { ExitCode } from '../../../base/errors.ts';
import { runAttached } from '../../../base/process/run.ts';
import { GIT_PRE_PUSH } from '../../../base/text/git-hook.ts';
import { hookStart } from '../../../install/targets.ts';
import * as words from '../../words/install.ts';
import { type Context, command, group } from '../command.ts';

const install = command({
  name: 'install',
  about: 'Put a pre-push hook before the one that is there, or bring ours up to date',
  examples: [['lanehold git-hook install', 'once per clone; a hook that is there runs after it']],
  options: [['--in-project', 'add lines to the hook of the project, which every clone then has']],
  run: (context, options) => runGitHookInstall(context, options),
});

export async function runGitHookInstall(
  context: Context,
  { inProject }: { readonly inProject?: boolean },
  runtime?: Runtime,
): Promise<number> {
  const installed = await (inProject
    ? gitHook.setUpInProject(context)
    : gitHook.setUpGitHook(context, runtime));
  return context.print(installed, await words.gitHookInstalledText(installed, context));
}

const remove = command({
  name: 'remove',
  about: 'Remove the pre-push hook, and put back what was there before',
  examples: [['lanehold git-hook remove', 'in the repository you stand in']],
  run: async (context) =>
    context.print(await gitHook.takeOutGitHook(context), words.gitHookRemovedText),
});

const status = command({
  name: 'status',
  about: 'Say whether git itself holds a push here (exit code 1 if not)',
  examples: [
    ['lanehold git-hook status', 'after `npm install`, husky may have written its own again'],
    ['lanehold git-hook status --json', 'the same for scripts'],
  ],
  async run(context) {
    const found = await gitHook.gitHookStatus(context);
    return context.print(
      found,
      words.gitHookStatusText(found),
      found.holds ? ExitCode.done : ExitCode.failed,
    );
  },
});

const run = command({
  name: 'run',
  about: 'Answer a pre-push hook: for the hook of another program, with what git gives it',
  args: [['[remote...]', 'the arguments of the hook; its input comes on stdin']],
  examples: [
    ['lanehold git-hook run "$@"', 'in `.husky/pre-push`; exits with 1 if the push is held'],
  ],
  // Husky puts a relative folder first, which the shell of the caller does not have.
  run: async ({ cwd, env }, remote) => {
    const PATH = env.PATH?.split(delimiter).filter(isAbsolute).join(delimiter);
    const start = hookStart('git', [GIT_PRE_PUSH, '', ...remote]);
    return runAttached('/bin/sh', start, { cwd, env: { ...env, PATH } });
  },
});

export const declareGitHook = group({
  name: 'git-hook',
  about: 'Hold what git pushes from here, whoever pushes it',
  commands: [install, remove, status, run],
});
