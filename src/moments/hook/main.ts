/**
 * The hook program: hands its arguments, environment and input to `answerCall` and writes what it
 * answers. It never crashes the agent and prints nothing but answers.
 */
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import type { EventStore } from '../../store/event-store.ts';
import { answerCall } from './answer.ts';
import { readInTime } from './read-in-time.ts';
import { readAll, writeAll } from './streams.ts';

/** Options of the program come before the event. */
const WORDS = process.argv.slice(2);
const ARGS = WORDS.slice(WORDS.findIndex((it) => !it.startsWith('--')));
const OPTIONS = WORDS.slice(0, WORDS.length - ARGS.length);
const PROGRAM = process.argv[1] ?? '';

const optionValue = (option: string): string | undefined =>
  OPTIONS.find((it) => it.startsWith(option))?.slice(option.length);

const MARK = optionValue('--mark=');

async function main(input: Buffer | undefined): Promise<number> {
  let store: Promise<EventStore> | undefined;
  const output = await answerCall({
    args: ARGS,
    id: optionValue('--event-id='),
    // The agent, or the script that started this, waits for the end of this process.
    isAwaited: async () => true,
    env: process.env,
    input: async (limitMs) =>
      input ?? (limitMs === undefined ? readAll() : readInTime(process.stdin, limitMs)),
    cwd: () => process.cwd(),
    now: () => new Date(),
    store: () => {
      store ??= openStore().catch((error) => {
        store = undefined;
        throw error;
      });
      return store;
    },
    onTerminal: () => process.stderr.isTTY === true,
    parents: async () => (await import('../../base/process/parents.ts')).parentCommands(),
  });
  writeAll(2, output.stderr);
  // The mark is last: an answer without it is incomplete.
  writeAll(1, output.stdout + (MARK === undefined ? '' : `${MARK}=${output.exitCode}`));
  (await store)?.shortenJournal();
  return output.exitCode;
}

async function openStore(): Promise<EventStore> {
  const { openEventStore } = await import('../../store/event-store.ts');
  return openEventStore(homeOf(process.env));
}

/** @param input if it was read to its end. */
export async function run(input: Buffer | undefined): Promise<void> {
  const [event, option = ''] = ARGS;
  if (event === 'resident') {
    const { serveHooks } = await import('../resident/resident.ts');
    const [, idleMs] = /^--idle-ms=(\d+)$/.exec(option) ?? [];
    const idle = idleMs === undefined ? undefined : Number(idleMs);
    return serveHooks({ answerCall, program: PROGRAM, idleMs: idle });
  }
  let exitCode = 1;
  try {
    exitCode = await main(input);
    if (OPTIONS.includes('--start-resident')) {
      const { startResident } = await import('../resident/start.ts');
      // The event is answered with or without it.
      attempt(() => startResident(PROGRAM, process.env));
    }
  } finally {
    // Ends at once, although the store is still open. If even the answer to a failure fails, the
    // exit code is 1, which agents take for a failed hook.
    process.exit(exitCode);
  }
}
