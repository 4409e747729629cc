/**
 * What a reader has understood so far, and what that amounts to in the end. The adapters fill it in
 * from their agents' lines; what it means is decided here, once for all of them.
 */
import { evidenceOf, type Failure, failed, wordsKind } from './failure.ts';
import { type JsonObject, jsonLine, textAt } from './json-line.ts';
import type {
  SessionUse,
  Tokens,
  WorkerEnd,
  WorkerOutcome,
  WorkerProgress,
  WorkerReader,
  WorkerTask,
} from './worker.ts';

/** The agent's own last word on its run. */
export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface Transcript {
  sessionId: string | undefined;
  turns: number;
  toolCalls: number;
  answers: number;
  tokens: Tokens;
  usd: number | undefined;
  session: SessionUse;
  tasks: readonly WorkerTask[] | undefined;
  lastText: string;
  /** What the agent was not allowed to do, in its words for it. */
  readonly denials: string[];
  /** `undefined` as long as the stream has not said how it went. */
  result: Result | undefined;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function allTokens({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

const LAST_TEXT_CHARS = 4_000;
const MAX_DENIALS = 20;

/**
 * @param read is given one object of the stream, and notes in the transcript what it says.
 * @param lastWord what the end says where the stream has not said how it went.
 */
export function streamReader(
  read: (event: JsonObject, transcript: Transcript) => void,
  lastWord: (end: WorkerEnd) => Result | undefined = () => undefined,
): WorkerReader {
  const transcript = emptyTranscript();
  return {
    line(text): void {
      const event = jsonLine(text);
      if (event !== undefined) read(event, transcript);
    },
    progress: () => progressOf(transcript),
    outcome: (end) => judge(transcript, transcript.result ?? lastWord(end), end),
  };
}

function emptyTranscript(): Transcript {
  return {
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
}

function progressOf(transcript: Transcript): WorkerProgress {
  const { denials: _, result: __, ...progress } = transcript;
  return { ...progress, tokens: { ...progress.tokens } };
}

export function say(transcript: Transcript, text: string): void {
  if (text.trim() !== '') transcript.lastText = text.slice(-LAST_TEXT_CHARS);
}

export function deny(transcript: Transcript, what: string): void {
  if (transcript.denials.length < MAX_DENIALS) transcript.denials.push(evidenceOf(what));
}

/** The result counts before the exit code, and the exit code before any words. */
function judge(transcript: Transcript, result: Result | undefined, end: WorkerEnd): WorkerOutcome {
  if (result === undefined) return failed(unexplained(end), end.now);
  return result.kind === 'failed' ? failed(result.failure, end.now) : finished(transcript, end);
}

/** It went through; whether it did anything is another matter. */
function finished(transcript: Transcript, { changed }: WorkerEnd): WorkerOutcome {
  const { denials, toolCalls, lastText } = transcript;
  const evidence = evidenceOf(lastText);
  if (changed) return { kind: 'ok', evidence };
  if (denials.length > 0)
    return { kind: 'refused', evidence: `not permitted: ${denials.join('; ')}` };
  return { kind: toolCalls === 0 ? 'empty' : 'ok', evidence };
}

/** The stream stopped before it said how it went. */
function unexplained(end: WorkerEnd): Failure {
  const { code, stderr } = end;
  const how = code === undefined ? 'ended' : `exited with code ${code}`;
  const message = `${stderr.slice(-STDERR_CHARS)}\n(${how} before it reported a result)`;
  return { message, kind: wasKilled(end) ? 'crashed' : (wordsKind(stderr) ?? 'crashed') };
}

const STDERR_CHARS = 4_000;

/**
 * By a signal, or never started: shells say so with codes above 125. What such a program had said
 * before explains nothing.
 */
export function wasKilled({ code }: WorkerEnd): boolean {
  return code === undefined || code > 125;
}

/**
 * A task list that the agent writes as a whole with a tool of its own.
 *
 * @param title the field with the title; an entry without it is left out.
 */
export function todoList(entries: readonly JsonObject[], title: string): WorkerTask[] {
  return entries.flatMap((entry) => {
    const text = textAt(entry, title);
    return text === undefined ? [] : [{ title: text, status: taskStatus(textAt(entry, 'status')) }];
  });
}

function taskStatus(status: string | undefined): WorkerTask['status'] {
  switch (status) {
    case 'in_progress':
    case 'completed':
      return status;
    case 'cancelled':
      return 'dropped';
    default:
      return 'pending';
  }
}
