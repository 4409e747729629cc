/** The digest as 64 hex digits; a text is digested as UTF-8. */
export function sha256(content: string | Buffer): string {
  // The import is here because many events digest nothing.
  return process.getBuiltinModule('node:crypto').hash('sha256', content);
}
