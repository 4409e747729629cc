import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import {
  AUDIT_EVENTS,
  type AuditEntry,
  type AuditEvent,
  type AuditQuery,
} from '../../store/audit.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { countOf, durationOf } from '../values.ts';
import { openContextWorkspace } from '../workspace.ts';

type Options = {
  readonly limit: string;
  readonly since?: string;
  readonly event?: readonly string[];
  readonly all?: boolean;
  readonly follow?: boolean;
};

const POLL_MS = 500;
const FOLLOWED_AT_ONCE = 1_000;

export function declareLog(parent: Command, context: () => Context): void {
  parent
    .command('log')
    .description('Show what the gate answered, and who let something leave without a test')
    .option('--limit <count>', 'how many entries', '20')
    .option('--since <duration>', 'no older than this: 90m, 24h, 7d')
    .option('--event <event...>', AUDIT_EVENTS.join(', '))
    .option('--all', 'of every project on this machine')
    .option('--follow', 'go on and print what comes, until Ctrl-C')
    .addHelpText(
      'after',
      examples(
        ['lanehold log', 'the last twenty answers in this project'],
        ['lanehold log --event deny waived --since 7d', 'what was held or waived this week'],
        ['lanehold log --follow', 'watch agents at work'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runLog(context(), options);
    });
}

export async function runLog(context: Context, options: Options): Promise<ExitCode> {
  const events = eventsOf(options.event);
  const limit = countOf(options.limit);
  const sinceMs = options.since === undefined ? undefined : durationOf(options.since);
  const [workspace, { auditStore }, { renderTable }] = await Promise.all([
    openContextWorkspace(context),
    import('../../store/audit.ts'),
    import('../render/table.ts'),
  ]);
  const audit = auditStore(workspace.store);
  const projectId = options.all ? undefined : workspace.projectId;
  const since = new Date(sinceMs === undefined ? 0 : context.now().getTime() - sinceMs);
  const query = { projectId, since, events, limit };
  // Oldest of them first, as one reads a log.
  const entries = audit.entries(query).reverse();
  const text = entries.length === 0 ? 'Nothing yet' : renderTable(entries.map(toRow));
  if (!options.follow) {
    context.print({ entries }, text);
    return ExitCode.done;
  }
  context.streams.stdout.write(context.json ? lines(entries) : `${text}\n`);
  await follow(context, { ...query, since: entries.at(-1)?.at ?? since }, audit.entries);
  return ExitCode.done;
}

function eventsOf(written: readonly string[] | undefined): readonly AuditEvent[] {
  return (written ?? AUDIT_EVENTS).map((event) => {
    const known = AUDIT_EVENTS.find((it) => it === event);
    if (known !== undefined) return known;
    throw new UsageError(`there is no event \`${event}\``, {
      hint: `one of ${AUDIT_EVENTS.join(', ')}`,
    });
  });
}

async function follow(
  context: Context,
  query: AuditQuery,
  read: (query: AuditQuery) => AuditEntry[],
): Promise<void> {
  const { renderTable } = await import('../render/table.ts');
  let { since } = query;
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  while (!stopped.signal.aborted && !context.streams.stdout.writableEnded) {
    const found = read({ ...query, since, limit: FOLLOWED_AT_ONCE }).reverse();
    if (found.length > 0) {
      const text = context.json ? lines(found) : `${renderTable(found.map(toRow))}\n`;
      context.streams.stdout.write(text);
      since = found.at(-1)?.at ?? since;
    }
    await pause(POLL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
  }
}

function lines(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

function toRow({ at, event, actor, subject, command, reason }: AuditEntry): string[] {
  const why = reason.split('\n').slice(0, 2).join('; ');
  return [at.toISOString().slice(0, 19), event, subject, actor, command || why];
}
