/** Small files through which hooks pass facts to later ones. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { attempt } from '../errors.ts';
import { makePrivateFolder } from './private-folder.ts';

/** Writes such a file; a failure must not fail the hook. @param flag `a` appends, `w` replaces. */
export function leaveFile(file: string, text: string, flag: 'a' | 'w' = 'a'): void {
  attempt(() => {
    makePrivateFolder(dirname(file));
    writeFileSync(file, text, { mode: 0o600, flag });
  });
}

/** The name of a session's file; a session id can be any text. */
export const sessionFileName = (session: string): string =>
  session.slice(0, 100).replaceAll(/[^\w-]/g, '_');
