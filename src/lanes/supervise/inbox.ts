/**
 * Takes in what a worker has to say whose sandbox keeps it from the store: files in the one folder
 * that it may write. Words of a worker, hence reports, and nothing else.
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { inboxOf } from '../../agents/worker/inbox.ts';
import { readJsonFile } from '../../files/json-file.ts';
import { laneReportStore } from '../../store/lane-reports.ts';
import { redact } from '../../text/redact/redact.ts';
import type { Supervision } from './supervision.ts';

/** Written under another name and renamed: what is here is whole. */
const NAME = /^[\w-]{1,80}\.json$/;
const MAX_BYTES = 256 * 1024;
const AT_ONCE = 50;

const InboxMessage = z.object({
  id: z.uuid(),
  kind: z.enum(['progress', 'ask', 'blocked', 'claims_done', 'note']),
  body: z.string().check(z.minLength(1), z.maxLength(MAX_BYTES)),
});

export function takeInbox(it: Supervision): void {
  const folder = inboxOf(it.attempt().dir);
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const message = read(file);
    if (message !== undefined) keep(it, message);
    rmSync(file, { recursive: true, force: true });
  }
}

function keep(it: Supervision, { id, kind, body }: z.infer<typeof InboxMessage>): void {
  const { store, now } = it.context;
  const reports = laneReportStore(store);
  const lane = it.lane();
  // A supervisor that was killed between the two steps would take it twice.
  if (reports.ofLane(lane.id).some((known) => known.id === id)) return;
  const by = `lane ${lane.key}`;
  store.write(() => {
    reports.add(
      { id, laneId: lane.id, attemptId: it.attemptId, kind, body: redact(body), by },
      now(),
    );
  });
  it.event('report', { id, kind });
}

/** What is no message is nobody's; a worker may write there what it likes. */
function read(file: string): z.infer<typeof InboxMessage> | undefined {
  const { size = 0 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  const message = size > MAX_BYTES ? 'unreadable' : readJsonFile(file, InboxMessage);
  return typeof message === 'string' ? undefined : message;
}

/** Not where it is a link: what is taken in is deleted. */
function namesIn(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .slice(0, AT_ONCE);
}
