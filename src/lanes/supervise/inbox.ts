/**
 * Takes in what a worker has to say whose sandbox keeps it from the store: files in the one folder
 * that it may write. Words of a worker, hence reports, and nothing else.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { redact } from '../../redact.ts';
import { laneReportStore } from '../../store/lane-reports.ts';
import { inboxOf } from '../workers/inbox.ts';
import type { Supervision } from './supervision.ts';

/** Written under another name and renamed: what is here is whole. */
const NAME = /^[\w-]{1,80}\.json$/;
const MAX_BYTES = 256 * 1024;
const AT_ONCE = 50;

const Letter = z.object({
  id: z.uuid(),
  kind: z.enum(['progress', 'ask', 'blocked', 'claims_done', 'note']),
  body: z.string().check(z.minLength(1), z.maxLength(MAX_BYTES)),
});

export function takeInbox(it: Supervision): void {
  const folder = inboxOf(it.attempt().dir);
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const letter = read(file);
    if (letter !== undefined) keep(it, letter);
    rmSync(file, { force: true });
  }
}

function keep(it: Supervision, { id, kind, body }: z.infer<typeof Letter>): void {
  const { store, now } = it.world;
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

function read(file: string): z.infer<typeof Letter> | undefined {
  try {
    if (!statSync(file).isFile() || statSync(file).size > MAX_BYTES) return undefined;
    return z.safeParse(Letter, JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch (error) {
    // What is no letter is nobody's; a worker may write there what it likes.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .slice(0, AT_ONCE);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
