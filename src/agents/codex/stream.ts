/**
 * Reads the output of `codex exec --json`.
 *
 * The `usage` of a `turn.completed` is that of the whole session: it includes earlier turns and,
 * after `codex exec resume`, all runs before, also those that failed or were killed and reported
 * none. Seen with codex-cli 0.169.0.
 */
import type { Failure } from '../worker/failure.ts';
import {
  countAt,
  type JsonObject,
  numberAt,
  objectAt,
  objectOr,
  objectsAt,
  parsedObject,
  textAt,
} from '../worker/json-line.ts';
import { deny, say, streamReader, type Transcript, wasKilled } from '../worker/transcript.ts';
import type { Tokens, WorkerReader, WorkerTask } from '../worker/worker.ts';

export function codexReader(): WorkerReader {
  const stream: Stream = { items: new Set(), error: undefined, message: false };
  return streamReader(
    (event, transcript) => readEvent(event, transcript, stream),
    (end) =>
      stream.error === undefined || wasKilled(end)
        ? undefined
        : { kind: 'failed', failure: failureOf(undefined, stream) },
  );
}

interface Stream {
  /** Items that were counted; each is reported at its start and at its end. */
  readonly items: Set<string>;
  /** The last error that did not end the turn; the client continues after many errors. */
  error: string | undefined;
  /** True once the model has spoken in this turn. */
  message: boolean;
}

function readEvent(event: JsonObject, transcript: Transcript, stream: Stream): void {
  switch (textAt(event, 'type')) {
    case 'thread.started':
      transcript.sessionId = textAt(event, 'thread_id') ?? transcript.sessionId;
      break;
    case 'turn.started':
      transcript.result = undefined;
      stream.message = false;
      break;
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      readItem(objectAt(event, 'item') ?? {}, transcript, stream);
      break;
    case 'turn.completed':
      transcript.session = { tokens: tokensOf(objectAt(event, 'usage')) };
      transcript.result = endOfTurn(stream);
      break;
    case 'turn.failed':
      transcript.result = { kind: 'failed', failure: failureOf(objectAt(event, 'error'), stream) };
      break;
    case 'error':
      stream.error = textAt(event, 'message') ?? stream.error;
      break;
  }
}

const NO_TOOLS = new Set(['agent_message', 'reasoning', 'todo_list', 'error']);
const NO_ANSWERS = new Set(['', 'error']);

function readItem(item: JsonObject, transcript: Transcript, stream: Stream): void {
  const type = textAt(item, 'type') ?? textAt(item, 'item_type') ?? '';
  if (type === 'error') stream.error = textAt(item, 'message') ?? stream.error;
  if (type === 'agent_message') {
    stream.message = true;
    say(transcript, textAt(item, 'text') ?? '');
  }
  if (type === 'todo_list') transcript.tasks = objectsAt(item, 'items').flatMap(taskOf);
  if (textAt(item, 'status') === 'declined') deny(transcript, textAt(item, 'command') ?? type);
  const id = textAt(item, 'id') ?? `item ${stream.items.size}`;
  if (stream.items.has(id)) return;
  stream.items.add(id);
  if (!NO_ANSWERS.has(type)) transcript.answers += 1;
  const isTool = type !== '' && !NO_TOOLS.has(type);
  // The stream does not show requests to the model: each step counts as one.
  if (isTool || type === 'agent_message') transcript.turns += 1;
  if (isTool) transcript.toolCalls += 1;
}

/** The plan of the model. The stream does not show which step is in progress. */
function taskOf(step: JsonObject): WorkerTask[] {
  const title = textAt(step, 'text');
  if (title === undefined) return [];
  return [{ title, status: step.completed === true ? 'completed' : 'pending' }];
}

/** A turn without a message, after an error with a status of the service, has failed. */
function endOfTurn({ message, error }: Stream): Transcript['result'] {
  if (message || error === undefined) return { kind: 'done' };
  const failure = failureOf(undefined, { error });
  return failure.status === undefined ? { kind: 'done' } : { kind: 'failed', failure };
}

/** The message is a sentence, or the response of the service as JSON. */
function failureOf(
  error: JsonObject | undefined,
  { error: earlier }: Pick<Stream, 'error'>,
): Failure {
  const message = textAt(error, 'message') ?? earlier ?? 'the turn failed';
  const body = parsedObject(message.slice(Math.max(0, message.indexOf('{'))));
  const inner = objectOr(body?.error) ?? body;
  return {
    message: textAt(inner, 'message') ?? message,
    status: numberAt(inner, 'status') ?? statusIn(message),
    resumeAt: resetOf(inner),
  };
}

/** `unexpected status 401 Unauthorized: …`, `exceeded retry limit, last status: 429 …`. */
function statusIn(message: string): number | undefined {
  const status = /\bstatus:? ([1-5]\d\d)\b/i.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}

function resetOf(error: JsonObject | undefined): Date | undefined {
  const seconds = numberAt(error, 'resets_at');
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

/** The client's input includes what was read from the cache. */
function tokensOf(usage: JsonObject | undefined): Tokens {
  const cacheRead = countAt(usage, 'cached_input_tokens');
  return {
    input: Math.max(0, countAt(usage, 'input_tokens') - cacheRead),
    output: countAt(usage, 'output_tokens'),
    cacheRead,
    cacheWrite: 0,
  };
}
