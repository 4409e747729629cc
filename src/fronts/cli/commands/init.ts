import type { Runtime } from '../../../agents/kit/hook-shim.ts';
import { type InitReport, initProject } from '../../../app/setup/init.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { changesNothing, initText, planText } from '../../words/init.ts';
import { verificationProgress } from '../../words/verification.ts';
import {
  agrees,
  type Context,
  canAnswer,
  command,
  INTERRUPTED,
  interruptible,
  type OptionsOf,
} from '../command.ts';

const OPTIONS = [
  ['--agent <name...>', 'which agents (default: those found on this machine)'],
  ['--dry-run', 'show what would be done, change nothing'],
  ['--yes', 'do not ask'],
  ['--no-try', 'write the proposed features without running their tests once'],
  ['--no-git-hook', 'leave git alone'],
] as const;

export type InitOptions = Partial<OptionsOf<typeof OPTIONS>>;

export const declareInit = command({
  name: 'init',
  about: 'Set up this repository: hooks, tried features, git’s hook',
  options: OPTIONS,
  examples: [
    ['lanehold init', 'see what would be done, agree, done'],
    ['lanehold init --dry-run', 'only see it'],
    ['lanehold init --yes', 'for scripts'],
  ],
  notes: '\n\nWithout a terminal it takes --yes. What the project has already stays as it is.',
  run: (context, options) => runInit(context, options),
});

/** @param runtime what the hooks will start; by default this Node and this package's hook program. */
export async function runInit(context: Context, options: InitOptions, runtime?: Runtime) {
  const { agent: agents, yes = false, dryRun = false, gitHook = true } = options;
  const wish = { agents, extras: ['skills', 'statusline'] as const, gitHook };
  if (dryRun || !yes) {
    const plan = await initProject(context, { ...wish, dryRun: true }, runtime);
    if (dryRun) return context.print(plan, await planText(plan, context));
    if (!changesNothing(plan)) {
      if (!canAnswer(context)) {
        throw new UsageError('nobody can be asked here, so nothing was written', {
          hint: 'see what would be done with `--dry-run`, then add `--yes`',
        });
      }
      context.progress(await planText(plan, context));
      if (!(await agrees(context, 'Do this?'))) {
        context.progress('nothing was written');
        return ExitCode.failed;
      }
    }
  }
  const { stop, ...progress } = await verificationProgress(context);
  const report = await interruptible((signal) => {
    const trying = options.try === false ? undefined : { signal, ...progress };
    return initProject(context, { ...wish, dryRun: false, trying }, runtime);
  }).finally(stop);
  const { columns } = context.streams.stdout;
  return context.print(report, (it) => initText(it, columns), exitCodeOf(report));
}

function exitCodeOf({ interrupted, agents }: InitReport): number {
  if (interrupted) return INTERRUPTED;
  const isWhole = agents === null || agents.every(({ problem }) => problem === null);
  return isWhole ? ExitCode.done : ExitCode.failed;
}
