/**
 * The functions of the board that members call: what each takes, in the order of its parameters after host and token,
 * and what it answers. Names in one more pair of brackets are the fields of one JSON parameter. Answers are checked
 * with limits, because anybody may stand behind the address.
 *
 * All may be repeated: the same call gets the same answer and has no second effect.
 */
import * as z from 'zod/mini';
import type { ReleaseReason } from '../../store/team-claims.ts';

const text = (most: number) => z.string().check(z.maxLength(most));
const many = <T extends z.ZodMiniType>(item: T, most = 5_000) =>
  z.array(item).check(z.maxLength(most));
const bytes = (most: number, encoding: 'base64' | 'hex') =>
  z.pipe(
    text(most),
    z.transform((it) => Buffer.from(it, encoding)),
  );
const sealed = bytes(90_000, 'base64');
const digest = bytes(64, 'hex');
const digests = z.pipe(
  many(text(64), 50_000),
  z.transform((it): ReadonlySet<string> => new Set(it)),
);
const id = z.guid();
const head = z.nullable(z.string().check(z.regex(/^[0-9a-f]{40,64}$/)));
const name = text(64);

const LENDS = z.enum(['off', 'on', 'draining']);
const STATE = z.enum(['offered', 'claimed', 'finished', 'cancelled']);
const OUTCOME = z.nullable(z.enum(['verified', 'failed', 'asks', 'lost']));
/** `accepted`: it counts or counted; `fenced`: it came when another claim, or none, counted. */
const FINISHED = z.enum(['accepted', 'fenced', 'cancelled', 'stale']);
const STORED = z.enum(['stored', 'older', 'known', 'full']);

const host = z.object({
  name,
  client: name,
  seen_s: z.number(),
  is_self: z.boolean(),
  lends: LENDS,
  slots: z.int(),
  /** Ids of lanes that it has claimed. */
  holds: many(id, 50_000),
});

/** A claim, and what its holder needs to begin. */
const claim = z.object({
  lane: id,
  run: id,
  repo: text(32),
  rev: z.int(),
  epoch: z.int(),
  /** The signed offer. */
  body: sealed,
  /** Whether nobody else ever gets it. */
  pinned: z.boolean(),
  /** Proves the claim to a board that was restored to an earlier state. */
  ticket: text(64),
  run_rev: z.int(),
  run_body: sealed,
});

const beat = z.object({
  /** To be passed with the next beat. */
  beats: z.int(),
  /** The board has lost what was said since some earlier beat: say it again. */
  restored: z.boolean(),
  /** `lost`: another claim counts, or none. */
  leases: many(z.tuple([id, z.enum(['ok', 'cancel', 'pause', 'lost'])])),
  /** New claims, and those that the caller did not list. */
  given: many(claim, 1_000),
  /** This lanehold is too old to be given new work. */
  is_old: z.boolean(),
  lease_ms: z.number().check(z.gte(100), z.lte(86_400_000)),
});

/** A lane for its home. */
const lane = z.object({
  lane: id,
  rev: z.int(),
  state: STATE,
  /** Of the last claim. */
  epoch: z.int(),
  /** Name of the machine that has it claimed. */
  host: z.nullable(name),
  lost: z.int(),
  outcome: OUTCOME,
  /** How many machines that are lent now may have it. */
  takers: z.int(),
  /** Names of machines that will not have this revision, and why. */
  refused: many(z.tuple([name, text(20)])),
  /** Of the last claim, and what came late. */
  results: many(
    z.object({
      epoch: z.int(),
      /** Id of the machine. */
      host: id,
      name,
      rev: z.int(),
      answer: FINISHED,
      outcome: OUTCOME,
      head,
      body: sealed,
    }),
  ),
});

type Strings =
  | ('host' | 'name' | 'client' | 'key_check' | 'repo' | 'question' | 'incarnation')
  | ('run' | 'lane' | 'ticket');
type Numbers = 'protocol' | 'boots' | 'slots' | 'free' | 'rev' | 'epoch' | 'parallel' | 'priority';
type Bytes = 'token' | 'subject' | 'digest' | 'body' | 'result';
type Lists = 'questions' | 'caps' | 'open' | 'clashes';

/**
 * What the names of parameters stand for; one that is the same in several functions has one meaning. Bodies and results
 * are sealed, ids of hosts, runs and lanes are UUIDs.
 */
export interface Parameters
  extends Readonly<Record<Strings, string>>,
    Readonly<Record<Numbers, number>>,
    Readonly<Record<Bytes, Buffer>>,
    Readonly<Record<Lists, readonly string[]>> {
  /** At most 500. */
  readonly subjects: readonly Buffer[];
  /** At most 200 of notes. */
  readonly digests: readonly Buffer[];
  readonly lends: z.output<typeof LENDS>;
  /** What the last beat answered; `null` in the first one of a process, which has an incarnation of its own. */
  readonly beats: number | null;
  /** The repositories this machine would work in; `null`: all. */
  readonly repos: readonly string[] | null;
  /** All that is held, also lanes whose result was not answered yet. What is not listed is given again. */
  readonly leases: readonly (readonly [lane: string, epoch: number, ticket: string])[];
  readonly outcome: 'verified' | 'failed' | 'asks';
  /** Of the result, or the last checkpoint that is on the remote. */
  readonly head: string | null;
  readonly why: ReleaseReason;
  /** How long this machine will not have that revision; `null`: never again. `draining` refuses nothing. */
  readonly waitS: number | null;
  readonly intent: 'active' | 'paused' | 'cancelled' | 'closed';
  /** Name of the only machine that may have it. */
  readonly pinned: string | null;
}

type Names = readonly (keyof Parameters)[];
type Row = readonly [takes: readonly (keyof Parameters | Names)[], answers: z.ZodMiniType];

export const FUNCTIONS = {
  joinHost: [[['name', 'protocol', 'client', 'key_check']], z.object({ board: id, name })],
  leave: [[], z.unknown()],
  status: [[], z.object({ now_ms: z.number(), hosts: many(host, 500) })],
  tidy: [[], z.boolean()],

  /** `full`: the board has the most records of this machine about that content. */
  putEvidence: [['repo', 'subject', 'digest', 'body'], STORED],
  getEvidence: [['repo', 'subjects'], many(z.object({ subject: digest, body: sealed }))],
  /** Those of some envelopes that the board has, in hex. */
  keptEvidence: [['digests'], digests],
  putSnapshot: [['repo', 'body'], z.unknown()],
  getSnapshots: [
    ['repo'],
    many(z.object({ host: id, name, age_s: z.number(), body: bytes(400_000, 'base64') })),
  ],
  /** `known`: this machine has answered before, and its first answer stays. */
  putAnswer: [['repo', 'question', 'body'], STORED],
  /** The oldest first. */
  getAnswers: [['repo', 'questions'], many(z.object({ question: name, name, body: sealed }))],
  /** `full`: the board has the most revisions of this machine. */
  putNote: [['repo', 'digest', 'body'], STORED],
  /** All revisions that the board has, in hex. */
  noteDigests: [['repo'], digests],
  getNotes: [['repo', 'digests'], many(z.object({ digest, body: sealed }))],

  // Of a machine that lends itself.
  lend: [[['incarnation', 'boots', 'protocol', 'client', 'slots', 'caps', 'lends']], z.unknown()],
  beat: [[['incarnation', 'beats', 'free', 'repos', 'leases']], beat],
  finish: [['lane', 'epoch', 'rev', 'outcome', 'head', 'result', 'ticket'], FINISHED],
  release: [['lane', 'epoch', 'why', 'head', 'waitS'], z.enum(['released', 'fenced'])],

  // Of the machine whose run it is.
  publishRun: [['repo', 'run', 'rev', 'intent', 'parallel', 'body'], STORED],
  offer: [['lane', 'run', 'rev', 'body', ['priority', 'caps', 'pinned', 'clashes']], STORED],
  /** `asked`: the holder is told with its next beat. */
  cancelLane: [['lane', 'rev'], z.enum(['asked', 'cancelled', 'finished', 'older'])],
  /** What the board has of an own run: `rev` 0 if it has none. `open`: lanes that have not ended here. */
  homeLanes: [['run', 'open'], z.object({ rev: z.int(), lanes: many(lane, 50_000) })],
  /** The runs of a repository that are not over. */
  openRuns: [['repo'], many(z.object({ run: id, rev: z.int(), parallel: z.int(), body: sealed }))],
  /** Makes this machine the home of a run, if its home was not heard for a lease. The answer is its lanes. */
  takeOver: [
    ['run'],
    many(z.object({ lane: id, rev: z.int(), priority: z.int(), body: sealed }), 50_000),
  ],
} as const satisfies Readonly<Record<string, Row>>;
