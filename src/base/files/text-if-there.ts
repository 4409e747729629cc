import { readFileSync, statSync } from 'node:fs';

/** `undefined` if there is no such file. It is looked for first: an error costs more than reading a small file. */
export function textIfThere(file: string): string | undefined {
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  return isThere ? readFileSync(file, 'utf8') : undefined;
}
