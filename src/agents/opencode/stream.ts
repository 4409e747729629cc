/** Reads the output of `opencode run --format json`. */
import type { Failure } from '../worker/failure.ts';
import {
  countAt,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../worker/json-line.ts';
import { deny, say, streamReader, type Transcript, todoList } from '../worker/transcript.ts';
import type { WorkerReader } from '../worker/worker.ts';

export function opencodeReader(): WorkerReader {
  // No line reports the end: a run that has done something and exits with 0 is done.
  let worked = false;
  return streamReader(
    (event, transcript) => {
      transcript.sessionId ??= textAt(event, 'sessionID');
      worked ||= textAt(event, 'type') === 'step_finish';
      readEvent(event, transcript);
    },
    ({ code }) => (worked && code === 0 ? { kind: 'done' } : undefined),
  );
}

function readEvent(event: JsonObject, transcript: Transcript): void {
  const part = objectAt(event, 'part');
  switch (textAt(event, 'type')) {
    case 'step_start':
      // It continues after an error from which it can recover.
      transcript.result = undefined;
      transcript.turns += 1;
      break;
    case 'text':
      transcript.answers += 1;
      say(transcript, textAt(part, 'text') ?? '');
      break;
    case 'tool_use':
      transcript.toolCalls += 1;
      transcript.answers += 1;
      readTool(part, transcript);
      break;
    case 'step_finish':
      readStep(part, transcript);
      break;
    case 'error':
      transcript.result = { kind: 'failed', failure: failureOf(objectAt(event, 'error')) };
      break;
  }
}

/** Only the message tells a tool that was denied from one that failed. */
function readTool(part: JsonObject | undefined, transcript: Transcript): void {
  const state = objectAt(part, 'state');
  if (textAt(part, 'tool') === 'todowrite' && textAt(state, 'status') === 'completed') {
    transcript.tasks = todoList(objectsAt(objectAt(state, 'input'), 'todos'), 'content');
  }
  const error = textAt(state, 'error') ?? '';
  if (textAt(state, 'status') !== 'error' || !DENIED.test(error)) return;
  deny(transcript, textAt(objectAt(state, 'input'), 'command') ?? textAt(part, 'tool') ?? 'a tool');
}

const DENIED =
  /\bden(?:y|ied)|reject|not (?:allowed|permitted)|permission|prevents? you|specified a rule/i;

function readStep(part: JsonObject | undefined, transcript: Transcript): void {
  const used = objectAt(part, 'tokens');
  const cache = objectAt(used, 'cache');
  const { input, output, cacheRead, cacheWrite } = transcript.tokens;
  transcript.tokens = {
    input: input + countAt(used, 'input'),
    output: output + countAt(used, 'output') + countAt(used, 'reasoning'),
    cacheRead: cacheRead + countAt(cache, 'read'),
    cacheWrite: cacheWrite + countAt(cache, 'write'),
  };
  const cost = numberAt(part, 'cost');
  // For models without a known price it reports 0.
  if (cost !== undefined && cost > 0) transcript.usd = (transcript.usd ?? 0) + cost;
}

function failureOf(error: JsonObject | undefined): Failure {
  const data = objectAt(error, 'data');
  const name = textAt(error, 'name') ?? 'error';
  const message = textAt(data, 'message') ?? textAt(error, 'message') ?? '';
  return {
    message: `${name}: ${message}`,
    kind: name === 'ProviderAuthError' ? 'auth' : undefined,
    status: numberAt(data, 'statusCode'),
  };
}
