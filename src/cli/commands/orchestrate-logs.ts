import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { LaneContext } from '../../lanes/context.ts';
import type { AttemptLog, Excerpt } from '../../lanes/logs/attempt-log.ts';
import type { Attempt } from '../../store/attempts.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { printable, printableLine } from '../../text/printable.ts';
import { duration } from '../../text/time.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { countOf } from '../values.ts';

type Options = RunOption & {
  readonly follow?: boolean;
  readonly attempt?: string;
  readonly raw?: boolean;
};

const POLL_MS = 250;

export function declareOrchestrateLogs(parent: Command, context: () => Context): void {
  withRun(parent.command('logs'))
    .description('Show what the worker of a lane said and did, and the end of its validation')
    .argument('<key>', 'the lane')
    .option('-f, --follow', 'go on until the attempt has ended, or Ctrl-C')
    .option('--attempt <number>', 'not the last attempt but this one')
    .option('--raw', 'all that the worker printed, as it printed it')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate logs api', 'the end of it, made readable'],
        ['lanehold orchestrate logs api -f', 'watch it at work'],
        ['lanehold orchestrate logs api --attempt 1 --raw', 'everything of an earlier attempt'],
      ),
    )
    .action(async (key: string, options: Options) => {
      process.exitCode = await runOrchestrateLogs(context(), key, options);
    });
}

export async function runOrchestrateLogs(
  context: Context,
  key: string,
  options: Options,
): Promise<ExitCode> {
  const n = options.attempt === undefined ? undefined : countOf(options.attempt);
  const { laneContext, run } = await openOrchestration(context, options);
  const [{ findLane }, { attemptLog, excerptOf }] = await Promise.all([
    import('../../lanes/find.ts'),
    import('../../lanes/logs/attempt-log.ts'),
  ]);
  const log = attemptLog(laneContext, findLane(laneContext.store, run, key), n);
  if (options.follow) await follow(context, laneContext, { log, raw: options.raw === true });
  else if (options.raw) await copyRaw(context, log);
  else {
    const excerpt = excerptOf(log);
    const { attempt, stdout, stderr, validations } = log;
    context.print(
      { lane: key, attempt, files: { stdout, stderr }, validations, ...excerpt },
      excerptText(log, excerpt, context.now()),
    );
  }
  return ExitCode.done;
}

function excerptText({ attempt, validations }: AttemptLog, excerpt: Excerpt, now: Date): string {
  const last = validations.at(-1);
  const nothing = excerpt.stream.length === 0 ? ['(it has said nothing)'] : excerpt.stream;
  return [
    headline(attempt, now),
    ...nothing,
    ...(excerpt.stderr.length === 0 ? [] : ['stderr:', ...excerpt.stderr.map(indented)]),
    ...(last === undefined ? [] : [verdictLine(last), ...excerpt.validation.map(indented)]),
  ].join('\n');
}

function headline(attempt: Attempt, now: Date): string {
  const { n, agent, state, endReason, endDetail, startedAt, endedAt } = attempt;
  const lasted = duration((endedAt ?? now).getTime() - startedAt.getTime());
  const end = [endReason, endDetail].filter(Boolean).join(': ');
  const ended = end === '' ? '' : `, ${printableLine(end, 400)}`;
  return `attempt ${n} by ${printableLine(agent ?? 'nobody')}: ${state}${ended}, ${lasted}`;
}

function verdictLine({ cmd, result, exitCode, why }: Validation): string {
  const exit = exitCode === null ? '' : `exit code ${exitCode}`;
  const how = [result, printableLine(why || exit, 400)].filter((it) => it !== '').join(', ');
  return `validation \`${printableLine(cmd)}\`: ${how}`;
}

function indented(line: string): string {
  return `  ${printable(line)}`;
}

/** To the streams that the worker meant them for. */
async function copyRaw({ streams }: Context, { stdout, stderr }: AttemptLog): Promise<void> {
  const { growingFile, pieces } = await import('../../lanes/logs/growing-file.ts');
  for (const piece of pieces(growingFile(stdout))) streams.stdout.write(piece);
  for (const piece of pieces(growingFile(stderr))) streams.stderr.write(piece);
}

async function follow(
  context: Context,
  { store, now }: LaneContext,
  { log, raw }: { readonly log: AttemptLog; readonly raw: boolean },
): Promise<void> {
  const [{ attemptStore, isLive }, { copier }] = await Promise.all([
    import('../../store/attempts.ts'),
    import('../follow-log.ts'),
  ]);
  const copy = copier(context, log, raw ? 'raw' : 'readable');
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  process.once('SIGINT', stop);
  try {
    while (!stopped.signal.aborted && !context.streams.stdout.writableEnded) {
      // Asked first: what is written before the end is still there to be read after it.
      const attempt = attemptStore(store).byId(log.attempt.id);
      copy.more();
      if (attempt === undefined || !isLive(attempt)) {
        copy.end();
        context.progress(headline(attempt ?? log.attempt, now()));
        return;
      }
      await pause(POLL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  } finally {
    process.removeListener('SIGINT', stop);
  }
}
