import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import type { Untrue } from '../../lanes/handoff/check.ts';
import { plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import {
  type Orchestration,
  openOrchestration,
  type RunOption,
  withRun,
} from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { countOf } from '../values.ts';

type Options = RunOption & {
  readonly write?: string;
  readonly since?: string;
  readonly maxChars?: string;
  /** `true`: the one that was given out last. */
  readonly check?: string | true;
};

export function declareOrchestrateHandoff(parent: Command, context: () => Context): void {
  withRun(parent.command('handoff'))
    .description('Tell all that somebody needs to go on with the run, or check what was told')
    .option('--write <file>', 'write it to this file as well')
    .option('--since <event>', 'only what has changed after this event')
    .option('--max-chars <count>', 'no longer than this; with --since 6000 by default')
    .option('--check [file]', 'list the lines of the last handoff, or of a file, that are not true')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate handoff', 'everything, questions first'],
        ['lanehold orchestrate handoff --since 42', 'what came after event 42'],
        ['lanehold orchestrate handoff --check', 'is it still true? exit code 3 if not'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runOrchestrateHandoff(context(), options);
    });
}

export async function runOrchestrateHandoff(context: Context, options: Options): Promise<ExitCode> {
  if (options.check !== undefined && options.since !== undefined) {
    throw new UsageError('--check and --since do not go together', { hint: 'give one of them' });
  }
  const maxChars = options.maxChars === undefined ? undefined : countOf(options.maxChars);
  const cursor = options.since === undefined ? undefined : cursorOf(options.since);
  const orchestration = await openOrchestration(context, options);
  if (options.check !== undefined) return runCheck(context, orchestration, options.check);
  const told =
    cursor === undefined
      ? await tellAll(context, orchestration, maxChars)
      : await tellSince(context, orchestration, { cursor, maxChars });
  if (options.write !== undefined) await writeFile(context, options.write, told);
  context.print(told.data, told.text.trimEnd());
  return ExitCode.done;
}

interface Told {
  readonly data: unknown;
  readonly text: string;
}

async function tellAll(
  context: Context,
  { laneContext, run }: Orchestration,
  maxChars: number | undefined,
): Promise<Told> {
  const [{ storeHandoff }, { untrueLines }, { handoffPage }, { actorOf }] = await Promise.all([
    import('../../lanes/handoff/document.ts'),
    import('../../lanes/handoff/check.ts'),
    import('../../lanes/handoff/page.ts'),
    import('../../agents/actor.ts'),
  ]);
  const { name, session } = actorOf(context);
  const made = storeHandoff(laneContext, run, { agent: name, session: session ?? '' });
  const untrue = await untrueLines(laneContext, run, made.lines);
  const { text, left } = handoffPage(made, untrue, sizeOf(context, maxChars));
  return { data: { ...made, untrue, left: context.json ? 0 : left }, text };
}

async function tellSince(
  context: Context,
  { laneContext, run }: Orchestration,
  { cursor, maxChars }: { readonly cursor: number; readonly maxChars: number | undefined },
): Promise<Told> {
  const { handoffSince } = await import('../../lanes/handoff/since.ts');
  const news = handoffSince(laneContext, run, { cursor, ...sizeOf(context, maxChars) });
  const text = news.text === '' ? `Nothing new since event ${cursor}` : news.text;
  return { data: { since: cursor, ...news }, text };
}

function sizeOf({ verbose }: Context, maxChars: number | undefined) {
  const ids = verbose ? ('full' as const) : ('short' as const);
  return maxChars === undefined ? { ids } : { ids, maxChars };
}

function cursorOf(written: string): number {
  const cursor = Number(written);
  if (Number.isSafeInteger(cursor) && cursor >= 0) return cursor;
  throw new UsageError(`\`${printableLine(written)}\` is no event`, {
    hint: 'give the number that the last handoff named',
  });
}

/** Under --json the file holds JSON, too. */
async function writeFile({ cwd, json, progress }: Context, name: string, told: Told) {
  const { replaceUserFile } = await import('../../files/replace-file.ts');
  const file = resolve(cwd, name);
  const text = json ? `${JSON.stringify(told.data, null, 2)}\n` : told.text;
  replaceUserFile(file, text, { hint: 'make the folder writable, or leave out --write' });
  progress(`wrote ${file}`);
}

async function runCheck(
  context: Context,
  { laneContext, run }: Orchestration,
  file: string | true,
): Promise<ExitCode> {
  const [{ givenInFile, lastGiven }, { untrueLines }, { handoff }] = await Promise.all([
    import('../../lanes/handoff/stored.ts'),
    import('../../lanes/handoff/check.ts'),
    import('../../lanes/handoff/document.ts'),
  ]);
  const given =
    file === true
      ? (lastGiven(laneContext, run) ?? handoff(laneContext, run, { agent: '', session: '' }))
      : givenInFile(laneContext, run, resolve(context.cwd, file));
  const untrue = await untrueLines(laneContext, run, given.lines);
  const data = {
    ok: untrue.length === 0,
    handoff: given.id,
    lines: given.lines.length,
    untrue,
  };
  context.print(data, checkText(given.lines.length, untrue));
  return untrue.length === 0 ? ExitCode.done : ExitCode.held;
}

function checkText(lines: number, untrue: readonly Untrue[]): string {
  if (untrue.length === 0) return `Still true: all ${plural(lines, 'line')}`;
  return [
    `${untrue.length} of ${plural(lines, 'line')} ${untrue.length === 1 ? 'is' : 'are'} not true any more`,
    ...untrue.flatMap(({ about, was, now }) => [
      `${printableLine(about)}: ${printableLine(now, 400)}`,
      `  was: ${printableLine(was, 400)}`,
    ]),
    'hint: run `lanehold orchestrate handoff` for what is true now',
  ].join('\n');
}
