/** The functions of the board that members call, and its creation by the owner. Its answers are checked. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { packageRoot, packageVersion } from '../../base/files/package.ts';
import type { ReleaseReason } from '../../store/team-claims.ts';
import { keyOf, type Member } from '../credentials.ts';
import { keyCheck } from '../seal.ts';
import { callsOf, checked, digestsIn, first } from './calls.ts';
import { type Query, withConnection } from './connection.ts';
import { SHAPES } from './shapes.ts';
import { sharedCalls } from './shared-calls.ts';

/** The version of the functions; a board may require a later one. */
const PROTOCOL = 1;

export async function joinBoard(query: Query, member: Omit<Member, 'board'>) {
  const { host, token, name } = member;
  const key_check = keyCheck(keyOf(member));
  const facts = { name, protocol: PROTOCOL, client: packageVersion(), key_check };
  const given = [host, Buffer.from(token, 'base64url'), JSON.stringify(facts)];
  return first(SHAPES.join, await query('SELECT lanehold.join_host($1, $2, $3) AS it', given));
}

export type Board = ReturnType<typeof boardOn>;

/** Who begins or ends to lend a machine. */
export interface Lending {
  /** A new id for each process. */
  readonly incarnation: string;
  /** The number of the process on this machine: the later one counts. */
  readonly boots: number;
  readonly slots: number;
  readonly caps: readonly string[];
  readonly lends: 'off' | 'on' | 'draining';
}

/** A claim, as its holder shows it. */
export type Lease = readonly [lane: string, epoch: number, ticket: string];

export interface Beat {
  readonly incarnation: string;
  /** What the last beat answered as `beats`; `null` in the first one of a process. */
  readonly beats: number | null;
  /** How many more lanes this machine would take. */
  readonly free: number;
  /** Ids of the repositories it would work in; `null`: all. */
  readonly repos: readonly string[] | null;
  /** All that is held, also lanes whose result was not answered yet. What is not listed is given again. */
  readonly leases: readonly Lease[];
}

/** A lane and one of its revisions. */
interface Revision {
  readonly lane: string;
  readonly rev: number;
}

export interface Finish extends Revision {
  readonly epoch: number;
  readonly ticket: string;
  readonly outcome: 'verified' | 'failed' | 'asks';
  readonly head: string | null;
  readonly result: Buffer;
}

export interface Release {
  readonly lane: string;
  readonly epoch: number;
  readonly why: ReleaseReason;
  /** The last checkpoint that is on the remote. */
  readonly head: string | null;
  /** How long this machine will not have that revision; `null`: never again. `draining` refuses nothing. */
  readonly waitS: number | null;
}

export interface Run {
  readonly run: string;
  readonly rev: number;
  readonly intent: 'active' | 'paused' | 'cancelled' | 'closed';
  /** The most lanes at work at once, on all machines. */
  readonly parallel: number;
  readonly body: Buffer;
}

export interface Offer extends Revision {
  readonly run: string;
  readonly body: Buffer;
  readonly priority: number;
  readonly caps: readonly string[];
  /** Name of the only machine that may have it. */
  readonly pinned: string | null;
  readonly clashes: readonly string[];
}

export interface Settled extends Revision {
  readonly epoch: number;
  /** Id of the machine that did it. */
  readonly worker: string;
  readonly head: string;
  readonly result: Buffer;
}

/**
 * The functions of the board. All may be repeated: the same call gets the same answer and has no second effect.
 * Refusals have the codes of `connection.ts`.
 */
function boardOn(query: Query, member: Member) {
  const calls = callsOf(query, member);
  const { rows, call, self } = calls;
  const json = JSON.stringify;
  return {
    ...sharedCalls(calls),
    leave: () => rows('leave', []),
    status: () => call('status', SHAPES.status),
    /** `full`: the board has the most records of this machine about that content. */
    putEvidence: (repo: string, subject: Buffer, digest: Buffer, body: Buffer) =>
      call('put_evidence', SHAPES.put, repo, subject, digest, body),
    /** @param subjects at most 500. */
    async getEvidence(repo: string, subjects: readonly Buffer[]) {
      const sql = 'SELECT subject, body FROM lanehold.get_evidence($1, $2, $3, $4)';
      const found = await query(sql, [...self, repo, subjects]);
      return found.map((row) => checked(SHAPES.evidence, row));
    },
    /** Those of some envelopes that the board has, as digests in hex. */
    keptEvidence: async (digests: readonly Buffer[]) =>
      digestsIn(await rows('kept_evidence', [digests])),

    // Of a machine that lends itself.
    lend: (it: Lending) =>
      call('lend', SHAPES.lend, json({ ...it, protocol: PROTOCOL, client: packageVersion() })),
    beat: (it: Beat) => call('beat', SHAPES.beat, json(it)),
    finish: ({ lane, epoch, rev, outcome, head, result, ticket }: Finish) =>
      call('finish', SHAPES.finish, lane, epoch, rev, outcome, head, result, ticket),
    release: ({ lane, epoch, why, head, waitS }: Release) =>
      call('release', SHAPES.release, lane, epoch, why, head, waitS),

    // Of the machine whose run it is.
    publishRun: (repo: string, { run, rev, intent, parallel, body }: Run) =>
      call('publish_run', SHAPES.publish, repo, run, rev, intent, parallel, body),
    offer: ({ lane, run, rev, body, ...rest }: Offer) =>
      call('offer', SHAPES.publish, lane, run, rev, body, json(rest)),
    /** `asked`: the holder is told with its next beat. */
    cancelLane: ({ lane, rev }: Revision) => call('cancel_lane', SHAPES.cancel, lane, rev),
    /** For a board that has forgotten a result which this machine has. */
    settleLane: ({ lane, epoch, worker, rev, head, result }: Settled) =>
      call('settle_lane', SHAPES.settle, lane, epoch, worker, rev, head, result),
    /** What the board has of own runs: those that are missing were forgotten. */
    keptLanes: (runs: readonly string[]) => call('kept_lanes', SHAPES.kept, runs),

    // Of everybody.
    /** What has a greater number than `since` (0: all), in order. Ask again with `changed` while there is `more`. */
    news: (repo: string, since: number, run: string | null = null) =>
      call('news', SHAPES.news, repo, since, run),
  };
}

/**
 * Does `work` with the board of the team. A board that does not know this machine was restored to a state before it
 * joined; one that takes it for too old may not know of an update. The machine then joins again, once.
 *
 * @throws {ExplainedError}
 */
export const withBoard = <T>(
  member: Member,
  limitMs: number,
  work: (board: Board) => Promise<T>,
): Promise<T> =>
  withConnection(member.url, limitMs, async (query) => {
    const board = boardOn(query, member);
    try {
      return await work(board);
    } catch (error) {
      if (codeOf(error) !== 'LH001' && codeOf(error) !== 'LH003') throw error;
      await joinBoard(query, member);
      return work(board);
    }
  });

/**
 * Makes the board, or upgrades it, in one transaction.
 *
 * @param owner address of a user who may create a schema, and if possible a role.
 * @returns the schema before and now, and what members get if it was made.
 */
export const initBoard = (owner: string) =>
  withConnection(owner, 30_000, async (query) => {
    await query('BEGIN');
    // If two run at the same time, the later one finds the result of the first.
    await query("SELECT pg_advisory_xact_lock(hashtext('lanehold'))");
    const number = async (sql: string) => first(z.int(), await query(sql));
    const isThere = await number("SELECT (to_regclass('lanehold.board') IS NOT NULL)::int AS it");
    const from = isThere ? await number('SELECT schema AS it FROM lanehold.board') : 0;
    const folder = join(packageRoot(), 'migrations', 'team');
    const files = readdirSync(folder)
      .filter((it) => /^\d{3}_\w+\.sql$/.test(it))
      .sort();
    const to = Number(files.at(-1)?.slice(0, 3));
    if (from > to)
      throw new ExplainedError('the board is of a newer lanehold', { hint: 'update lanehold' });
    for (const it of files.slice(from)) await query(readFileSync(join(folder, it), 'utf8'));
    const made = from === 0 ? await firstMembers(query, owner) : undefined;
    await query('UPDATE lanehold.board SET schema = $1', [to]);
    await query('SELECT lanehold.grant_to_members()');
    await query('COMMIT');
    return { from, to, members: made?.url, ownRole: made?.ownRole };
  });

/** A new key and password of the members; what the old key has sealed is deleted. @param owner address of the owner. */
export const rotateKey = (owner: string) =>
  withConnection(owner, 30_000, (query) =>
    membersOf(query, owner, 'SELECT lanehold.rotate_key($1, $2) AS it'),
  );

const firstMembers = (query: Query, owner: string) =>
  membersOf(query, owner, 'SELECT lanehold.make_members($1, $2) AS it');

/** @returns the address of members, and whether they have a role of their own that touches no table. */
async function membersOf(query: Query, owner: string, sql: string) {
  const key = randomBytes(32);
  const password = randomBytes(24).toString('base64url');
  const made = await query(sql, [Buffer.from(keyCheck(key), 'hex'), password]);
  const name = first(z.nullable(z.string()), made);
  const url = new URL(owner);
  url.hash = key.toString('base64url');
  if (name === null) return { url: url.href, ownRole: false };
  // A pooler for many databases selects one by the ending of the user name.
  url.username = `${name}${/\.[\w-]+$/.exec(url.username)?.[0] ?? ''}`;
  url.password = password;
  return { url: url.href, ownRole: true };
}
