/**
 * Hides from the board what it must not read: bodies are encrypted and bound to their place, names are replaced by
 * keyed digests.
 *
 * The key is the team's: 32 random bytes, which the board never gets.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param place the place of the text: the same bytes cannot be decrypted at another one. */
export function seal(key: Buffer, place: string, text: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), body]);
}

/** `undefined`: it has another key or place, was changed, or was sealed by a later version. */
export function unseal(key: Buffer, place: string, sealed: Buffer): string | undefined {
  const start = 1 + IV_BYTES + TAG_BYTES;
  if (sealed.length < start || sealed[0] !== VERSION) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + IV_BYTES));
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(1 + IV_BYTES, start));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]).toString();
  } catch (error) {
    // The error of node:crypto for a wrong tag has no code of its own.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const keyed = (key: Buffer, ...words: readonly string[]): Buffer =>
  createHmac('sha256', key).update(words.join('\0')).digest();

/** A digest by which two machines can compare their keys without showing them. */
export const keyCheck = (key: Buffer): string => keyed(key, 'check').toString('hex');

/** @param address of the remote, in its plain spelling. */
export const repositoryId = (key: Buffer, address: string): string =>
  keyed(key, 'repository', address).toString('hex').slice(0, 32);

export const subjectOf = (
  key: Buffer,
  { feature, fingerprint }: { readonly feature: string; readonly fingerprint: string },
): Buffer => keyed(key, 'evidence', feature, fingerprint);
