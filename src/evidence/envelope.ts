/**
 * DSSE envelopes, one JSON line each. The payload's bytes are signed together with their type. The
 * input is not trusted.
 *
 * @see https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
 */
import { scanJson } from '../base/config/json-problems.ts';
import { isJsonObject, parsedJson } from '../base/text/json.ts';
import { printableLine } from '../base/text/printable.ts';

/** What comes from elsewhere does not count. The message is a clause: `it is unsigned`. */
export class RefusedError extends Error {}

/** The result of `work`, or why it refuses what it looked at. */
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

const MAX_LINE_CHARS = 256 * 1024;
const MAX_DEPTH = 16;
const MAX_SIGNATURES = 4;
const MAX_SIGNATURE_BYTES = 16 * 1024;

/** The bytes that are signed: DSSE's pre-authentication encoding. */
export function signedBytes(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** An unsigned line is marked by an additional field that other verifiers ignore. */
export function envelopeLine(payload: Buffer, signature: Signature | undefined): string {
  const signatures =
    signature === undefined
      ? []
      : [{ keyid: signature.keyid, sig: signature.sig.toString('base64') }];
  return JSON.stringify({
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures,
    ...(signature === undefined ? { unsigned: true } : {}),
  });
}

/** @throws {RefusedError} */
export function readEnvelope(line: string): Envelope {
  const json = readJson(line);
  if (!isJsonObject(json)) throw new RefusedError('it is no DSSE envelope');
  const { payloadType, payload, signatures } = json;
  if (payloadType !== PAYLOAD_TYPE) {
    const type = printableLine(String(payloadType), 60);
    throw new RefusedError(`its payload type is ${type}, not ${PAYLOAD_TYPE}`);
  }
  const bytes = fromBase64(payload);
  if (bytes === undefined) throw new RefusedError('its payload is not base64');
  if (!Array.isArray(signatures)) throw new RefusedError('it has no list of signatures');
  if (signatures.length > MAX_SIGNATURES) {
    throw new RefusedError(`it has more than ${MAX_SIGNATURES} signatures`);
  }
  return { payload: bytes, signatures: signatures.map(signatureOf) };
}

/** JSON of bounded size and depth. @throws {RefusedError} */
export function readJson(text: string): unknown {
  if (text.length > MAX_LINE_CHARS)
    throw new RefusedError(`it is longer than ${MAX_LINE_CHARS} characters`);
  if (scanJson(text, MAX_DEPTH).isTooDeep)
    throw new RefusedError(`it nests deeper than ${MAX_DEPTH} levels`);
  const value = parsedJson(text);
  if (value === undefined) throw new RefusedError('it is not JSON');
  return value;
}

function signatureOf(value: unknown): Signature {
  const { keyid = '', sig: written } = isJsonObject(value) ? value : {};
  const sig = fromBase64(written);
  const isWhole = sig !== undefined && sig.length > 0 && sig.length <= MAX_SIGNATURE_BYTES;
  if (isWhole && typeof keyid === 'string' && keyid.length <= 256) return { keyid, sig };
  throw new RefusedError('one of its signatures is malformed');
}

/** DSSE asks verifiers to read both alphabets. Buffer does, but skips other characters. */
function fromBase64(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value)) return undefined;
  return Buffer.from(value, 'base64');
}
