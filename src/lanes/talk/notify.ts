/**
 * Notifies a person: by a command, on the desktop, and to a URL, as the user has set it.
 *
 * A file of a run records each delivered notice. The delivering program makes that file at its own start, and lives
 * longer than its starter: a crash neither loses a notice nor repeats it. Only a URL is called again if the process is
 * killed before the answer is recorded; `id` is then equal.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { WrittenNotify } from '../../base/config/schema-lanes.ts';
import { attempt } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from '../../base/process/held-lock.ts';
import { run as runProgram } from '../../base/process/run.ts';
import { whileFree } from '../../base/process/with-lock.ts';
import { plural, printableLine } from '../../base/text/printable.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { dayOf } from '../../base/text/time.ts';
import { attemptStore } from '../../store/attempts.ts';
import { breakerStore } from '../../store/breakers.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { BUDGET_KINDS, type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import type { Store } from '../../store/open.ts';
import type { LaneContext } from '../spec/context.ts';
import { isToBeLookedAt } from '../spec/flags.ts';
import { is } from '../spec/lane-states.ts';
import { attemptDir } from '../spec/paths.ts';
import { needsOf } from './coordinator-needs.ts';

const toldDir = ({ store }: LaneContext, run: Run) => join(attemptDir(store.home, run.id), 'told');

/** The lock of the delivering program, of which there is one at a time. */
const notifyLock = ({ store }: LaneContext) => join(store.home.runs, 'lanes', 'notify.lock');

const watchLock = (context: LaneContext, run: Run) => join(toldDir(context, run), 'watch.lock');

/** Marks the run as watched while the lock is held; `undefined` while another board is open. */
export function watching(context: LaneContext, run: Run): HeldLock | undefined {
  makePrivateFolder(toldDir(context, run));
  return takeLock(watchLock(context, run));
}

/**
 * Whether a delivering process has to be started. It is called every few seconds, so it is cheap. A running process
 * checks again after it has released its lock.
 */
export function isToNotify(context: LaneContext): boolean {
  if (!readPlainFile(context.store.home.config)?.includes('"notify"')) return false;
  return probeLock(notifyLock(context)) !== 'held' && untold(context).length > 0;
}

interface Untold extends Notice {
  readonly run: Run;
  readonly id: string;
  readonly file: string;
}

function untold(context: LaneContext): readonly Untold[] {
  const runs = runStore(context.store).openEverywhere();
  const all = runs.flatMap((run) => noticesOf(context, run).map((it) => ({ ...it, run })));
  return all
    .map(({ run, ...notice }) => {
      const id = sha256(`${run.id} ${notice.subject}`).slice(0, 16);
      return { ...notice, run, id, file: join(toldDir(context, run), id) };
    })
    .filter(({ file }) => !existsSync(file));
}

export async function notify(context: LaneContext): Promise<void> {
  const { userFile } = await import('../../base/config/files.ts');
  while (untold(context).length > 0) {
    const told = await whileFree(notifyLock(context), async () => {
      const written = attempt(() => userFile(context.store.home));
      if (written === undefined) return 'unset';
      for (const it of untold(context)) await tell(context, it, written.lanes?.notify ?? {});
      return 'all';
    });
    // Another process delivers it; or the settings cannot be read, and it is delivered after their repair.
    if (told !== 'all') return;
  }
}

async function tell(context: LaneContext, it: Untold, settings: WrittenNotify): Promise<void> {
  const { run, file, id, kind, text } = it;
  makePrivateFolder(toldDir(context, run));
  if (probeLock(watchLock(context, run)) !== 'held') {
    const at = context.now().toISOString();
    const body = { id, kind, run: run.name, project: run.repository, text, at };
    const { command, desktop, webhook } = settings;
    const failures = await Promise.all([
      command && start(context, `${file}.command`, [...command, text], body),
      desktop && start(context, `${file}.desktop`, [...desktopCommand(), text], body),
      webhook && post(`${file}.webhook`, webhook, body),
    ]);
    const why = failures.filter(Boolean).join('; ');
    if (why !== '') noteFailure(context, run, why);
  }
  writeFileSync(file, '', { mode: 0o600 });
}

type Body = Readonly<Record<'id' | 'kind' | 'run' | 'project' | 'text' | 'at', string>>;

const desktopCommand = (): readonly string[] =>
  process.platform === 'darwin'
    ? ['osascript', ...OSASCRIPT.flatMap((line) => ['-e', line])]
    : ['notify-send', '--app-name=lanehold', 'lanehold'];

const OSASCRIPT = [
  'on run argv',
  'display notification (item 1 of argv) with title "lanehold"',
  'end run',
];

/** Makes the file `$0`, and stops if it exists: another process was started for the same notice. */
const ONCE = 'set -C; (umask 077; : >"$0") 2>/dev/null || exit 0; exec "$@" >>"$0" 2>&1';
const TIMEOUT_MS = 10_000;

/** Starts the program; its words are not read by a shell. @returns why it failed. */
async function start(
  { store, env }: LaneContext,
  output: string,
  words: readonly string[],
  body: Body,
): Promise<string | undefined> {
  const { id, kind, run, text } = body;
  const own = { LANEHOLD_NOTICE_ID: id, LANEHOLD_NOTICE_KIND: kind, LANEHOLD_NOTICE_RUN: run };
  const ran = await runProgram('sh', ['-c', ONCE, output, ...words], {
    cwd: store.home.root,
    env: { ...env, ...own, LANEHOLD_NOTICE: text },
    input: `${JSON.stringify(body)}\n`,
    timeoutMs: TIMEOUT_MS,
  });
  const channel = extname(output).slice(1);
  if (ran.kind === 'failed') return `${channel}: ${ran.why}`;
  if (ran.exitCode === 0) return undefined;
  const said = readPlainFile(output)?.trimEnd().split('\n').at(-1) ?? '';
  return `${channel}: exit code ${ran.exitCode} ${printableLine(said, 200)}`.trimEnd();
}

/** @param sent the file that records an answer. @returns why it failed. */
async function post(sent: string, url: string, body: Body): Promise<string | undefined> {
  if (existsSync(sent)) return undefined;
  const asked = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const why = await asked.then(
    ({ ok, status }) => (ok ? undefined : `webhook: status ${status}`),
    // The URL may contain a secret, so it is not named.
    ({ cause, message }: Error) => `webhook: ${cause instanceof Error ? cause.message : message}`,
  );
  writeFileSync(sent, '', { mode: 0o600 });
  return why;
}

/** Adds an event of the run; the same failure is not noted again and again. */
function noteFailure({ store, now }: LaneContext, run: Run, why: string): void {
  const events = laneEventStore(store);
  const type = 'run.notify-failed';
  if (events.last(run.id, type)?.data.why === why) return;
  store.write(() => events.add({ runId: run.id, type, data: { why }, by: 'lanehold' }, now()));
}

export interface Notice {
  readonly kind: 'needed' | 'cap' | 'done';
  /** Stays equal until something new happens. */
  readonly subject: string;
  readonly text: string;
}

/** Changes nothing, and starts nothing. */
export function noticesOf({ store, now }: LaneContext, run: Run): readonly Notice[] {
  const lanes = laneStore(store).ofRun(run.id);
  const notices = [
    ...needsOf(store, run, ` --run ${run.name}`).map((it) => ({ kind: 'needed' as const, ...it })),
    ...lanes.flatMap((lane) => stoppedByCap(store, lane)),
    ...dayUsedUp(store, run, now()),
    ...done(store, run, lanes),
  ];
  return notices.map((it) => ({ ...it, text: `run ${run.name}: ${it.text}` }));
}

function stoppedByCap(store: Store, lane: LaneView): Notice[] {
  const cap = (subject: string, text: string): Notice[] => [{ kind: 'cap', subject, text }];
  if (lane.state === 'blocked') {
    const refusal = laneEventStore(store)
      .ofType(lane.runId, 'budget')
      .findLast(({ laneId, data }) => laneId === lane.id && data.why === lane.blocked);
    // A person who has blocked a lane knows it.
    if (refusal === undefined) return [];
    // All lanes that the run's cap stops get one notice.
    const whose = refusal.data.whose === 'run' ? lane.runId : lane.id;
    const why = printableLine(lane.blocked ?? '', 200);
    return cap(`blocked ${whose} ${lane.blocked}`, `lane ${lane.key} does not start: ${why}`);
  }
  const last = lane.state === 'parked' ? attemptStore(store).lastOf(lane) : undefined;
  if (last === undefined) return [];
  const { endCause, endDetail, account, id } = last;
  const why = printableLine(endDetail ?? '', 200);
  if (endCause === 'budget') return cap(`parked ${id}`, `lane ${lane.key} stopped: ${why}`);
  const breaker = endCause === 'quota' && account ? breakerStore(store).get(account) : undefined;
  if (breaker === undefined) return [];
  // All lanes that wait for the account get one notice.
  const subject = `account ${account} ${breaker.openedAt.getTime()}`;
  return cap(subject, `the account ${account} is used up: ${why}`);
}

/** Notices of a used-up day, after which lanes wait until tomorrow. */
function dayUsedUp(store: Store, { policy: { dayBudget } }: Run, now: Date): Notice[] {
  const day = dayOf(now);
  const used = ledgerStore(store).usedOnDay(day);
  return BUDGET_KINDS.filter((kind) => used[kind] >= (dayBudget[kind] ?? Infinity)).map((kind) => ({
    kind: 'cap',
    subject: `day ${day} ${kind} ${dayBudget[kind]}`,
    text: `the day's ${kind} are used up: ${dayBudget[kind]}`,
  }));
}

/** The notice that everything is verified, or integrated. */
function done(store: Store, run: Run, all: readonly LaneView[]): Notice[] {
  const lanes = all.filter(({ state }) => state !== 'cancelled');
  const verified = lanes.filter(({ state }) => state === 'verified');
  const isDone = lanes.every(({ state }) => state === 'verified' || is('inside', state));
  if (lanes.length === 0 || !isDone || verified.some((lane) => isToBeLookedAt(store, lane)))
    return [];
  const heads = lanes.map(({ id, headSha }) => `${id} ${headSha}`).join(' ');
  const [next, how] = verified.length > 0 ? ['integrate', 'verified'] : ['land', 'integrated'];
  const what = `${plural(lanes.length, 'lane')} ${how}, none is left to work on`;
  const text = `${what} (\`lanehold orchestrate ${next} --run ${run.name}\`)`;
  return [{ kind: 'done', subject: `done ${heads}`, text }];
}
