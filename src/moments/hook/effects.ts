/**
 * The effects of the answer to an event: all of them or none, once, and only while somebody waits for the answer.
 *
 * A locked database stops nobody: the answer is dropped, and the event is answered again after a pause. If it stays
 * locked, the answer without writes is given, and the records go to a file.
 */
import type { HookOutput } from '../../agents/types.ts';
import { codeOf } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { randomHex } from '../../base/text/random-hex.ts';
import type { LateRecord } from '../../recall/late.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { AnsweredEvent } from '../../store/hook-events.ts';
import type { Effects } from '../lifecycle/handler.ts';
import type { Answered } from '../lifecycle/hook-call.ts';

/** The longest wait for a process that locks the database, and for many that write in turn; agents wait longer. */
const LONGEST_MS = 1_500;
const LONGEST_IN_LINE_MS = 10_000;
const PAUSE_MS = 15;

/** @param answer called again if the database was locked. */
export async function withEffects(
  call: Answered,
  answer: (effects: Effects) => Promise<HookOutput>,
): Promise<HookOutput> {
  let refusedAt: number | undefined;
  let pauses = LONGEST_MS / PAUSE_MS;
  let last: number | undefined;
  for (let isLast = false; ; ) {
    const turn = turnOf(call, isLast);
    const end = await answer(turn.effects).then(turn.end).finally(turn.leave);
    if (typeof end === 'object') return end;
    refusedAt ??= performance.now();
    for (let isFree = false; !isFree && !isLast; ) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (0.5 + Math.random())));
      const lock = turn.lookAtLock();
      isFree = lock.isFree;
      pauses = lock.written === last ? pauses - 1 : LONGEST_MS / PAUSE_MS;
      last = lock.written;
      isLast =
        end === 'failed' || pauses <= 0 || performance.now() - refusedAt > LONGEST_IN_LINE_MS;
    }
  }
}

/** @param isLast whether the database counts as locked. */
function turnOf(call: Answered, isLast: boolean) {
  const works: Parameters<Effects['afterwards']>[] = [];
  const late: LateRecord[] = [];
  let opening: Promise<EventStore> | undefined;
  let store: EventStore | undefined;
  let couldNotOpen = false;
  let taken: readonly string[] = [];

  const connection = (): Promise<EventStore> => {
    opening ??= open();
    return opening;
  };
  const effects: Effects = {
    store: connection,
    afterwards: (...work) => void works.push(work),
    keepLate: (record) => void late.push(record),
  };

  async function open(): Promise<EventStore> {
    try {
      const [opened, { takeLate }] = await Promise.all([
        call.store(),
        import('../../recall/late.ts'),
      ]);
      const onFirstWrite = () => {
        taken = takeLate(opened);
      };
      opened.begin({ isLocked: isLast, onFirstWrite });
      store = opened;
      return opened;
    } catch (error) {
      couldNotOpen = codeOf(error) === 'STORE_LOCKED';
      throw error;
    }
  }

  const isRefused = () => couldNotOpen || store?.isRefused() === true;

  function drop(): void {
    store?.rollBack();
    for (const [, others] of works) others?.otherwise?.();
  }

  /** @returns the earlier answer to the event, if there is one. */
  async function commit(output: HookOutput): Promise<HookOutput | undefined> {
    const { id = '', now } = call;
    const answer = { id, at: now(), answer: JSON.stringify(output) };
    const noting = id === '' ? undefined : await openForAnswer();
    const before = noting && (await answerBefore(noting, answer));
    if (before !== undefined) return JSON.parse(before);
    const isNoted = id === '' || (noting !== undefined && !isLast);
    if (late.length > 0) await putAside(isNoted ? { ...answer, id: randomHex(12) } : answer);
    store?.commit();
    return undefined;
  }

  /** @returns `undefined` without a database: changes of files are made all the same. */
  async function openForAnswer(): Promise<EventStore | undefined> {
    const opened = await connection().catch(() => undefined);
    if (isRefused() && !isLast) throw new Error('the database is locked');
    return opened;
  }

  async function putAside(answer: AnsweredEvent): Promise<void> {
    const { keepLate } = await import('../../recall/late.ts');
    keepLate(homeOf(call.env), answer, late);
  }

  async function answerBefore(opened: EventStore, answer: AnsweredEvent) {
    const { hookEventStore, noteAnswer } = await import('../../store/hook-events.ts');
    return isLast ? hookEventStore(opened).answer(answer.id) : noteAnswer(opened, answer);
  }

  async function finish(): Promise<void> {
    if (taken.length > 0) (await import('../../recall/late.ts')).dropTaken(taken);
    for (const [work] of works) await logged(call, work);
    await logged(call, () => store?.commit());
  }

  /** Releases every lock before the answer. */
  const leave = (): void => store?.rollBack();

  /** @returns the answer to give, or why the event has to be answered again. */
  async function end(output: HookOutput): Promise<HookOutput | 'locked' | 'failed'> {
    if (isRefused() && !isLast) return failed(output);
    if (works.length + late.length === 0 && !store?.hasWritten()) return output;
    if (!(await call.isAwaited())) {
      drop();
      return output;
    }
    try {
      const before = await commit(output);
      if (before === undefined) {
        await finish();
        return output;
      }
      drop();
      for (const [, { unsure } = {}] of works) await logged(call, () => unsure?.());
      return before;
    } catch (error) {
      return failed(output, error);
    }
  }

  async function failed(output: HookOutput, error?: unknown) {
    if (isLast) {
      await logged(call, () => Promise.reject(error));
      await finish();
      return output;
    }
    drop();
    return isRefused() ? 'locked' : 'failed';
  }

  /** A database that cannot be opened is tried again. */
  const lookAtLock = () => store?.lookAtLock() ?? { isFree: true, written: 0 };

  return { effects, end, leave, lookAtLock };
}

/** Logs a failure after the answer is known: the agent gets the answer in any case. */
async function logged(
  { env, now }: Answered,
  work: () => void | Promise<void> | undefined,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { logFailure } = await import('../lifecycle/failure-log.ts');
    logFailure(error, { agent: '', event: 'effects' }, env, now());
  }
}
