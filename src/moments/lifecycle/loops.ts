/**
 * Notices a session that repeats itself: the same command fails again and again, or one file is edited again and again.
 * Small files of the session count.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { leaveFile } from '../../base/files/left-file.ts';
import { printableLine } from '../../base/text/printable.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { sessionFile } from './activity.ts';
import type { Caller, ToolEvent } from './handler.ts';

/** Failures of one command with no edit between, and with edits; edits of one file. */
const FAILURES_UNCHANGED = 3;
const FAILURES = 6;
const EDITS_TOLD = 12;
/** Only the start of a long session is counted. */
const MOST_CHARS = 100_000;

/** The warning for a session in a loop; each loop is reported once. */
export function loopText(
  { call, session, failed }: ToolEvent & { readonly kind: 'after-tool' },
  { agent, env, afterwards }: Caller,
): string | undefined {
  const failures = sessionFile(env, { agent, session }, '.loops');
  if (call.tool === 'shell') return failuresText(call.command, failed, failures, afterwards);
  if (call.tool !== 'edit' || failed) return undefined;
  if (existsSync(failures)) afterwards(() => leaveFile(failures, `${EDITED}\n`));
  const edits = sessionFile(env, { agent, session }, '.edits');
  const texts = call.paths.flatMap((path) => editsText(path, edits, afterwards) ?? []);
  return texts.length === 0 ? undefined : texts.join('\n');
}

const EDITED = 'edited';

/** The warning about failures. The file begins with the first failure of a session, before which nothing can repeat. */
function failuresText(
  command: string,
  failed: boolean,
  file: string,
  afterwards: Caller['afterwards'],
): string | undefined {
  if (!failed && !existsSync(file)) return undefined;
  // The words of commands, which can be secrets, are not stored.
  const line = `failed ${hashOf(command.trim())}`;
  const passed = line.replace('failed', 'passed');
  const before = attempt(() => readFileSync(file, 'utf8')) ?? '';
  if (before.length > MOST_CHARS) return undefined;
  const added = [failed ? line : passed];
  afterwards(() => leaveFile(file, added.map((it) => `${it}\n`).join('')));
  if (!failed) return undefined;
  const lines = [...before.split('\n').filter(Boolean), line];
  const since = lines.slice(lines.lastIndexOf(passed) + 1);
  if (since.includes(`told ${line}`)) return undefined;
  const unchanged = since.slice(since.lastIndexOf(EDITED) + 1);
  const isUnchanged = count(line, unchanged) >= FAILURES_UNCHANGED;
  if (!isUnchanged && count(line, since) < FAILURES) return undefined;
  added.push(`told ${line}`);
  const times = isUnchanged
    ? `${FAILURES_UNCHANGED} times with no edit between`
    : `${FAILURES} times`;
  return `lanehold: this command has failed ${times}. Running it again will hardly end otherwise: look for the cause, or ask the user.`;
}

function editsText(
  path: string,
  folder: string,
  afterwards: Caller['afterwards'],
): string | undefined {
  // File systems allow 255 bytes, and a digest would take longer than the rest of the event.
  const file = join(folder, encodeURIComponent(path.toWellFormed()).slice(-200));
  const before = attempt(() => readFileSync(file, 'utf8'))?.length ?? 0;
  afterwards(() => leaveFile(file, '.'));
  if (before + 1 !== EDITS_TOLD) return undefined;
  return `lanehold: this session has edited ${printableLine(basename(path))} ${EDITS_TOLD} times. If the same problem comes back, say what you have found out and look for its cause, or ask the user.`;
}

const hashOf = (text: string) => sha256(text).slice(0, 12);

const count = (line: string, lines: readonly string[]) => lines.filter((it) => it === line).length;
