/**
 * What machines of a team say to each other through the board: signed, and sealed.
 *
 * The board is not trusted. It can withhold a payload or give an old one, but cannot change one, read one, or put it
 * into the place of another, because each says which row it is for.
 */
import * as z from 'zod/mini';
import { ExplainedError } from '../base/errors.ts';
import { isJsonObject } from '../base/text/json.ts';
import { redact } from '../base/text/redact/redact.ts';
import {
  envelopeLine,
  RefusedError,
  readAs,
  readEnvelope,
  signedBytes,
} from '../evidence/envelope.ts';
import { principalsOf, type Signers } from '../evidence/judge.ts';
import { type Scratch, type Signer, sign } from '../evidence/signing.ts';
import type { LaneSpec } from '../store/lanes.ts';
import { seal, unseal } from './seal.ts';

const TYPE = 'application/vnd.lanehold.team+json';
/** The board takes 64 KiB, and encryption adds a little. */
const MOST_BYTES = 65_000;

const text = (most = 60_000) => z.string().check(z.maxLength(most));
const texts = z.array(text(4_000)).check(z.maxLength(1_000));
const id = z.guid();
const oid = z.string().check(z.regex(/^[0-9a-f]{40,64}$/));
const hash = z.string().check(z.maxLength(64));
/** Of a clock, in milliseconds. */
const at = z.int().check(z.gte(0), z.lte(8.64e15));
/** Of what was used: more of it, or less than nothing, cannot be added up. */
const count = z.int().check(z.gte(0), z.lte(1e12));

/** Whoever counts may have any command run, so the fields of a spec are not checked; that its hash is its own, is. */
const spec = z.pipe(
  z.custom<LaneSpec>(isJsonObject),
  z.transform(({ on, ...here }) => here),
);

const validation = z
  .object({
    result: z.enum(['pass', 'fail', 'error', 'timeout', 'flaky']),
    exitCode: z.nullable(z.int()),
    durationMs: count,
    logSha256: text(64),
    newFailures: texts,
    /** Of the base; a command that fails can pass only by them. */
    oldFailures: z.nullable(texts),
    /** The end of the output. */
    tail: text(8_000),
  })
  .check(
    z.refine((it) => it.result !== 'pass' || it.exitCode === 0 || Boolean(it.oldFailures?.length)),
  );

const shape = <const K extends string, Fields extends z.core.$ZodShape>(kind: K, fields: Fields) =>
  z.object({ v: z.literal(1), kind: z.literal(kind), at, repo: text(32), ...fields });

const SHAPES = {
  run: shape('run', {
    run: id,
    rev: z.int(),
    name: text(200),
    goal: text(),
    base: oid,
    target: text(1_000),
    remote: text(4_000),
  }),
  offer: shape('offer', {
    run: id,
    lane: id,
    rev: z.int(),
    key: text(200),
    spec,
    specHash: hash,
    cmdHash: hash,
    /** Can be reached from a ref of the remote. */
    base: oid,
    /** A checkpoint or an earlier head to go on from. */
    from: z.nullable(oid),
    /** What the worker is told besides the spec. */
    told: text(10_000),
    expires: at,
  }),
  result: shape('result', {
    run: id,
    lane: id,
    epoch: z.int(),
    /** Id of the machine that did it. */
    host: id,
    rev: z.int(),
    outcome: z.enum(['verified', 'failed', 'asks']),
    detail: text(4_000),
    endCause: z.nullable(text(40)),
    /** Of a lane that asks. An answer that was sent to its id counts at home, too. */
    question: z.nullable(z.object({ id, text: text() })),
    worker: z.object({ agent: text(200), model: z.nullable(text(200)) }),
    startedAt: at,
    endedAt: at,
    specHash: hash,
    cmdHash: hash,
    setupHash: hash,
    base: oid,
    head: z.nullable(oid),
    tree: z.nullable(oid),
    /** Where the head is on the remote. */
    ref: z.nullable(text(1_000)),
    validation: z.nullable(validation),
    flags: texts,
    usage: z.object({
      turns: count,
      tokens: count,
      seconds: count,
      usd: z.nullable(z.number().check(z.gte(0), z.lte(1e12))),
    }),
  }),
  answer: shape('answer', {
    question: id,
    text: text(),
  }),
  note: shape('note', {
    /** Its name: `project/gotchas/expiry`. */
    path: text(2_000),
    /** The text of its document; `null`: it was removed. */
    note: z.nullable(text()),
    /** SHA-256 of the revisions that it was made from. */
    parents: z.array(z.string().check(z.regex(/^[0-9a-f]{64}$/))).check(z.maxLength(16)),
  }),
};

type Kind = keyof typeof SHAPES;
type Payloads = { [K in Kind]: z.output<(typeof SHAPES)[K]> };
export type Payload<K extends Kind = Kind> = Payloads[K];

/** The fields that say which row a payload is for. */
interface Places {
  readonly run: 'repo' | 'run' | 'rev';
  readonly offer: 'repo' | 'run' | 'lane' | 'rev';
  readonly result: 'repo' | 'run' | 'lane' | 'rev' | 'epoch' | 'host';
  readonly answer: 'repo' | 'question';
  readonly note: 'repo';
}

/** The row that a payload is for. */
export type Place = {
  [K in Kind]: { readonly kind: K } & Readonly<Pick<Payload<K>, Places[K] & keyof Payload<K>>>;
}[Kind];

/** The same with every secret removed from its texts. */
export function redacted<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map(redacted) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, redacted(it)])) as T;
}

/**
 * Secrets are removed first. A command that contains one would no longer run, so offer a spec only if `redacted`
 * leaves it as it is.
 *
 * @throws {ExplainedError} if there is no key to sign with, or the payload is too long.
 */
export async function sealPayload(
  payload: Payload,
  by: { readonly key: Buffer; readonly signer: Signer; readonly scratch: Scratch },
): Promise<Buffer> {
  const bytes = Buffer.from(JSON.stringify(redacted(payload)));
  const signature = await sign(signedBytes(bytes, TYPE), by.signer, by.scratch);
  if (signature === undefined) {
    const why = 'why' in by.signer ? by.signer.why : 'there is no key';
    throw new ExplainedError(`a team takes only what is signed: ${why}`, {
      code: 'SIGNING',
      hint: '`git config gpg.format ssh && git config user.signingKey ~/.ssh/id_ed25519.pub`',
    });
  }
  const sealed = seal(by.key, payload.kind, envelopeLine(bytes, signature, TYPE));
  if (sealed.length <= MOST_BYTES) return sealed;
  const hint = 'shorten its description and notes';
  throw new ExplainedError(`a ${payload.kind} for the team takes at most 48 KB`, { hint });
}

export interface Reader {
  /** Of the team. */
  readonly key: Buffer;
  readonly signers: Signers;
  /** The principals whose word counts; `*`: all whose key is known. */
  readonly from: readonly string[];
  readonly now: Date;
  readonly scratch: Scratch;
}

/**
 * Reads what the board has in a place.
 *
 * @returns the payload, its bytes, and the principals that its key belongs to.
 * @throws {RefusedError} if it is not for this place, was changed, or nobody who counts has signed it.
 */
export async function openPayload<P extends Place>(
  place: P,
  sealed: Buffer,
  { key, signers, from, scratch }: Reader,
): Promise<{ payload: Payload<P['kind']>; bytes: Buffer; principals: readonly string[] }> {
  const line = unseal(key, place.kind, sealed);
  if (line === undefined) throw new RefusedError('it has another key or place, or was changed');
  const { payload: bytes, signatures } = readEnvelope(line, TYPE);
  const [signature] = signatures;
  if (signature === undefined) throw new RefusedError('it is unsigned');
  const signed = { bytes: signedBytes(bytes, TYPE), sig: signature.sig };
  const principals = await principalsOf(signed, { signers }, scratch);
  if (!from.includes('*') && !principals.some((it) => from.includes(it)))
    throw new RefusedError(`it is signed by ${principals.join(', ')}, who does not count here`);
  // Whoever has signed it may not have removed what is secret.
  const payload = redacted(
    readAs<Payload>(SHAPES[place.kind], bytes.toString(), 'payload'),
  ) as Payload<P['kind']>;
  const says = new Map<string, unknown>(Object.entries(payload));
  const other = Object.entries(place).find(([field, value]) => says.get(field) !== value);
  if (other !== undefined) throw new RefusedError(`it is for another ${other[0]}`);
  return { payload, bytes, principals };
}
