/** Sessions that must not be recorded: what hooks pass over is not to be read from a transcript later. */
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { makePrivateFolder } from '../base/files/private-folder.ts';
import { spoolName } from './spool.ts';
import type { SessionName } from './summaries.ts';

const folderOf = ({ spool }: Home): string => join(spool, 'unrecorded');

/** A folder that cannot be written must not fail a hook. */
export function leaveUnrecorded(home: Home, who: SessionName): void {
  attempt(() => {
    makePrivateFolder(folderOf(home));
    closeSync(openSync(join(folderOf(home), spoolName(who)), 'a', 0o600));
  });
}

export const isUnrecorded = (home: Home, who: SessionName): boolean =>
  existsSync(join(folderOf(home), spoolName(who)));
