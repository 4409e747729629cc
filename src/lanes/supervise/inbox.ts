/**
 * Reads the inbox of a worker whose sandbox keeps it from writing to the store: message files, which
 * become reports and nothing else.
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { inboxOf } from '../../agents/worker/attempt-folder.ts';
import { readJsonFile } from '../../files/json-file.ts';
import { laneReportStore } from '../../store/lane-reports.ts';
import { redact } from '../../text/redact/redact.ts';
import type { Supervision } from './supervision.ts';

/** Files are written under another name and renamed, so those with this name are complete. */
const NAME = /^[\w-]{1,80}\.json$/;
const MAX_BYTES = 256 * 1024;
const AT_ONCE = 50;

const InboxMessage = z.object({
  id: z.uuid(),
  kind: z.enum(['progress', 'ask', 'blocked', 'claims_done', 'note']),
  body: z.string().check(z.minLength(1), z.maxLength(MAX_BYTES)),
});

export function readInbox(it: Supervision): void {
  const folder = inboxOf(it.attempt().dir);
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const message = messageIn(file);
    if (message !== undefined) store(it, message);
    rmSync(file, { recursive: true, force: true });
  }
}

function store(it: Supervision, { id, kind, body }: z.infer<typeof InboxMessage>): void {
  const { store: db, now } = it.context;
  const reports = laneReportStore(db);
  const lane = it.lane();
  // A supervisor that was killed between storing and deleting would store it twice.
  if (reports.ofLane(lane.id).some((known) => known.id === id)) return;
  const by = `lane ${lane.key}`;
  db.write(() => {
    reports.add(
      { id, laneId: lane.id, attemptId: it.attemptId, kind, body: redact(body), by },
      now(),
    );
  });
  it.event('report', { id, kind });
}

/** `undefined` if the file is no message: a worker may write anything there. */
function messageIn(file: string): z.infer<typeof InboxMessage> | undefined {
  const { size = 0 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  const message = size > MAX_BYTES ? 'unreadable' : readJsonFile(file, InboxMessage);
  return typeof message === 'string' ? undefined : message;
}

/** Nothing if the folder is a link: files in it are deleted. */
function namesIn(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .slice(0, AT_ONCE);
}
