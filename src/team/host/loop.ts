/**
 * The beat of a lending machine: it renews what it holds, and claims. Nothing here waits for a worker or for git, so that
 * no lease ends because something else takes long.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, ExplainedError, explained } from '../../base/errors.ts';
import { bothClocks, type Moment, renewLease, since } from '../../lanes/spec/lease.ts';
import { laneDir } from '../../lanes/spec/paths.ts';
import { type TeamClaim, teamClaimStore } from '../../store/team-claims.ts';
import { type Board, withBoard } from '../board/board.ts';
import { type Host, stopWork } from './host.ts';
import { tend } from './tend.ts';

export interface Lending {
  readonly boots: number;
  readonly slots: number;
  readonly caps: readonly string[];
  /** Ends once there was nothing to do for so long. */
  readonly idleMs: number | undefined;
  /** Told once the board knows that this machine is lent. */
  readonly onLent: () => void;
}

/** `drain`: finish what is held; `now`: give it back with its checkpoint. */
export type Leaving = 'drain' | 'now';

/** The longest time without a question for work while there are free slots. */
const POLL_MS = 5_000;
/** A timer stands still while the machine sleeps, so the clocks are looked at this often. */
const CLOCK_MS = 1_000;
const MOST_WAIT_MS = 10_000;
/** After them nobody waits for the board to take how a claim has ended. */
const FEW_TRIES = 3;
/** Results are said again to a board that was restored. */
const SAID_MS = 30 * 24 * 60 * 60_000;
/** The board will not have this machine, however often it is asked. */
const FINAL: ReadonlySet<string> = new Set(['LH001', 'LH003', 'LH007', 'SUPERSEDED']);

type Answer = Awaited<ReturnType<Board['beat']>>;

export function lend(host: Host, { idleMs: mostIdleMs, onLent, ...lending }: Lending) {
  const { store, now } = host.context;
  const claims = teamClaimStore(store);
  const incarnation = randomUUID();
  /** Claims that are looked after now, by lane and epoch. */
  const tended = new Set<string>();
  let line = Promise.withResolvers<Board>();
  let alarm = new AbortController();
  let leaving: Leaving | undefined;
  let beats: number | null = null;
  let leaseMs = 90_000;
  let failures = 0;
  let activeAt = performance.now();

  /** Ends early when the alarm rings. */
  async function nap(ms: number): Promise<void> {
    const { signal } = alarm;
    for (const start = bothClocks(); since(start) < ms && !signal.aborted; )
      await pause(Math.min(ms, CLOCK_MS), undefined, { signal }).catch(() => undefined);
    alarm = new AbortController();
  }

  const wake = (): void => alarm.abort();
  const lately = (): Date => new Date(now().getTime() - SAID_MS);
  /** What is at work, or will be. */
  const held = (): readonly TeamClaim[] => claims.open().filter(({ ending }) => ending === null);
  /** Whoever waits for a connection already goes on waiting for it. */
  async function afterFailure(): Promise<void> {
    if (failures === 0) line = Promise.withResolvers();
    await nap(Math.min(leaseMs / 3, 200 * 2 ** failures));
    failures += 1;
  }

  const stopAll = (why: 'draining' | 'lost'): void => {
    for (const claim of held()) stopWork(host, claim, why);
  };

  async function beat(board: Board): Promise<void> {
    const open = claims.open();
    const sent = bothClocks();
    const answer = await board.beat({
      incarnation,
      beats,
      free: leaving === undefined ? Math.max(0, lending.slots - held().length) : 0,
      repos: null,
      leases: open.map(({ lane, epoch, ticket }) => [lane, epoch, ticket] as const),
    });
    leaseMs = answer.lease_ms;
    beats = answer.beats;
    if (answer.restored) store.write(() => claims.sayAgain(lately()));
    const verdicts = new Map(answer.leases);
    for (const it of open) hear(it, verdicts.get(it.lane) ?? 'lost', sent);
    for (const given of answer.given) take(given);
    if (answer.is_old && leaving === undefined) {
      host.log('the board asks for a newer lanehold: nothing new is claimed');
      leaving = 'drain';
    }
    // Not before the first answer: what a process before this one had may be another machine's by now.
    for (const claim of claims.open()) follow(claim);
  }

  function hear({ lane, epoch }: TeamClaim, verdict: Answer['leases'][0][1], sent: Moment): void {
    const claim = claims.byId(lane, epoch);
    if (claim === undefined || claim.ending !== null) return;
    if (verdict !== 'ok') stopWork(host, claim, verdict);
    if (claim.laneId !== null) renewLease(laneDir(store.home, claim.laneId), sent, leaseMs);
  }

  /** A new claim, or one that ended here: the board was restored, or the answer was lost. */
  function take({ lane, epoch, rev, run, repo, ticket, ...it }: Answer['given'][number]): void {
    const [offer = '', about = ''] = [it.body, it.run_body].map((body) => body.toString('base64'));
    // A pinned lane is nobody else's, however long this machine is offline.
    const endures = it.pinned || host.settings.offline === 'continue';
    const bodies = { offer, run: about, runRev: it.run_rev, leaseMs: endures ? null : leaseMs };
    store.write(() => claims.take({ lane, epoch, rev, run, repo, ticket, bodies }));
  }

  function follow(claim: TeamClaim): void {
    const id = `${claim.lane} ${claim.epoch}`;
    if (tended.has(id)) return;
    tended.add(id);
    void tend(host, claim, () => line.promise)
      .catch((error) => host.log(`${claim.key ?? claim.lane}: ${error}`))
      .finally(() => {
        tended.delete(id);
        wake();
      });
  }

  /** Whether there is nothing left to do here. */
  function isOver(): boolean {
    // What the board does not take, as of a lane that it has forgotten, is said again by the next start.
    const isRefused = ({ ending, tries }: TeamClaim) => ending !== null && tries >= FEW_TRIES;
    const isIdle = tended.size <= claims.open().filter(isRefused).length;
    if (!isIdle) activeAt = performance.now();
    const idleMs = performance.now() - activeAt;
    return isIdle && (leaving !== undefined || idleMs > (mostIdleMs ?? idleMs));
  }

  async function tell(board: Board, lends: 'on' | 'draining' | 'off'): Promise<void> {
    try {
      await board.lend({ ...lending, incarnation, lends });
    } catch (error) {
      throw codeOf(error) === 'LH002' ? superseded() : error;
    }
    failures = 0;
    onLent();
    line.resolve(board);
  }

  async function session(board: Board): Promise<void> {
    for (let told = ''; !isOver() || told === ''; await nap(restMs())) {
      const lends = leaving === undefined ? 'on' : 'draining';
      if (lends !== told) await tell(board, lends);
      told = lends;
      await beat(board);
    }
    await tell(board, 'off');
  }

  function restMs(): number {
    const isFree = leaving === undefined && held().length < lending.slots;
    const everyMs = Math.min(leaseMs / 3, isFree ? POLL_MS : Number.POSITIVE_INFINITY);
    return everyMs * (0.8 + 0.4 * Math.random());
  }

  return {
    leave(how: Leaving): void {
      leaving = how;
      if (how === 'now') stopAll('draining');
      wake();
    },
    /** @throws {ExplainedError} if this machine may not lend itself any more. */
    async run(): Promise<void> {
      store.write(() => {
        claims.prune(lately());
        claims.sayAgain(lately());
      });
      for (;;) {
        try {
          const limitMs = Math.min(MOST_WAIT_MS, Math.max(1_000, leaseMs / 3));
          return await withBoard(host.member, limitMs, session);
        } catch (error) {
          if (FINAL.has(codeOf(error))) {
            stopAll('lost');
            throw error;
          }
          host.log(explained(error).message);
        }
        // Nobody can be told, and nothing is at work.
        if (leaving === 'now' && held().length === 0) return;
        await afterFailure();
      }
    },
  };
}

const superseded = () =>
  new ExplainedError('another process lends a machine of this identity', {
    code: 'SUPERSEDED',
    exitCode: 3,
    hint: 'a copied LANEHOLD_HOME? `lanehold team disconnect && lanehold team connect` gives this one its own',
  });
