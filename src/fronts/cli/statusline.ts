/**
 * The status line, and the short way to it: a program of its own that loads no option parser, for it is started
 * after each turn of an agent. Whatever else is typed goes through `main.ts`.
 */
import { existsSync, fstatSync, writeFileSync } from 'node:fs';
import { type QuickStatus, quickStatus } from '../../app/setup/quick-status.ts';
import { storeOnDemand } from '../../app/store-on-demand.ts';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { readInput } from '../../base/process/read-input.ts';
import { run } from '../../base/process/run.ts';
import { enumerated, plural } from '../../base/text/count.ts';
import { at, jsonLine } from '../../base/text/json.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import type { LaneState } from '../../store/lanes.ts';

export interface StatuslineOptions {
  /** The input is the JSON that an agent gives its status line. */
  readonly stdin?: boolean;
  /** A command line of the user, whose output stands first. */
  readonly wrap?: string | undefined;
}

interface Here {
  readonly env: Environment;
  readonly cwd: string;
  readonly now: () => Date;
  readonly input: () => string;
}

/**
 * The line for the session that speaks in the input, else for the folder.
 *
 * @throws what the store throws, where nothing is wrapped.
 */
export async function statuslineOf(here: Here, { stdin = false, wrap }: StatuslineOptions) {
  const input = stdin || wrap !== undefined ? here.input() : '';
  const theirs = wrap === undefined ? Promise.resolve('') : outputOf(wrap, here, input);
  const said = at.text(jsonLine(input), 'cwd');
  const cwd = said && existsSync(said) ? said : here.cwd;
  const store = storeOnDemand(here.env);
  let noted: QuickStatus | undefined;
  try {
    noted = await quickStatus({ ...here, cwd, store: store.store });
  } catch (error) {
    if (wrap === undefined) throw error;
  } finally {
    await store.close();
  }
  const own =
    noted === undefined ? 'lanehold: cannot tell, see `lanehold doctor`' : statusline(noted);
  return { text: joined(await theirs, own), noted };
}

const MOST_NAMED = 3;

const AT_WORK: readonly LaneState[] = ['starting', 'running', 'validating', 'integrating'];
/** States of lanes in words that say what the person is asked for. */
const WAITS: Readonly<Partial<Record<LaneState, string>>> = {
  asks: 'asks',
  failed: 'failed',
  conflict: 'conflict',
  culprit: 'breaks the others',
};

/** One line for the status bar of an agent, or a shell prompt. */
export function statusline({ pending, pushes, lanes, disabled, gaps }: QuickStatus): string {
  if (disabled) return 'lanehold: off (LANEHOLD_DISABLE=1)';
  const unguarded = [...new Set(gaps.map(({ agent }) => agent))];
  const names = pending.map(({ feature }) => feature);
  const held = pushes.map(({ source }) => shortRef(source));
  const waiting = lanes.flatMap(({ key, state }) =>
    WAITS[state] === undefined ? [] : [`${key} ${WAITS[state]}`],
  );
  const working = lanes.filter(({ state }) => AT_WORK.includes(state)).length;
  const parts = [
    ...(unguarded.length === 0 ? [] : [`unguarded: ${enumerated(unguarded, MOST_NAMED)}`]),
    ...(waiting.length === 0 ? [] : [`waits for you: ${enumerated(waiting, MOST_NAMED)}`]),
    ...(names.length === 0 ? [] : [`${names.length} to verify: ${enumerated(names, MOST_NAMED)}`]),
    ...(held.length === 0 ? [] : [`held push: ${enumerated(held, MOST_NAMED)}`]),
    ...(working === 0 ? [] : [`${plural(working, 'lane')} at work`]),
  ];
  return `lanehold: ${parts.join('; ') || 'nothing to verify'}`;
}

/** A colour that was left on does not reach our line. */
function joined(theirs: string, own: string): string {
  if (theirs === '') return own;
  const reset = theirs.includes('\u001b[') ? '\u001b[0m' : '';
  return `${theirs.endsWith('\n') ? theirs : `${theirs}\n`}${reset}${own}`;
}

const INPUT_BYTES = 1_000_000;

/** Nothing if it cannot be read. */
export const statuslineInput = (): string => attempt(readJson) ?? '';

/** One JSON value: who starts it may leave its input open behind that. Nothing from a terminal. */
function readJson(): string {
  if (fstatSync(0).isCharacterDevice()) return '';
  const parts: Uint8Array[] = [];
  for (let size = 0; size < INPUT_BYTES; ) {
    const part = new Uint8Array(65_536);
    const bytes = readInput(part);
    if (bytes === 0) break;
    size += bytes;
    parts.push(part.subarray(0, bytes));
    if (attempt(() => JSON.parse(textOf(parts))) !== undefined) break;
  }
  return textOf(parts);
}

const textOf = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');

const WRAPPED_MS = 3_000;
const WRAPPED_BYTES = 65_536;

/** The output as the agent would show it: nothing if the command fails or takes too long. */
async function outputOf(command: string, { env, cwd }: Here, input: string): Promise<string> {
  const limits = { timeoutMs: WRAPPED_MS, maxOutputBytes: WRAPPED_BYTES };
  const outcome = await run('/bin/sh', ['-c', command], { cwd, env, input, ...limits });
  const isShown = outcome.kind === 'exited' && outcome.exitCode === 0;
  return isShown ? outcome.stdout.toString('utf8') : '';
}

/** @returns `undefined` for what only the whole command line understands. */
export function statuslineOptions(args: readonly string[]): StatuslineOptions | undefined {
  const [first, second, ...rest] = args;
  if (first === undefined) return {};
  if (first === '--stdin' && second === undefined) return { stdin: true };
  return first === '--wrap' && second !== undefined && rest.length === 0
    ? { wrap: second }
    : undefined;
}

/** @returns only if the line was not printed: the whole command line is to say why. */
export async function main(args: readonly string[]): Promise<void> {
  const options = statuslineOptions(args);
  if (options === undefined) return;
  try {
    const here = { env: process.env, cwd: process.cwd(), now: () => new Date() };
    const { text } = await statuslineOf({ ...here, input: statuslineInput }, options);
    // `process.stdout` would load what sockets need. A reader that is gone is no failure.
    attempt(() => writeFileSync(1, `${text}\n`));
    // The program that started this may leave its input open.
    process.exit(0);
  } catch {
    // Said by whoever is called next.
  }
}
