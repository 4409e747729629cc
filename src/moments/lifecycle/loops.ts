/**
 * Notices that a session goes round in circles: the same command fails again and again, or one file is edited
 * over and over. A small file per session counts, so that no database is opened for it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { printableLine } from '../../base/text/printable.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { EDITS, LOOPS, sessionFile } from './activity.ts';
import type { Caller, ToolEvent } from './handler.ts';
import { editName } from './told-edits.ts';

/** Failures of one command with no edit between, and with edits; edits of one file. */
const FAILURES_UNCHANGED = 3;
const FAILURES = 6;
const EDITS_TOLD = 12;
/** Only the start of a long session is counted. */
const MOST_CHARS = 100_000;

/** The warning for the session, if it is in a loop; each loop is told once. */
export function loopText(
  { call, session, failed }: ToolEvent & { readonly kind: 'after-tool' },
  { agent, env }: Caller,
): string | undefined {
  const failures = sessionFile(env, { agent, session }, LOOPS);
  if (call.tool === 'shell') return failuresText(call.command, failed, failures);
  if (call.tool !== 'edit' || failed) return undefined;
  if (existsSync(failures)) addLine(failures, EDITED);
  const edits = sessionFile(env, { agent, session }, EDITS);
  const texts = call.paths.flatMap((path) => editsText(path, edits) ?? []);
  return texts.length === 0 ? undefined : texts.join('\n');
}

const EDITED = 'edited';

/** The file begins with the first failure of a session: before that nothing can come again. */
function failuresText(command: string, failed: boolean, file: string): string | undefined {
  if (!failed && !existsSync(file)) return undefined;
  // No words of commands, which can be secrets.
  const line = `failed ${hashOf(command.trim())}`;
  const passed = line.replace('failed', 'passed');
  const lines = addLine(file, failed ? line : passed);
  if (!failed || lines === undefined) return undefined;
  const since = lines.slice(lines.lastIndexOf(passed) + 1);
  if (since.includes(`told ${line}`)) return undefined;
  const unchanged = since.slice(since.lastIndexOf(EDITED) + 1);
  const isUnchanged = count(line, unchanged) >= FAILURES_UNCHANGED;
  if (!isUnchanged && count(line, since) < FAILURES) return undefined;
  addLine(file, `told ${line}`);
  const times = isUnchanged
    ? `${FAILURES_UNCHANGED} times with no edit between`
    : `${FAILURES} times`;
  return `lanehold: this command has failed ${times}. Running it again will hardly end otherwise: look for the cause, or ask the user.`;
}

function editsText(path: string, folder: string): string | undefined {
  const made = attempt(() => {
    makePrivateFolder(folder);
    const file = join(folder, editName(path) ?? hashOf(path));
    appendFileSync(file, '.', { mode: 0o600 });
    return readFileSync(file, 'utf8').length;
  });
  if (made !== EDITS_TOLD) return undefined;
  return `lanehold: this session has edited ${printableLine(basename(path))} ${EDITS_TOLD} times. If the same problem comes back, say what you have found out and look for its cause, or ask the user.`;
}

/** All lines of a file; `undefined` where it cannot be written, which must not fail a hook, or is too long. */
function addLine(file: string, line: string): string[] | undefined {
  return attempt(() => {
    const before = attempt(() => readFileSync(file, 'utf8')) ?? '';
    if (before.length > MOST_CHARS) return undefined;
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
    return [...before.split('\n').filter(Boolean), line];
  });
}

const hashOf = (text: string) => sha256(text).slice(0, 12);

const count = (line: string, lines: readonly string[]) => lines.filter((it) => it === line).length;
