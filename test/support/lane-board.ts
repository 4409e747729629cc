/** Machines that offer lanes on a board and claim them, by its functions alone. */
import { randomBytes, randomUUID } from 'node:crypto';
import { type Board, boardOn, type Given, withBoard } from '../../src/team/board/board.ts';
import { withConnection } from '../../src/team/board/connection.ts';
import type { Member } from '../../src/team/credentials.ts';
import { makeBoard } from './board.ts';
import type { Postgres } from './postgres.ts';

const LIMIT_MS = 20_000;
export const REPO = 'e'.repeat(32);
export const HEAD = 'a'.repeat(40);
export const BODY = Buffer.from('sealed');

/** @param known what is already decided about it, as of a machine that joins again. */
export async function joins(
  url: string,
  name: string,
  known: Partial<Member> = {},
): Promise<Member> {
  const token = randomBytes(32).toString('base64url');
  const own = { host: randomUUID(), token, name, ...known, url };
  const { board } = await withConnection(url, LIMIT_MS, (query) => boardOn(query, own).joinHost());
  return { ...own, board };
}

export type Claim = Awaited<ReturnType<Board['beat']>>['given'][number];

/** A machine in a team; each of its calls has a connection of its own. */
export async function machine(url: string, name: string, caps: readonly string[] = []) {
  const member = await joins(url, name);
  const lending = { incarnation: randomUUID(), boots: 1, slots: 9, caps };
  const call = <T>(work: (board: Board) => Promise<T>) => withBoard(member, LIMIT_MS, work);
  const lend = (more: object = {}) => call((it) => it.lend({ ...lending, lends: 'on', ...more }));
  await lend();
  const beat = (more: Partial<Given<'beat'>> = {}) => {
    const plain = { beats: null, free: 0, repos: [REPO], leases: [] };
    return call((it) => it.beat({ incarnation: lending.incarnation, ...plain, ...more }));
  };
  return {
    member,
    host: member.host,
    incarnation: lending.incarnation,
    call,
    lend,
    beat,
    /** The lanes that it gets if it would take so many more than it has. */
    claim: async (free = 1) => (await beat({ free })).given,
    /** What the board says to a claim. */
    renew: async ({ lane, epoch, ticket }: Pick<Claim, 'lane' | 'epoch' | 'ticket'>) =>
      (await beat({ leases: [[lane, epoch, ticket]] })).leases[0]?.[1],
    finish: ({ lane, epoch, rev, ticket }: Claim, more: Partial<Given<'finish'>> = {}) =>
      call((it) =>
        it.finish({
          lane,
          epoch,
          rev,
          ticket,
          outcome: 'verified',
          head: HEAD,
          result: BODY,
          ...more,
        }),
      ),
    release: (
      { lane, epoch }: Claim,
      why: 'draining' | 'quota' | 'signer' = 'draining',
      waitS: number | null = null,
    ) => call((it) => it.release({ lane, epoch, why, head: HEAD, waitS })),
  };
}

export type Machine = Awaited<ReturnType<typeof machine>>;

/** A board with a run of `home`, and the machines `a` and `b`. */
export async function laneBoard(server: Postgres) {
  const { owner, url } = await makeBoard(server);
  const home = await machine(url, 'home');
  const a = await machine(url, 'a', ['linux']);
  const b = await machine(url, 'b', ['linux', 'gpu']);
  const run = randomUUID();
  const sql = (text: string, values: readonly unknown[] = []) => server.sql(owner, text, values);
  let rev = 0;
  const publish = (intent: 'active' | 'paused' | 'cancelled' | 'closed', parallel = 100) => {
    rev += 1;
    return home.call((it) => it.publishRun({ repo: REPO, run, rev, intent, parallel, body: BODY }));
  };
  await publish('active');
  return {
    owner,
    url,
    home,
    a,
    b,
    run,
    sql,
    publish,
    /** @returns its id. */
    async offer(more: Partial<Given<'offer'>> = {}): Promise<string> {
      const lane = randomUUID();
      const plain = {
        lane,
        run,
        rev: 1,
        body: BODY,
        priority: 0,
        caps: [],
        pinned: null,
        clashes: [],
      };
      const offered = { ...plain, ...more };
      await home.call((it) => it.offer(offered));
      return offered.lane;
    },
    cancel: (lane: string, rev = 1) => home.call((it) => it.cancelLane({ lane, rev })),
    async lane(lane: string) {
      const [row] = await sql(
        'SELECT state, outcome, epoch::int, lost, stop, rev, host_id FROM lanehold.lanes WHERE id = $1',
        [lane],
      );
      return row;
    },
    async claimsOf(lane: string) {
      return sql(
        'SELECT epoch::int, ended, answer, outcome, host_id FROM lanehold.claims WHERE lane_id = $1 ORDER BY epoch',
        [lane],
      );
    },
    /** Time passes for one lane: its lease is over, with or without the grace after it. */
    async pass(lane: string, much: 'lease' | 'lease and grace' = 'lease and grace'): Promise<void> {
      const ago = much === 'lease' ? '1 s' : '1 min';
      await sql('UPDATE lanehold.lanes SET lease_until = now() - $2::interval WHERE id = $1', [
        lane,
        ago,
      ]);
      await sql(
        "UPDATE lanehold.board SET alive_at = clock_timestamp(), amnesty_until = '-infinity'",
      );
    },
  };
}

/** The only one of the claims. */
export function one(claims: readonly Claim[]): Claim {
  const [claim, ...more] = claims;
  if (claim === undefined || more.length > 0) throw new Error(`${claims.length} claims`);
  return claim;
}

/** The code of the error of a call; `none` if it succeeds. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error) => error.code,
  );
