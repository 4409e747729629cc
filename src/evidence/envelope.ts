/**
 * DSSE envelopes, one JSON line each. The payload's bytes are signed together with their type. The
 * input is not trusted.
 *
 * @see https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
 */
import { scanJson } from '../base/config/json-problems.ts';
import { isJsonObject, parsedJson } from '../base/text/json.ts';
import { printableLine } from '../base/text/printable.ts';

/** The outcome of reading untrusted input. `reason` is a clause. */
export type ReadResult<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly reason: string };

export function read<T>(value: T): ReadResult<T> {
  return { kind: 'read', value };
}

export function refused<T>(reason: string): ReadResult<T> {
  return { kind: 'refused', reason };
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

export function readEnvelope(line: string): ReadResult<Envelope> {
  const json = readJson(line);
  if (json.kind === 'refused') return json;
  if (!isJsonObject(json.value)) return refused('it is no DSSE envelope');
  const { payloadType, payload, signatures } = json.value;
  if (payloadType !== PAYLOAD_TYPE) {
    const type = printableLine(String(payloadType), 60);
    return refused(`its payload type is ${type}, not ${PAYLOAD_TYPE}`);
  }
  const bytes = fromBase64(payload);
  if (bytes === undefined) return refused('its payload is not base64');
  if (!Array.isArray(signatures)) return refused('it has no list of signatures');
  if (signatures.length > MAX_SIGNATURES) {
    return refused(`it has more than ${MAX_SIGNATURES} signatures`);
  }
  const known = signatures.map(signatureOf);
  if (known.some((it) => it === undefined)) return refused('one of its signatures is malformed');
  return read({ payload: bytes, signatures: known.filter((it) => it !== undefined) });
}

/** JSON of bounded size and depth. */
export function readJson(text: string): ReadResult<unknown> {
  if (text.length > MAX_LINE_CHARS)
    return refused(`it is longer than ${MAX_LINE_CHARS} characters`);
  if (scanJson(text, MAX_DEPTH).isTooDeep)
    return refused(`it nests deeper than ${MAX_DEPTH} levels`);
  const value = parsedJson(text);
  return value === undefined ? refused('it is not JSON') : read(value);
}

function signatureOf(value: unknown): Signature | undefined {
  if (!isJsonObject(value)) return undefined;
  const { keyid = '' } = value;
  const sig = fromBase64(value.sig);
  if (typeof keyid !== 'string' || keyid.length > 256 || sig === undefined) return undefined;
  return sig.length === 0 || sig.length > MAX_SIGNATURE_BYTES ? undefined : { keyid, sig };
}

/** DSSE asks verifiers to read both alphabets. Buffer does, but skips other characters. */
function fromBase64(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value)) return undefined;
  return Buffer.from(value, 'base64');
}
