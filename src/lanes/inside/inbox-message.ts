/**
 * Messages of a worker whose sandbox keeps it from writing to the store: files in the inbox folder,
 * which the supervisor reads.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { inboxOf } from '../../agents/worker/attempt-folder.ts';
import { UsageError } from '../../errors.ts';
import { writeJsonFile } from '../../files/json-file.ts';
import type { ReportKind } from '../../store/lane-reports.ts';
import type { LaneMark } from './lane-mark.ts';

export interface InboxMessage {
  readonly id: string;
  readonly kind: ReportKind;
  readonly body: string;
}

/** Larger messages are not read. */
const MAX_BYTES = 256 * 1024;

/** False if there is no inbox. @throws {UsageError} if the message is too large. */
export function writeInboxMessage(mark: LaneMark, message: InboxMessage): boolean {
  if (mark.by !== 'environment') return false;
  const folder = inboxOf(mark.dir);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
  if (Buffer.byteLength(JSON.stringify(message)) > MAX_BYTES) {
    throw new UsageError('the text is too long to leave this sandbox', {
      hint: 'write it to a file of the working tree, and say where it is',
    });
  }
  writeJsonFile(join(folder, `${message.id}.json`), message);
  return true;
}
