import { randomBytes } from 'node:crypto';

/**
 * A new id: a UUID of version 7, so that ids sort by the time they were made.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7
 */
export function newId(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
