/**
 * What a session does is written to a file of its own first, one JSON object a line: the hook of a tool
 * opens no database. `src/recall/fold.ts` takes the lines over.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { makePrivateFolder } from '../base/files/private-folder.ts';
import type { Seen } from '../store/observations.ts';
import type { SessionName } from './summaries.ts';

export interface SpoolLine extends Partial<Omit<Seen, 'at' | 'kind'>> {
  readonly kind: Seen['kind'];
  /** Milliseconds. */
  readonly at: number;
  readonly agent: string;
  readonly session: string;
  /** Identity of the project, and root of the working tree. */
  readonly project: string;
  readonly root: string;
  /** It tells the outcome of a call that was noted before. */
  readonly settles?: true;
}

/** A session that is never folded stops being recorded here. */
const MOST_BYTES = 2_000_000;
const LONGEST_LINE = 16_000;

/** A folder that cannot be written must not fail a hook. */
export function spool({ spool: folder }: Home, line: SpoolLine): void {
  // A line that a full disk has cut off does not take this one with it.
  const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
  if (bytes.length > LONGEST_LINE) return;
  attempt(() => {
    makePrivateFolder(folder);
    const { O_APPEND, O_CREAT, O_WRONLY } = constants;
    const file = openSync(join(folder, spoolName(line)), O_APPEND | O_CREAT | O_WRONLY, 0o600);
    try {
      // One write: lines of hooks that run side by side do not mix.
      if (fstatSync(file).size < MOST_BYTES) writeSync(file, bytes);
    } finally {
      closeSync(file);
    }
  });
}

export const SPOOL_END = '.jsonl';

/** The time of this file is that of the last prompt: the script that answers without Node writes no time. */
export const PROMPTED = '.spoke';

export function lastPromptAt(
  home: Home,
  who: Pick<SpoolLine, 'agent' | 'session'>,
): number | undefined {
  return attempt(
    () =>
      statSync(join(home.root, 'sessions', spoolName(who).replace(SPOOL_END, PROMPTED))).mtimeMs,
  );
}

/** A session id can be any text; each line says whose it is. */
export function spoolName({ agent, session }: Pick<SpoolLine, 'agent' | 'session'>): string {
  return `${agent}-${session.slice(0, 100).replaceAll(/[^\w-]/g, '_')}${SPOOL_END}`;
}

const unrecordedFolder = ({ spool }: Home): string => join(spool, 'unrecorded');

/** A folder that cannot be written must not fail a hook. */
export function leaveUnrecorded(home: Home, who: SessionName): void {
  attempt(() => {
    makePrivateFolder(unrecordedFolder(home));
    closeSync(openSync(join(unrecordedFolder(home), spoolName(who)), 'a', 0o600));
  });
}

export const isUnrecorded = (home: Home, who: SessionName): boolean =>
  existsSync(join(unrecordedFolder(home), spoolName(who)));
