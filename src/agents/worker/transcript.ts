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
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  for (const tokens of all) {
    sum.input += tokens.input;
    sum.output += tokens.output;
    sum.cacheRead += tokens.cacheRead;
    sum.cacheWrite += tokens.cacheWrite;
  }
  return sum;
}

const LAST_TEXT_CHARS = 4_000;
const MAX_DENIALS = 20;

type StreamEventReader = (event: JsonObject, transcript: Transcript) => void;

/** Reads events by their `type`; those of other types are ignored. */
export function byType(readers: Readonly<Record<string, StreamEventReader>>): StreamEventReader {
  const known = new Map(Object.entries(readers));
  return (event, transcript) => known.get(at.text(event, 'type') ?? '')?.(event, transcript);
}

/** @param resultAtEnd the result, from how the program ended, if the stream reported none. */
export function streamReader(
  read: StreamEventReader,
  resultAtEnd?: (end: WorkerEnd) => Result | undefined,
): WorkerReader {
  const transcript: Transcript = {
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
  return {
    line(text): void {
      const event = jsonLine(text);
      if (event === undefined) return;
      transcript.sessionId = sessionIn(event) ?? transcript.sessionId;
      read(event, transcript);
    },
    progress() {
      const { denials: _, result: __, ...progress } = transcript;
      return { ...progress, tokens: { ...progress.tokens } };
    },
    outcome: (end) => judge(transcript, transcript.result ?? resultAtEnd?.(end), end),
  };
}

/** Each agent has its own name for the id of the session. */
const SESSION_FIELDS = ['session_id', 'sessionId', 'sessionID', 'thread_id'];

function sessionIn(event: JsonObject): string | undefined {
  const places = [event, at.object(event, 'data')];
  const ids = places.flatMap((it) => SESSION_FIELDS.map((field) => at.text(it, field)));
  return ids.find((it) => it !== undefined);
}

export function say(transcript: Transcript, text: string): void {
  if (text.trim() !== '') transcript.lastText = text.slice(-LAST_TEXT_CHARS);
}

export function deny(transcript: Transcript, what: string): void {
  if (transcript.denials.length < MAX_DENIALS) transcript.denials.push(evidenceOf(what));
}

/** The result has precedence over the exit code, and the exit code over words. */
function judge(transcript: Transcript, result: Result | undefined, end: WorkerEnd): WorkerOutcome {
  if (result === undefined) return failed(unexplained(end), end.now);
  return result.kind === 'failed' ? failed(result.failure, end.now) : finished(transcript, end);
}

/** The run is done; it may still have changed nothing. */
function finished(transcript: Transcript, { changed }: WorkerEnd): WorkerOutcome {
  const { denials, toolCalls, lastText } = transcript;
  const evidence = evidenceOf(lastText);
  if (changed) return { kind: 'ok', evidence };
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
 * Ended by a signal, or never started: shells report that by codes above 125. What the program had
 * printed before does not explain it.
 */
export function wasKilled({ code }: WorkerEnd): boolean {
  return code === undefined || code > 125;
}
