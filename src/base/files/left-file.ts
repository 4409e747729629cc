/** Small files by which hooks tell later ones something. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { attempt } from '../errors.ts';
import { makePrivateFolder } from './private-folder.ts';

/** A file that cannot be written must not fail a hook. @param flag `a` adds to it, `w` writes it anew. */
export function leaveFile(file: string, text: string, flag: 'a' | 'w' = 'a'): void {
  attempt(() => {
    makePrivateFolder(dirname(file));
    writeFileSync(file, text, { mode: 0o600, flag });
  });
}

/** A session id can be any text. */
export const sessionFileName = (session: string): string =>
  session.slice(0, 100).replaceAll(/[^\w-]/g, '_');
