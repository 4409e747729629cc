import { expect, test } from 'vitest';
import {
  envelopeLine,
  RefusedError,
  readEnvelope,
  signedBytes,
} from '../../src/evidence/envelope.ts';
import { readStatement, statementBytes } from '../../src/evidence/statement.ts';

const RECORD = {
  feature: 'checkout',
  fingerprint: 'a'.repeat(64),
  kind: 'passed',
  at: new Date('2026-01-02T03:04:05.678Z'),
  expiresAt: null,
  actor: 'person ada',
  reason: null,
  revision: 'b'.repeat(40),
  besides: [{ path: 'lib/x.js', mode: '', oid: '' }],
  runs: [
    {
      command: 'npm test',
      cwd: 'packages/checkout',
      outcome: 'exited',
      exitCode: 0,
      detail: null,
      durationMs: 1234,
      outputBytes: 5,
      outputDigest: 'c'.repeat(64),
      outputTail: '',
      outputFile: null,
    },
  ],
} as const;
const CONFIGURATION = [{ name: 'lanehold.json', digest: { gitBlob: 'd'.repeat(40) } }];
const written = () => JSON.parse(statementBytes(RECORD, CONFIGURATION).toString('utf8'));
const readBack = (value: unknown) => readStatement(Buffer.from(JSON.stringify(value)));
const refusal = (reason: string) =>
  expect.toSatisfy((it) => it instanceof RefusedError && it.message.includes(reason));

test('a record comes out of its statement as it went in', () => {
  expect(readBack(written())).toEqual(RECORD);
});

test('a statement is what in-toto and its test-result predicate ask for', () => {
  expect(written()).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'lanehold:feature/checkout', digest: { sha256: RECORD.fingerprint } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: 'PASSED',
      configuration: CONFIGURATION,
      passedTests: ['npm test'],
      warnedTests: [],
      failedTests: [],
    },
  });
});

test('a record is redacted, and output is not shared', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const [run] = RECORD.runs;
  const record = {
    ...RECORD,
    kind: 'failed' as const,
    reason: `the token is ${token}`,
    runs: [
      {
        ...run,
        exitCode: 1,
        command: `TOKEN=${token} npm test`,
        outputTail: 'as printed',
        outputFile: '/logs/1',
      },
    ],
  };
  const text = statementBytes(record, []).toString('utf8');
  for (const secret of [token, 'as printed', '/logs/1']) expect(text).not.toContain(secret);
});

type Json = Readonly<Record<string, unknown>>;
const DAMAGE: readonly (readonly [what: string, damage: (it: Json) => unknown, where: string])[] = [
  ['another type', (it) => ({ ...it, _type: 'https://in-toto.io/Statement/v0.1' }), '`_type`'],
  ['another predicate', (it) => ({ ...it, predicateType: 'x' }), '`predicateType`'],
  ['no subject', (it) => ({ ...it, subject: [] }), '`subject`'],
  ['a subject that is no feature', subject({ name: 'checkout' }), 'its subject is no feature'],
  ['a name that is none', subject({ name: 'lanehold:feature/../x' }), 'its subject is no feature'],
  ['a short fingerprint', subject({ digest: { sha256: 'a' } }), '`subject.0.digest.sha256`'],
  ['an unknown result', predicate({ result: 'PERFECT' }), '`predicate.result`'],
  ['a result of another kind', predicate({ result: 'WARNED' }), 'it says WARNED and passed'],
  ['no facts', predicate({ lanehold: null }), '`predicate.lanehold`'],
  ['a later version', facts({ version: 2 }), '`predicate.lanehold.version`'],
  ['an unknown kind', facts({ kind: 'blessed' }), '`predicate.lanehold.kind`'],
  ['no time', facts({ at: 'yesterday' }), '`predicate.lanehold.at`'],
  ['a time that is a number', facts({ at: 1 }), '`predicate.lanehold.at`'],
  ['a long actor', facts({ actor: 'x'.repeat(300) }), '`predicate.lanehold.actor`'],
  ['no runs', facts({ runs: [] }), 'it says passed without tests that have passed'],
  [
    'a pass that expires',
    facts({ expires: '2030-01-01T00:00:00.000Z' }),
    'it expires, and is no waiver',
  ],
  [
    'a waiver without a reason',
    (it) => predicate({ result: 'WARNED' })(facts({ kind: 'waived' })(it)),
    'it is waived without a reason',
  ],
  ['a failed run', facts({ runs: [{ ...run(), exitCode: 1 }] }), 'it says passed without'],
  [
    'an exit code that is none',
    facts({ runs: [{ ...run(), exitCode: 0.5 }] }),
    '`predicate.lanehold.runs.0.exitCode`',
  ],
  [
    'a negative duration',
    facts({ runs: [{ ...run(), durationMs: -1 }] }),
    '`predicate.lanehold.runs.0.durationMs`',
  ],
];

function run() {
  return written().predicate.lanehold.runs[0];
}
function subject(part: object) {
  return (it: Json) => ({ ...it, subject: [{ ...(it.subject as object[])[0], ...part }] });
}
function predicate(part: object) {
  return (it: Json): Json => ({ ...it, predicate: { ...(it.predicate as object), ...part } });
}
function facts(part: object) {
  return (it: Json): Json => {
    const { lanehold } = it.predicate as { lanehold: object };
    return predicate({ lanehold: { ...lanehold, ...part } })(it);
  };
}

test.each(DAMAGE)('a statement with %s is refused', (_, damage, where) => {
  expect(() => readBack(damage(written()))).toThrow(refusal(where));
});

test('unknown fields are ignored', () => {
  const later = facts({ mood: 'good' })(written());
  expect(readBack({ ...later, more: { of: 'it' } })).toEqual(RECORD);
});

test('what is signed is the type and the bytes, with their lengths', () => {
  expect(signedBytes(Buffer.from('héllo')).toString('utf8')).toBe(
    'DSSEv1 28 application/vnd.in-toto+json 6 héllo',
  );
});

const PAYLOAD = Buffer.from('{"?":">>>~~~"}');

test('an envelope without a signature says that it has none', () => {
  const line = envelopeLine(PAYLOAD, undefined);
  expect(JSON.parse(line)).toMatchObject({ signatures: [], unsigned: true });
  expect(readEnvelope(line)).toEqual({ payload: PAYLOAD, signatures: [] });
});

test('both alphabets of base64 are read', () => {
  const envelope = JSON.parse(envelopeLine(PAYLOAD, { keyid: 'k', sig: Buffer.from([255, 254]) }));
  const payload = PAYLOAD.toString('base64url');
  expect(payload).not.toBe(envelope.payload);
  expect(readEnvelope(JSON.stringify({ ...envelope, payload }))).toMatchObject({
    payload: PAYLOAD,
  });
});

test.each([
  ['no JSON', '{', 'its envelope is no JSON object'],
  ['no object', '"x"', 'its envelope is no JSON object'],
  ['another type', '{"payloadType":"text/plain"}', '`payloadType` of its envelope is'],
  [
    'no base64',
    JSON.stringify({ ...JSON.parse(envelopeLine(PAYLOAD, undefined)), payload: 'ä' }),
    '`payload` of its envelope is',
  ],
  [
    'no signatures',
    JSON.stringify({ ...JSON.parse(envelopeLine(PAYLOAD, undefined)), signatures: 1 }),
    '`signatures` of its envelope is',
  ],
  [
    'an empty signature',
    envelopeLine(PAYLOAD, { keyid: '', sig: Buffer.alloc(0) }),
    '`signatures.0.sig` of its envelope is',
  ],
  [
    'a huge signature',
    envelopeLine(PAYLOAD, { keyid: '', sig: Buffer.alloc(20_000) }),
    '`signatures.0.sig` of its envelope is',
  ],
  ['depth', '['.repeat(1000), 'its envelope nests deeper than 16 levels'],
  ['length', `"${'x'.repeat(300_000)}"`, 'its envelope is longer than'],
  ['strings that never end', '"\\'.repeat(100_000), 'its envelope is no JSON object'],
])('an envelope with %s is refused', (_, line, reason) => {
  expect(() => readEnvelope(line)).toThrow(refusal(reason));
});
