/**
 * DSSE envelopes, one JSON line each. The payload's bytes are signed together with their type. The
 * input is not trusted.
 *
 * @see https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
 */
import * as z from 'zod/mini';
import { scanJson } from '../base/config/json-problems.ts';
import { ExplainedError } from '../base/errors.ts';
import { parsedJson } from '../base/text/json.ts';

/** Thrown for foreign evidence that does not count. The message is a clause: `it is unsigned`. */
export class RefusedError extends ExplainedError {}

/** The result of `work`, or the reason for which it refuses the evidence. */
export async function orRefusal<T>(work: () => T | Promise<T>): Promise<T | RefusedError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedError) return error;
    throw error;
  }
}

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export interface Signature {
  /** The writer's name for the key: shown to people, never used to decide about trust. */
  readonly keyid: string;
  readonly sig: Buffer;
}

export interface Envelope {
  readonly payload: Buffer;
  /** Empty if unsigned. DSSE has no unsigned envelopes, so other verifiers refuse them. */
  readonly signatures: readonly Signature[];
}

const MAX_CHARS = 256 * 1024;
const MAX_DEPTH = 16;
const MAX_SIGNATURES = 4;
const MAX_SIGNATURE_CHARS = 22_000;

/** The bytes that are signed: DSSE's pre-authentication encoding. The signature holds for one type of payload. */
export function signedBytes(payload: Buffer, type: string = PAYLOAD_TYPE): Buffer {
  const head = `DSSEv1 ${type.length} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** An unsigned line is marked by an additional field that other verifiers ignore. */
export function envelopeLine(
  payload: Buffer,
  signature: Signature | undefined,
  payloadType: string = PAYLOAD_TYPE,
): string {
  const signatures =
    signature === undefined
      ? []
      : [{ keyid: signature.keyid, sig: signature.sig.toString('base64') }];
  return JSON.stringify({
    payloadType,
    payload: payload.toString('base64'),
    signatures,
    ...(signature === undefined ? { unsigned: true } : {}),
  });
}

/** DSSE asks verifiers to read both alphabets. */
const base64 = (most: number) => z.string().check(z.maxLength(most), z.regex(/^[\w+/-]*={0,2}$/));

const envelopeOf = (type: string) =>
  z.object({
    payloadType: z.literal(type),
    payload: base64(MAX_CHARS),
    signatures: z
      .array(
        z.object({
          keyid: z._default(z.string().check(z.maxLength(256)), ''),
          sig: base64(MAX_SIGNATURE_CHARS).check(z.minLength(1)),
        }),
      )
      .check(z.maxLength(MAX_SIGNATURES)),
  });

// Hooks read these, and making a schema takes longer than using it.
const EVIDENCE = envelopeOf(PAYLOAD_TYPE);

/** @throws {RefusedError} */
export function readEnvelope(line: string, type: string = PAYLOAD_TYPE): Envelope {
  const { payload, signatures } = readAs(
    type === PAYLOAD_TYPE ? EVIDENCE : envelopeOf(type),
    line,
    'envelope',
  );
  return {
    payload: Buffer.from(payload, 'base64'),
    signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig: Buffer.from(sig, 'base64') })),
  };
}

/** A value of a schema as JSON of bounded size and depth; unknown fields are ignored. @throws {RefusedError} */
export function readAs<T>(schema: z.ZodMiniType<T>, text: string, what: string): T {
  if (text.length > MAX_CHARS)
    throw new RefusedError(`its ${what} is longer than ${MAX_CHARS} characters`);
  if (scanJson(text, MAX_DEPTH).isTooDeep)
    throw new RefusedError(`its ${what} nests deeper than ${MAX_DEPTH} levels`);
  const { data, error } = schema.safeParse(parsedJson(text));
  if (error === undefined) return data;
  const where = error.issues[0]?.path.join('.');
  if (!where) throw new RefusedError(`its ${what} is no JSON object`);
  throw new RefusedError(`\`${where}\` of its ${what} is missing or not as specified`);
}
