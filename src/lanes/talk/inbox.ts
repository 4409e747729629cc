/** The inbox of an attempt: messages from a worker whose sandbox keeps it from the store, for its supervisor. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { inboxOf } from '../../agents/worker/launch.ts';
import { UsageError } from '../../base/errors.ts';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import type { LaneMark } from '../spec/lane-mark.ts';
import { IN_A_FILE } from './say.ts';

/** Files are written under another name and renamed, so those with this name are complete. */
const NAME = /^[\w-]{1,80}\.json$/;
const MAX_BYTES = 256 * 1024;
const AT_ONCE = 50;

const InboxMessage = z.object({
  id: z.uuid(),
  kind: z.enum(['progress', 'ask', 'blocked', 'claims_done', 'note']),
  body: z.string().check(z.minLength(1), z.maxLength(MAX_BYTES)),
});
type InboxMessage = z.infer<typeof InboxMessage>;

/** False if there is no inbox. @throws {UsageError} if the message is too large. */
export function writeInboxMessage(mark: LaneMark, message: InboxMessage): boolean {
  if (mark.by !== 'environment') return false;
  const folder = inboxOf(mark.dir);
  if (!isFolder(folder)) return false;
  if (Buffer.byteLength(JSON.stringify(message)) > MAX_BYTES) {
    throw new UsageError('the text is too long to leave this sandbox', { hint: IN_A_FILE });
  }
  writeJsonFile(join(folder, `${message.id}.json`), message);
  return true;
}

/** The messages; each file is deleted when the next message is read. */
export function* inboxMessages(attemptDir: string): Generator<InboxMessage> {
  const folder = inboxOf(attemptDir);
  if (!isFolder(folder)) return;
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  for (const file of names.slice(0, AT_ONCE).map((name) => join(folder, name))) {
    const { size = 0 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
    const message = size > MAX_BYTES ? 'unreadable' : readJsonFile(file, InboxMessage);
    // A worker may write anything there.
    if (typeof message !== 'string') yield message;
    rmSync(file, { recursive: true, force: true });
  }
}

/** Whether a path is a folder; a link is not, because files in the folder are deleted. */
const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
