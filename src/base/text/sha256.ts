/** As 64 hex digits; of a text, of its UTF-8. */
export function sha256(content: string | Buffer): string {
  // Loaded here, because many events digest nothing.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(content).digest('hex');
}
