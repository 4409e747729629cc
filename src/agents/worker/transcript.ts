/**
 * What a reader has understood so far. Each agent's reader fills it in from the agent's lines; the
 * outcome is decided here, once for all agents.
 */
import { at, type JsonObject, jsonLine } from '../../base/text/json.ts';
import { evidenceOf, type Failure, failed, wordsKind } from './failure.ts';
import type { Tokens, WorkerEnd, WorkerOutcome, WorkerProgress, WorkerReader } from './worker.ts';

export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface Transcript extends Mutable<WorkerProgress> {
  /** What the agent was not allowed to do, in its own words. */
  readonly denials: string[];
  /** `undefined` until the stream has reported it. */
  result: Result | undefined;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function allTokens({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

export function sumOf(all: Iterable<Tokens>): Tokens {
  const sum = { ...NO_TOKENS };
  for (const tokens of all) {
    for (const kind of TOKENS) sum[kind] += tokens[kind];
  }
  return sum;
}

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/**
 * The tokens in a report of usage, by its own names of them; of several names the first one with tokens counts.
 *
 * @param isWithCache whether its input includes tokens that were read from the cache.
 */
export function tokensIn(
  usage: JsonObject | undefined,
  names: Readonly<Partial<Record<keyof Tokens, string | readonly string[]>>>,
  isWithCache = false,
): Tokens {
  const [input, output, cacheRead, cacheWrite] = TOKENS.map((kind) =>
    [names[kind] ?? []].flat().reduce((count, it) => count || at.count(usage, it), 0),
  );
  const [all = 0, cached = 0] = [input, cacheRead];
  const own = isWithCache ? Math.max(0, all - cached) : all;
  return { input: own, output: output ?? 0, cacheRead: cached, cacheWrite: cacheWrite ?? 0 };
}

const LAST_TEXT_CHARS = 4_000;
const MAX_DENIALS = 20;

interface Stream {
  /** Handlers by the `type` of an event; others are ignored. `body`: the object with more fields, if there is one. */
  readonly on: Readonly<Record<string, (event: JsonObject, body: JsonObject | undefined) => void>>;
  /** The result from the way the program ended, if the stream reported none. */
  atEnd?(end: WorkerEnd): Result | undefined;
}

/** @param read is called once for each run. */
export const streamReader = (read: (run: Transcript) => Stream) => (): WorkerReader => {
  const run: Transcript = {
    sessionId: undefined,
    turns: 0,
    toolCalls: 0,
    answers: 0,
    tokens: NO_TOKENS,
    usd: undefined,
    session: {},
    tasks: undefined,
    lastText: '',
    denials: [],
    result: undefined,
  };
  const { on, atEnd } = read(run);
  return {
    line(text): void {
      const event = jsonLine(text);
      if (event === undefined) return;
      run.sessionId = sessionIn(event) ?? run.sessionId;
      const type = at.text(event, 'type') ?? '';
      if (Object.hasOwn(on, type)) on[type]?.(event, bodyOf(event));
    },
    progress() {
      const { denials: _, result: __, ...progress } = run;
      return { ...progress, tokens: { ...progress.tokens } };
    },
    outcome: (end) => judge(run, run.result ?? atEnd?.(end), end),
  };
};

/** The object of an event with further fields, if it has one. */
export const bodyOf = (event: JsonObject): JsonObject | undefined =>
  ['data', 'part', 'item'].map((it) => at.object(event, it)).find((it) => it !== undefined);

/** Each agent has its own name for the id of the session. */
const SESSION_FIELDS = ['session_id', 'sessionId', 'sessionID', 'thread_id'];

function sessionIn(event: JsonObject): string | undefined {
  const places = [event, at.object(event, 'data')];
  const ids = places.flatMap((it) => SESSION_FIELDS.map((field) => at.text(it, field)));
  return ids.find((it) => it !== undefined);
}

export function say(run: Transcript, text = ''): void {
  if (text.trim() !== '') run.lastText = text.slice(-LAST_TEXT_CHARS);
}

export function deny(run: Transcript, what: string): void {
  if (run.denials.length < MAX_DENIALS) run.denials.push(evidenceOf(what));
}

export const failedBy = (failure: Failure): Result => ({ kind: 'failed', failure });

/** The result has precedence over the exit code, and the exit code over words. */
function judge(transcript: Transcript, result: Result | undefined, end: WorkerEnd): WorkerOutcome {
  if (result === undefined) return failed(unexplained(end), end.now);
  return result.kind === 'failed' ? failed(result.failure, end.now) : finished(transcript, end);
}

/** The run is done; it may still have done nothing. */
function finished(transcript: Transcript, { acted }: WorkerEnd): WorkerOutcome {
  const { denials, toolCalls, lastText } = transcript;
  const evidence = evidenceOf(lastText);
  if (acted) return { kind: 'ok', evidence };
  if (denials.length > 0)
    return { kind: 'refused', evidence: `not permitted: ${denials.join('; ')}` };
  return { kind: toolCalls === 0 ? 'empty' : 'ok', evidence };
}

function unexplained(end: WorkerEnd): Failure {
  const { code, stderr } = end;
  const how = code === undefined ? 'ended' : `exited with code ${code}`;
  const message = `${stderr.slice(-STDERR_CHARS)}\n(${how} before it reported a result)`;
  return { message, kind: wasKilled(end) ? 'crashed' : (wordsKind(stderr) ?? 'crashed') };
}

const STDERR_CHARS = 4_000;

/**
 * True if the program was ended by a signal, or never started: shells report both by codes above
 * 125. Its earlier output does not explain the end.
 */
export function wasKilled({ code }: WorkerEnd): boolean {
  return code === undefined || code > 125;
}
