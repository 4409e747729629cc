/** git's own id of a content: the same file has the same fingerprint in a folder and in a repository. */
export function blobId(content: Buffer, format = 'sha1'): string {
  // Loaded here, because most hooks look at no file.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex');
}
