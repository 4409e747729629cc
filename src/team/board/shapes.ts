/** What the functions of the board answer. It is checked with limits, because anybody may stand behind the address. */
import * as z from 'zod/mini';

const text = (most: number) => z.string().check(z.maxLength(most));
const many = <T extends z.ZodMiniType>(item: T, most = 5_000) =>
  z.array(item).check(z.maxLength(most));
const sealed = z.pipe(
  text(90_000),
  z.transform((it) => Buffer.from(it, 'base64')),
);
const id = z.guid();
const head = z.nullable(z.string().check(z.regex(/^[0-9a-f]{40,64}$/)));

const LANE_STATE = z.enum(['offered', 'claimed', 'finished', 'cancelled']);
const OUTCOME = z.enum(['verified', 'failed', 'asks', 'lost']);

const host = z.object({
  /** Missing on a board of schema 1, as all below. */
  id: z.optional(id),
  name: text(64),
  client: text(64),
  seen_s: z.number(),
  is_self: z.boolean(),
  lends: z.optional(z.enum(['off', 'on', 'draining'])),
  slots: z.optional(z.int()),
  caps: z.optional(many(text(100), 100)),
  /** Ids of lanes that it has claimed. */
  holds: z.optional(many(id)),
});

/** A claim, and what its holder needs to begin. */
const given = z.object({
  lane: id,
  run: id,
  repo: text(32),
  rev: z.int(),
  epoch: z.int(),
  /** Sealed: the signed offer. */
  body: sealed,
  stop: z.nullable(z.enum(['cancel', 'pause'])),
  /** Proves the claim to a board that was restored to an earlier state. */
  ticket: text(64),
  run_rev: z.int(),
  run_body: sealed,
  /** The last claims before this one, newest first; `head` is the checkpoint that was released with it. */
  before: many(z.object({ epoch: z.int(), host: id, head }), 5),
});

const beat = z.object({
  /** To be passed with the next beat. */
  beats: z.int(),
  /** The board has lost what was said since some earlier beat: say it again. */
  restored: z.boolean(),
  /** `lost`: another claim counts, or none. */
  leases: many(z.tuple([id, z.enum(['ok', 'cancel', 'pause', 'lost'])])),
  /** New claims, and those that the caller did not list. */
  given: many(given, 1_000),
  lends: z.enum(['off', 'on', 'draining']),
  /** This lanehold is too old to be given new work. */
  is_old: z.boolean(),
  lease_ms: z.number(),
  grace_ms: z.number(),
});

/** A row that has changed in a repository. */
const row = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run'),
    run: id,
    home: id,
    rev: z.int(),
    intent: z.enum(['active', 'paused', 'cancelled', 'closed']),
    parallel: z.int(),
    body: sealed,
    age_s: z.number(),
  }),
  z.object({
    kind: z.literal('lane'),
    lane: id,
    run: id,
    rev: z.int(),
    state: LANE_STATE,
    /** Of the last claim; `host` has it while the lane is claimed. */
    epoch: z.int(),
    host: z.nullable(id),
    stop: z.nullable(z.enum(['cancel', 'pause'])),
    lost: z.int(),
    outcome: z.nullable(OUTCOME),
    pinned: z.nullable(id),
    body: sealed,
    age_s: z.number(),
    /** Machines that will not have this revision, and why. */
    refused: many(z.tuple([id, text(20)])),
    /** All results of its claims: `answer` is `accepted` for one that counts or counted, `fenced` for late work. */
    results: many(
      z.object({
        epoch: z.int(),
        host: id,
        rev: z.int(),
        answer: z.nullable(z.enum(['accepted', 'fenced', 'cancelled', 'stale'])),
        outcome: z.nullable(OUTCOME),
        head,
        body: sealed,
      }),
    ),
  }),
]);

export const SHAPES = {
  join: z.object({ board: id, name: text(64) }),
  status: z.object({
    now_ms: z.number(),
    lease_ms: z.optional(z.number()),
    schema: z.optional(z.int()),
    hosts: many(host, 500),
  }),
  put: z.enum(['stored', 'full']),
  evidence: z.object({ subject: z.instanceof(Buffer), body: z.instanceof(Buffer) }),
  lend: z.object({ lease_ms: z.number(), grace_ms: z.number(), is_old: z.boolean() }),
  beat,
  finish: z.enum(['accepted', 'fenced', 'cancelled', 'stale']),
  release: z.enum(['released', 'fenced']),
  publish: z.enum(['stored', 'older']),
  cancel: z.enum(['asked', 'cancelled', 'finished', 'older']),
  settle: z.enum(['settled', 'kept']),
  kept: many(
    z.tuple([
      id,
      z.int(),
      many(z.tuple([id, z.int(), z.int(), LANE_STATE, z.nullable(OUTCOME)]), 50_000),
    ]),
  ),
  news: z.object({ changed: z.int(), more: z.boolean(), rows: many(row, 50_000) }),
};
