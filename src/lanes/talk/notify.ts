/**
 * Tells a person what they do not see: by a command, on the desktop, and to a URL, as the user has set it.
 *
 * A file of a run says of each notice that it was told. The program that tells it makes that file itself, at its
 * start, and outlives whoever started it: a crash neither loses a notice nor repeats it. Only a URL is asked
 * again if the process is killed before its answer is on record; `id` is equal then.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WrittenNotify } from '../../base/config/schema-lanes.ts';
import { attempt } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from '../../base/process/held-lock.ts';
import { run as runProgram } from '../../base/process/run.ts';
import { printableLine } from '../../base/text/printable.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type Run, runStore } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { attemptDir } from '../spec/paths.ts';
import { type Notice, noticesOf } from './notices.ts';

const toldDir = ({ store }: LaneContext, run: Run) => join(attemptDir(store.home, run.id), 'told');

/** Held by the program that tells; there is one at a time. */
const notifyLock = ({ store }: LaneContext) => join(store.home.runs, 'lanes', 'notify.lock');

/** Held while somebody watches the board of the run. */
const watchLock = (context: LaneContext, run: Run) => join(toldDir(context, run), 'watch.lock');

/** While it is held, what happens in the run is seen; `undefined` while another board is open. */
export function watching(context: LaneContext, run: Run): HeldLock | undefined {
  makePrivateFolder(toldDir(context, run));
  return takeLock(watchLock(context, run));
}

/**
 * Whether a process has to be started that tells something. Cheap: it is asked every few seconds. A process that
 * is at it looks once more after it has released its lock.
 */
export function isToNotify(context: LaneContext): boolean {
  if (!readPlainFile(context.store.home.config)?.includes('"notify"')) return false;
  return probeLock(notifyLock(context)) !== 'held' && untold(context).length > 0;
}

interface Untold {
  readonly run: Run;
  readonly notice: Notice;
  readonly id: string;
  /** The file that says that it was told. */
  readonly file: string;
}

function untold(context: LaneContext): readonly Untold[] {
  return runStore(context.store)
    .openEverywhere()
    .flatMap((run) =>
      noticesOf(context, run).map((notice) => {
        const id = sha256(`${run.id} ${notice.subject}`).slice(0, 16);
        return { run, notice, id, file: join(toldDir(context, run), id) };
      }),
    )
    .filter(({ file }) => !existsSync(file));
}

export async function notify(context: LaneContext): Promise<void> {
  while (untold(context).length > 0) {
    const lock = takeLock(notifyLock(context));
    if (lock === undefined) return;
    try {
      const { userLanes } = await import('../../base/config/files.ts');
      const written = attempt(() => userLanes(context.store.home));
      // Whoever mends the file is told then.
      if (written === undefined) return;
      const { notify: settings = {} } = written;
      for (const it of untold(context)) await tell(context, it, settings);
    } finally {
      lock.release();
    }
  }
}

async function tell(context: LaneContext, it: Untold, settings: WrittenNotify): Promise<void> {
  const { run, file } = it;
  makePrivateFolder(toldDir(context, run));
  const isSeen = probeLock(watchLock(context, run)) === 'held';
  const failures = isSeen ? [] : await Promise.all(channels(context, it, settings));
  const why = failures.filter((failure) => failure !== undefined).join('; ');
  if (why !== '') noteFailure(context, run, why);
  writeFileSync(file, '', { mode: 0o600 });
}

/** Each resolves to why it failed. */
function channels(context: LaneContext, it: Untold, settings: WrittenNotify) {
  const { command, desktop, webhook } = settings;
  return [
    ...(command ? [start(context, it, 'command', [...command, it.notice.text])] : []),
    ...(desktop === true ? [start(context, it, 'desktop', desktopCommand(it.notice.text))] : []),
    ...(webhook ? [post(context, it, webhook)] : []),
  ];
}

const desktopCommand = (text: string): readonly string[] =>
  process.platform === 'darwin'
    ? ['osascript', ...OSASCRIPT.flatMap((line) => ['-e', line]), text]
    : ['notify-send', '--app-name=lanehold', 'lanehold', text];

const OSASCRIPT = [
  'on run argv',
  'display notification (item 1 of argv) with title "lanehold"',
  'end run',
];

/** Makes the file `$0`, and nothing more if it is there: another process was started for the same. */
const ONCE = 'set -C; (umask 077; : >"$0") 2>/dev/null || exit 0; exec "$@" >>"$0" 2>&1';
const TIMEOUT_MS = 10_000;

/** Starts the program without a shell's reading of its words. */
async function start(
  context: LaneContext,
  it: Untold,
  channel: 'command' | 'desktop',
  words: readonly string[],
): Promise<string | undefined> {
  const output = `${it.file}.${channel}`;
  const { kind, run, id } = bodyOf(context, it);
  const env = { LANEHOLD_NOTICE_ID: id, LANEHOLD_NOTICE_KIND: kind, LANEHOLD_NOTICE_RUN: run };
  const ran = await runProgram('sh', ['-c', ONCE, output, ...words], {
    cwd: context.store.home.root,
    env: { ...context.env, ...env, LANEHOLD_NOTICE: it.notice.text },
    input: `${JSON.stringify(bodyOf(context, it))}\n`,
    timeoutMs: TIMEOUT_MS,
  });
  if (ran.kind === 'failed') return `${channel}: ${ran.why}`;
  if (ran.exitCode === 0) return undefined;
  const said = readPlainFile(output)?.trimEnd().split('\n').at(-1) ?? '';
  return `${channel}: exit code ${ran.exitCode} ${printableLine(said, 200)}`.trimEnd();
}

async function post(context: LaneContext, it: Untold, url: string): Promise<string | undefined> {
  const sent = `${it.file}.webhook`;
  if (existsSync(sent)) return undefined;
  let why: string | undefined;
  try {
    const { ok, status } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(context, it)),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!ok) why = `webhook: status ${status}`;
  } catch (error) {
    // The URL may hold a secret: it is not named.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    why = `webhook: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
  writeFileSync(sent, '', { mode: 0o600 });
  return why;
}

function bodyOf({ now }: LaneContext, { id, run, notice }: Untold) {
  const { kind, text } = notice;
  return { id, kind, run: run.name, project: run.repository, text, at: now().toISOString() };
}

/** An event of the run; the same failure is not noted again and again. */
function noteFailure({ store, now }: LaneContext, run: Run, why: string): void {
  const events = laneEventStore(store);
  const type = 'run.notify-failed';
  if (events.last(run.id, type)?.data.why === why) return;
  store.write(() => events.add({ runId: run.id, type, data: { why }, by: 'lanehold' }, now()));
}
