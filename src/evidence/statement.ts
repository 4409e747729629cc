/**
 * One record of evidence as an in-toto Statement with the test-result predicate, and back.
 *
 * @see https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
 * @see https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md
 */
import * as z from 'zod/mini';
import { FEATURE_NAME } from '../base/config/feature.ts';
import type { Note } from '../base/git/notes.ts';
import { redact } from '../base/text/redact/redact.ts';
import { type Evidence, type EvidenceKind, hasPassed } from '../store/evidence.ts';
import { type Envelope, RefusedError, readAs, readEnvelope } from './envelope.ts';

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';
const SUBJECT_PREFIX = 'lanehold:feature/';

/** A record without the fields that only have a meaning on the machine that made it. */
export type PortableRecord = Omit<Evidence, 'id' | 'projectId' | 'session' | 'source'>;

/** `WARNED` stands for no test run: another verifier must not conclude that tests passed. */
const RESULTS = {
  passed: 'PASSED',
  failed: 'FAILED',
  attested: 'WARNED',
  waived: 'WARNED',
} as const satisfies Record<EvidenceKind, string>;

const text = (max: number) => z.string().check(z.maxLength(max));
const count = z.int().check(z.gte(0));
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const time = z.iso.datetime();

const run = z.object({
  command: text(8192),
  cwd: text(4096),
  outcome: z.enum(['exited', 'timed-out', 'killed', 'not-started']),
  exitCode: z.nullable(z.int()),
  detail: z.nullable(text(1024)),
  durationMs: count,
  output: z.object({ bytes: count, digest: z.object({ sha256 }) }),
});

const entry = z.object({ path: text(4096), mode: text(6), oid: text(64) });

const subject = z.object({ name: text(512), digest: z.object({ sha256 }) });

const statement = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(subject).check(z.length(1)),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.object({
    result: z.enum(['PASSED', 'FAILED', 'WARNED']),
    configuration: z.array(z.unknown()),
    lanehold: z.object({
      version: z.literal(1),
      kind: z.enum(['passed', 'failed', 'attested', 'waived']),
      at: time,
      expires: z.nullable(time),
      actor: text(256),
      reason: z.nullable(text(8192)),
      commit: z.nullable(
        z.object({
          digest: z.object({ gitCommit: z.string().check(z.regex(/^[0-9a-f]{40,64}$/)) }),
        }),
      ),
      besides: z.optional(z.array(entry).check(z.maxLength(10_000))),
      runs: z.array(run).check(z.maxLength(200)),
    }),
  }),
});

/** The registry file of the commit, so that a verifier can look up the tests. */
export interface Configuration {
  readonly name: string;
  readonly digest: { readonly gitBlob: string };
}

/** The same record always gives the same bytes. */
export function statementBytes(
  record: PortableRecord,
  configuration: readonly Configuration[],
): Buffer {
  const { kind, at, expiresAt, actor, reason, revision, besides, runs } = record;
  const names = (list: Evidence['runs']) => list.map(({ command }) => redact(command));
  const value = {
    _type: STATEMENT_TYPE,
    subject: [
      { name: `${SUBJECT_PREFIX}${record.feature}`, digest: { sha256: record.fingerprint } },
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      result: RESULTS[kind],
      configuration: [...configuration],
      passedTests: names(runs.filter(hasPassed)),
      warnedTests: [],
      failedTests: names(runs.filter((it) => !hasPassed(it))),
      lanehold: {
        version: 1,
        kind,
        at: at.toISOString(),
        expires: expiresAt?.toISOString() ?? null,
        actor: redact(actor),
        reason: reason === null ? null : redact(reason),
        commit: revision === null ? null : { digest: { gitCommit: revision } },
        ...(besides.length > 0 && { besides }),
        runs: runs.map((it) => ({
          command: redact(it.command),
          cwd: it.cwd,
          outcome: it.outcome,
          exitCode: it.exitCode,
          detail: it.detail === null ? null : redact(it.detail),
          durationMs: it.durationMs,
          output: { bytes: it.outputBytes, digest: { sha256: it.outputDigest } },
        })),
      },
    },
  };
  return Buffer.from(JSON.stringify(value));
}

/** @throws {RefusedError} */
export function readStatement(payload: Buffer): PortableRecord {
  const { subject, predicate } = readAs(statement, payload.toString('utf8'), 'statement');
  const [named] = subject;
  const { kind, at, expires, actor, reason, commit, besides = [], runs } = predicate.lanehold;
  const feature = named?.name.startsWith(SUBJECT_PREFIX)
    ? named.name.slice(SUBJECT_PREFIX.length)
    : '';
  if (named === undefined || !FEATURE_NAME.test(feature)) {
    throw new RefusedError('its subject is no feature');
  }
  const problem = contradictionIn(predicate);
  if (problem !== undefined) throw new RefusedError(problem);
  return {
    feature,
    fingerprint: named.digest.sha256,
    kind,
    at: new Date(at),
    expiresAt: expires === null ? null : new Date(expires),
    actor,
    reason,
    revision: commit === null ? null : commit.digest.gitCommit,
    besides,
    runs: runs.map(({ output, ...it }) => ({
      ...it,
      outputBytes: output.bytes,
      outputDigest: output.digest.sha256,
      outputTail: '',
      outputFile: null,
    })),
  };
}

/** A contradiction that no record of lanehold has, as a clause. */
function contradictionIn({
  result,
  lanehold,
}: z.infer<typeof statement>['predicate']): string | undefined {
  const { kind, runs, reason, expires } = lanehold;
  if (result !== RESULTS[kind]) return `it says ${result} and ${kind}`;
  const allPassed = runs.every(hasPassed);
  if (kind === 'passed' && (runs.length === 0 || !allPassed)) {
    return 'it says passed without tests that have passed';
  }
  const stated = kind === 'waived' || kind === 'attested';
  if (stated && (reason ?? '').trim() === '') return `it is ${kind} without a reason`;
  return expires !== null && kind !== 'waived' ? 'it expires, and is no waiver' : undefined;
}

/** A record with its envelope, and the commit whose note it was found in. */
export interface NoteRecord {
  readonly record: PortableRecord;
  readonly envelope: Envelope;
  readonly commit: string;
}

/** Most lines of one note that are read; a commit has about as many records as features. */
const MAX_LINES = 5_000;

/** The records in notes, and why each other line is no record. */
export function readNoteRecords(notes: readonly Note[]) {
  const records: NoteRecord[] = [];
  const unreadable: string[] = [];
  const seen = new Set<string>();
  for (const { commit, lines } of notes) {
    if (lines.length > MAX_LINES) {
      unreadable.push(`only ${MAX_LINES} of its ${lines.length} lines are read`);
    }
    for (const line of lines.slice(0, MAX_LINES)) {
      if (seen.has(line)) continue;
      seen.add(line);
      try {
        const envelope = readEnvelope(line);
        records.push({ record: readStatement(envelope.payload), envelope, commit });
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        unreadable.push(error.message);
      }
    }
  }
  return { records, unreadable };
}

/** The records of each content (feature and fingerprint), newest first. */
export function byContent(
  records: readonly NoteRecord[],
): ReadonlyMap<string, readonly NoteRecord[]> {
  const groups = Map.groupBy(records, ({ record }) => keyOf(record));
  for (const group of groups.values()) {
    group.sort((a, b) => b.record.at.getTime() - a.record.at.getTime());
  }
  return groups;
}

/** The name is part of the key, because a forged subject may combine a fingerprint with another feature. */
export function keyOf(it: Pick<PortableRecord, 'feature' | 'fingerprint'>): string {
  return `${it.fingerprint} ${it.feature}`;
}
