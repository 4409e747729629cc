/**
 * Notices that a session goes round in circles: the same command fails again and again, or one file is edited
 * over and over. A small file per session counts, so that no database is opened for it.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { attempt } from '../errors.ts';
import { printableLine } from '../text/printable.ts';
import { LOOPS, sessionFile } from './activity.ts';
import type { Caller, ToolEvent } from './handler.ts';

/** Failures of one command with no edit between, and with edits. */
const FAILURES_UNCHANGED = 3;
const FAILURES = 6;
const EDITS = 12;
/** Of a long session only the start is looked at. */
const MOST_CHARS = 100_000;

/** What to tell the session now; each loop is told once. */
export function loopText(
  { call, session, failed }: ToolEvent & { readonly kind: 'after-tool' },
  { agent, env }: Caller,
): string | undefined {
  const steps = stepsOf(call, failed);
  if (steps.length === 0) return undefined;
  const file = sessionFile(env, { agent, session }, LOOPS);
  const lines = attempt(() => {
    const before = attempt(() => readFileSync(file, 'utf8')) ?? '';
    if (before.length > MOST_CHARS) return undefined;
    const written = steps.map(({ line }) => line);
    appendFileSync(file, `${written.join('\n')}\n`, { mode: 0o600 });
    return [...before.split('\n').filter(Boolean), ...written];
  });
  if (lines === undefined) return undefined;
  const texts = steps.flatMap((step) => noticed(step, lines) ?? []);
  if (texts.length === 0) return undefined;
  attempt(() => appendFileSync(file, steps.map(({ line }) => `told ${line}\n`).join('')));
  return texts.join('\n');
}

interface Step {
  /** `failed 1a2b…`, `passed 1a2b…`, `edited 1a2b…`: no words of commands, which can be secrets. */
  readonly line: string;
  /** The file that was edited. */
  readonly name?: string;
}

function stepsOf(call: ToolEvent['call'], failed: boolean): Step[] {
  if (call.tool === 'shell') {
    return [{ line: `${failed ? 'failed' : 'passed'} ${hashOf(call.command.trim())}` }];
  }
  if (call.tool !== 'edit' || failed) return [];
  return call.paths.map((path) => ({ line: `edited ${hashOf(path)}`, name: basename(path) }));
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

function noticed({ line, name }: Step, lines: readonly string[]): string | undefined {
  if (name !== undefined) {
    if (count(line, lines) !== EDITS) return undefined;
    return `lanehold: this session has edited ${printableLine(name)} ${EDITS} times. If the same problem comes back, say what you have found out and look for its cause, or ask the user.`;
  }
  if (!line.startsWith('failed')) return undefined;
  const since = lines.slice(lines.lastIndexOf(line.replace('failed', 'passed')) + 1);
  if (since.includes(`told ${line}`)) return undefined;
  const unchanged = since.slice(since.findLastIndex((it) => it.startsWith('edited')) + 1);
  const isUnchanged = count(line, unchanged) >= FAILURES_UNCHANGED;
  if (!isUnchanged && count(line, since) < FAILURES) return undefined;
  const times = isUnchanged
    ? `${FAILURES_UNCHANGED} times with no edit between`
    : `${FAILURES} times`;
  return `lanehold: this command has failed ${times}. Running it again will hardly end otherwise: look for the cause, or ask the user.`;
}

const count = (line: string, lines: readonly string[]) => lines.filter((it) => it === line).length;
