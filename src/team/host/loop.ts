/**
 * The process that lends this machine: renews what it holds, claims, and says what has ended. Nothing here waits for a
 * worker or for git, so that no lease ends because something else takes long.
 */
import { randomUUID } from 'node:crypto';
import { codeOf, ExplainedError, explained } from '../../base/errors.ts';
import { bothClocks, type Moment, since, writeLease } from '../../lanes/spec/lease.ts';
import { laneDir } from '../../lanes/spec/paths.ts';
import { laneStore, runStore } from '../../store/lanes.ts';
import { type TeamClaim, teamClaimStore } from '../../store/team-claims.ts';
import { type Board, withBoard } from '../board/board.ts';
import { advance } from './advance.ts';
import { change, goOn, type Host, stopWork } from './host.ts';

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

const LOOK_MS = 250;
/** The longest time without a question for work while there are free slots. */
const POLL_MS = 5_000;
const MOST_WAIT_MS = 10_000;
/** Results are said again to a board that was restored. */
const SAID_MS = 30 * 24 * 60 * 60_000;
const MOST_RETRY_MS = 10 * 60_000;
/** The tries after which a lane that cannot begin is given back. */
const MOST_STARTS = 10;

export function lend(host: Host, lending: Lending) {
  const { store, now } = host.context;
  const claims = teamClaimStore(store);
  const incarnation = randomUUID();
  const busy = new Set<string>();
  /** By a clock that nobody sets. */
  const notBefore = new Map<string, number>();
  let leaving: Leaving | undefined;
  let beats: number | null = null;
  let leaseMs = 90_000;
  let renewed: Moment = bothClocks();
  let overSince: number | undefined;
  let activeAt = performance.now();
  let failures = 0;
  let wake = (): void => undefined;

  /** What is at work, or will be. */
  const held = (): readonly TeamClaim[] => claims.open().filter(({ ending }) => ending === null);
  const idOf = ({ lane, epoch }: TeamClaim): string => `${lane} ${epoch}`;
  const isTooEarly = (claim: TeamClaim): boolean =>
    performance.now() < (notBefore.get(idOf(claim)) ?? 0);
  const limitMs = (): number => Math.min(MOST_WAIT_MS, Math.max(1_000, leaseMs / 3));

  function nap(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }

  /** Brings all claims forward, each on its own, and stops their workers once the board was silent for too long. */
  function look(): void {
    const open = claims.open();
    // What a process before this one had may be another machine's by now.
    if (open.length === 0 || beats === null) return;
    activeAt = performance.now();
    watchLease();
    for (const claim of open) {
      if (claim.ending !== null || busy.has(idOf(claim)) || isTooEarly(claim)) continue;
      busy.add(idOf(claim));
      void advance(host, claim)
        .catch((error) => noteFailure(claim, error))
        .finally(() => {
          busy.delete(idOf(claim));
          const after = claims.byId(claim.lane, claim.epoch);
          if (after?.ending && after.answer === null) wake();
        });
    }
  }

  function noteFailure(claim: TeamClaim, error: unknown): void {
    const why = error instanceof ExplainedError ? error.message : String(error);
    const tries = claim.tries + 1;
    const waitMs = Math.min(MOST_RETRY_MS, LOOK_MS * 2 ** Math.min(tries, 20));
    notBefore.set(idOf(claim), performance.now() + waitMs);
    change(host, claim, { why, tries });
    if (why !== claim.why) host.log(`${claim.key ?? claim.lane}: ${why}`);
    if (claim.laneId === null && tries >= MOST_STARTS) stopWork(host, claim, 'draining');
  }

  /** First the board is asked; if it is silent, the work stops. */
  function watchLease(): void {
    if (since(renewed) <= leaseMs) {
      overSince = undefined;
      return;
    }
    overSince ??= performance.now();
    wake();
    if (performance.now() - overSince < Math.min(5_000, leaseMs / 3)) return;
    if (host.settings.offline === 'continue') return;
    for (const claim of held()) if (claim.stop === null) stopWork(host, claim, 'lease');
  }

  /** Says how claims have ended. */
  async function flush(board: Board): Promise<void> {
    for (const claim of claims.open().filter((it) => !isTooEarly(it))) {
      const answer = await say(board, claim).catch((error) => {
        // Its home has not told the board of it again yet.
        if (codeOf(error) !== 'LH005') throw error;
        noteFailure(claim, error);
        return claim.tries < MOST_STARTS ? undefined : 'forgotten';
      });
      if (!answer) continue;
      change(host, claim, { answer });
      host.log(`${claim.key ?? claim.lane}: ${answer}`);
      close(claim);
    }
  }

  async function say(board: Board, { lane, rev, epoch, ticket, ending }: TeamClaim) {
    if (ending?.kind === 'release') return board.release({ ...ending, lane, epoch });
    if (ending === null) return undefined;
    const result = Buffer.from(ending.body, 'base64');
    return board.finish({ ...ending, lane, rev, epoch, ticket, result });
  }

  /** Closes the local run with its last claim. */
  function close({ laneId }: TeamClaim): void {
    const runOf = (id: string | null) =>
      id === null ? undefined : laneStore(store).rowOf(id)?.runId;
    const run = runOf(laneId);
    if (run === undefined || claims.open().some((it) => runOf(it.laneId) === run)) return;
    store.write(() => runStore(store).setIntent(run, 'closed', null));
  }

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
    renewed = sent;
    overSince = undefined;
    leaseMs = answer.lease_ms;
    beats = answer.beats;
    if (answer.restored) store.write(() => claims.sayAgain(new Date(now().getTime() - SAID_MS)));
    const verdicts = new Map(answer.leases);
    for (const { lane, epoch } of open)
      hear(claims.byId(lane, epoch), verdicts.get(lane) ?? 'lost', sent);
    for (const given of answer.given) take(given);
    if (answer.is_old && leaving === undefined) {
      host.log('the board asks for a newer lanehold: nothing new is claimed');
      leaving = 'drain';
    }
    look();
  }

  function hear(
    claim: TeamClaim | undefined,
    verdict: 'ok' | 'cancel' | 'pause' | 'lost',
    sent: Moment,
  ): void {
    if (claim === undefined || claim.ending !== null || claim.answer !== null) return;
    if (verdict !== 'ok') stopWork(host, claim, verdict);
    else if (claim.stop === 'lease') goOn(host, claim);
    if (claim.laneId !== null) writeLease(laneDir(store.home, claim.laneId), sent, leaseMs);
  }

  type Given = Awaited<ReturnType<Board['beat']>>['given'][number];

  function take({
    lane,
    epoch,
    rev,
    run,
    repo,
    ticket,
    stop,
    body,
    run_body,
    run_rev,
  }: Given): void {
    const known = claims.byId(lane, epoch);
    if (known !== undefined) {
      // The board was restored, or an answer was lost: what has ended is said again, the rest goes on.
      if (known.answer !== null && known.ending === null) goOn(host, known);
      change(host, known, { answer: null, ticket });
      return;
    }
    const bodies = {
      offer: body.toString('base64'),
      run: run_body.toString('base64'),
      runRev: run_rev,
    };
    const begun = { key: null, laneId: null, pushed: null, pushedAt: null, ending: null };
    const open = { endedAt: null, answer: null, tries: 0, why: null };
    store.write(() =>
      claims.add({ lane, epoch, rev, run, repo, ticket, stop, bodies, ...begun, ...open }),
    );
  }

  /** Whether there is nothing left to do here. */
  function isOver(): boolean {
    if (claims.open().length > 0) return false;
    const idleMs = performance.now() - activeAt;
    return leaving !== undefined || (lending.idleMs !== undefined && idleMs > lending.idleMs);
  }

  const tell = (board: Board, lends: 'on' | 'draining' | 'off') => {
    const { boots, slots, caps } = lending;
    return board.lend({ incarnation, boots, slots, caps, lends });
  };

  async function begin(board: Board): Promise<void> {
    try {
      ({ lease_ms: leaseMs } = await tell(board, 'on'));
    } catch (error) {
      if (codeOf(error) === 'LH002') throw new SupersededError();
      throw error;
    }
    failures = 0;
    lending.onLent();
  }

  async function session(board: Board): Promise<void> {
    await begin(board);
    for (let isDraining = false; ; ) {
      if (leaving !== undefined && !isDraining) {
        isDraining = true;
        await tell(board, 'draining');
      }
      await flush(board);
      await beat(board);
      if (isOver()) break;
      await nap(restMs());
    }
    await tell(board, 'off');
  }

  function restMs(): number {
    const isFree = leaving === undefined && held().length < lending.slots;
    const everyMs = Math.min(leaseMs / 3, isFree ? POLL_MS : Number.POSITIVE_INFINITY);
    return everyMs * (0.8 + 0.4 * Math.random());
  }

  /** @returns false if the connection has failed. */
  async function connect(): Promise<boolean> {
    try {
      await withBoard(host.member, limitMs(), session);
      return true;
    } catch (error) {
      const { message } = explained(error);
      if (!FINAL.has(codeOf(error))) {
        host.log(message);
        return false;
      }
      for (const claim of held()) stopWork(host, claim, 'lost');
      throw error;
    }
  }

  return {
    leave(how: Leaving): void {
      leaving = how;
      if (how === 'now')
        for (const claim of held()) if (claim.stop === null) stopWork(host, claim, 'draining');
      wake();
    },
    /** @throws {ExplainedError} if this machine may not lend itself any more. */
    async run(): Promise<void> {
      const looking = setInterval(look, LOOK_MS);
      const since = new Date(now().getTime() - SAID_MS);
      store.write(() => {
        claims.prune(since);
        claims.sayAgain(since);
      });
      try {
        while (!(await connect())) {
          // Nobody can be told, and nothing is at work.
          if (leaving === 'now' && held().length === 0) return;
          await nap(Math.min(leaseMs / 3, 200 * 2 ** failures));
          failures += 1;
        }
      } finally {
        clearInterval(looking);
      }
    },
  };
}

/** The board will not have this machine, however often it is asked. */
const FINAL: ReadonlySet<string> = new Set(['LH001', 'LH003', 'LH007', 'SUPERSEDED']);

class SupersededError extends ExplainedError {
  constructor() {
    super('another process lends a machine of this identity', {
      code: 'SUPERSEDED',
      exitCode: 3,
      hint: 'a copied LANEHOLD_HOME? `lanehold team disconnect && lanehold team connect` gives this one its own',
    });
  }
}
