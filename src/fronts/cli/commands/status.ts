import { countOf, durationOf, given, oneOf } from '../../../app/values.ts';
import { AUDIT_EVENTS, type AuditEntry } from '../../../store/decisions.ts';
import { quick, status } from '../../words/use-cases.ts';
import { type Context, command, repeatedly } from '../command.ts';

export const declareStatus = command({
  name: 'status',
  about: 'Show what is held here, and what the gate answered last',
  examples: [
    ['lanehold status', 'the verdict, then what is held'],
    ['lanehold status --quick', 'what hooks have seen, at once'],
    ['lanehold status --json', 'for programs'],
  ],
  options: [['--quick', 'what is noted as pending, without asking git']],
  async run(context, options) {
    if (options.quick) {
      const { quickStatus, quickText } = await quick();
      return context.print(await quickStatus(context), (it) => quickText(it, context.now()));
    }
    const { projectStatus, statusText } = await status();
    const found = await projectStatus(context);
    return context.print(found.data, statusText(found, context.now()));
  },
});

export const declareStatusline = command({
  name: 'statusline',
  about: 'Print in one line what is to be verified, without git',
  options: [
    ['--stdin', 'take the folder from the JSON that an agent gives its status line'],
    ['--wrap <command>', 'the same, and print first what this command of yours prints'],
  ],
  examples: [
    ['lanehold statusline', 'for the status bar of an agent, or a shell prompt'],
    ["lanehold statusline --wrap '~/bin/line.sh'", 'below your own status line'],
  ],
  async run(context, { stdin, wrap }) {
    const { outputOf, statusLine } = await import('../../../moments/lifecycle/status-line.ts');
    const input = stdin || wrap !== undefined ? await said(context) : '';
    const theirs = wrap === undefined ? undefined : outputOf(wrap, context, input);
    const { noted, text } = await statusLine(context, input, theirs);
    return context.print(noted, text);
  },
});

/** One JSON value, behind which the input may stay open. Nothing from a terminal, or if it cannot be read. */
async function said({ streams: { stdin } }: Context): Promise<string> {
  const { OPEN_INPUT_MS, readInTime } = await import('../../../moments/hook/read-in-time.ts');
  if ('isTTY' in stdin && stdin.isTTY === true) return '';
  const read = readInTime(stdin, OPEN_INPUT_MS).then(String, () => '');
  // An open one would keep the program from its end.
  return read.finally(() => stdin.destroy());
}

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
    const { readLog, logText } = await status();
    const { entries, more } = await readLog(context, wish);
    const text = entries.length === 0 ? 'Nothing yet' : logText(entries);
    if (!follow) return context.print({ entries }, text);
    const { stdout } = context.streams;
    const lines = (found: readonly AuditEntry[]) =>
      found.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    stdout.write(context.json ? lines(entries) : `${text}\n`);
    await repeatedly(context.streams, POLL_MS, async () => {
      const found = more();
      if (found.length > 0) stdout.write(context.json ? lines(found) : `${logText(found)}\n`);
      return 'more';
    });
    return 0;
  },
});
