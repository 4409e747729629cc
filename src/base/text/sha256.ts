import { createHash } from 'node:crypto';

/** As 64 hex digits; of a text, of its UTF-8. */
export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
