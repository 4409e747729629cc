import { projectStatus, readLog } from '../../../app/setup/status.ts';
import { countOf, durationOf, given, oneOf } from '../../../app/values.ts';
import { needsView } from '../../../app/view/needs.ts';
import { printableJson } from '../../../base/text/printable.ts';
import { quickStatus } from '../../../moments/lifecycle/status-line.ts';
import { AUDIT_EVENTS, type AuditEntry } from '../../../store/decisions.ts';
import { logText, quickText, statusText } from '../../words/status.ts';
import { command, repeatedly } from '../command.ts';

export const declareStatus = command({
  name: 'status',
  about: 'Show what is held here, and what the gate answered last',
  examples: [
    ['lanehold status', 'the verdict, then what is held'],
    ['lanehold status --quick', 'what hooks have seen, at once'],
    ['lanehold status --watch', 'keep looking: who needs you, lanes, what would not leave'],
    ['lanehold status --json', 'for programs'],
  ],
  options: [
    ['--quick', 'what is noted as pending, without asking git', { conflicts: 'watch' }],
    ['--watch', 'go on and show what changes; on a terminal with keys, until q'],
  ],
  async run(context, options) {
    if (options.watch) {
      const { watchView } = await import('../watch-board.ts');
      await watchView(context, {}, (view) => view);
      return 0;
    }
    if (options.quick)
      return context.print(await quickStatus(context), (it) => quickText(it, context.now()));
    const found = await projectStatus(context);
    const needs = context.json ? (await needsView(context)).needs : [];
    return context.print({ ...found.data, needs }, statusText(found, context.now()));
  },
});

const POLL_MS = 500;

export const declareLog = command({
  name: 'log',
  about: 'Show what the gate answered, and who waived what',
  options: [
    ['--limit <count>', 'how many entries', { default: '20' }],
    ['--since <duration>', 'no older than this: 90m, 24h, 7d'],
    ['--event <event...>', AUDIT_EVENTS.join(', ')],
    ['--all', 'of every project on this machine'],
    ['--follow', 'go on and print what comes, until Ctrl-C'],
  ],
  examples: [
    ['lanehold log', 'the last twenty answers in this project'],
    ['lanehold log --event deny waived --since 7d', 'what was held or waived this week'],
    ['lanehold log --follow', 'watch agents at work'],
  ],
  async run(context, { limit, since, event = AUDIT_EVENTS, all = false, follow }) {
    const wish = {
      events: event.map((written) => oneOf('event', AUDIT_EVENTS, written)),
      limit: countOf(limit),
      sinceMs: given(durationOf, since),
      all,
    };
    const { entries, more } = await readLog(context, wish);
    const text = entries.length === 0 ? 'Nothing yet' : logText(entries);
    if (!follow) return context.print({ entries }, text);
    const { stdout } = context.streams;
    const lines = (found: readonly AuditEntry[]) =>
      found.map((entry) => `${printableJson(entry)}\n`).join('');
    stdout.write(context.json ? lines(entries) : `${text}\n`);
    await repeatedly(context.streams, POLL_MS, async () => {
      const found = more();
      if (found.length > 0) stdout.write(context.json ? lines(found) : `${logText(found)}\n`);
      return 'more';
    });
    return 0;
  },
});
