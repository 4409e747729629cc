/** Reads the output of `copilot -p --output-format json`. */
import type { Failure } from '../worker/failure.ts';
import { countAt, type JsonObject, numberAt, objectAt, textAt } from '../worker/json-line.ts';
import { deny, say, streamReader, type Transcript } from '../worker/transcript.ts';
import type { WorkerReader } from '../worker/worker.ts';

export function copilotReader(): WorkerReader {
  const stream: Stream = { error: undefined, calls: new Map() };
  return streamReader(
    (event, transcript) => readEvent(event, transcript, stream),
    ({ code }) => endOf(stream, code === 0),
  );
}

interface Stream {
  /** The last error after which the session did not continue. */
  error: Failure | undefined;
  /** Tools that were called and have no result yet. */
  readonly calls: Map<string, string>;
}

function readEvent(event: JsonObject, transcript: Transcript, stream: Stream): void {
  const data = objectAt(event, 'data');
  transcript.sessionId =
    textAt(event, 'sessionId') ?? textAt(data, 'sessionId') ?? transcript.sessionId;
  switch (textAt(event, 'type')) {
    case 'assistant.message':
      stream.error = undefined;
      transcript.turns += 1;
      transcript.answers += 1;
      say(transcript, textAt(data, 'content') ?? '');
      break;
    case 'tool.execution_start':
      readCall(data, transcript, stream);
      break;
    case 'tool.execution_complete':
      readCallEnd(data, transcript, stream);
      break;
    case 'assistant.usage':
      addUsage(data, transcript);
      break;
    case 'session.error':
      stream.error = failureOf(data);
      break;
    case 'session.warning':
      readWarning(data, stream);
      break;
    case 'result':
      transcript.result = endOf(stream, event.exitCode === 0);
      break;
  }
}

function readCall(data: JsonObject | undefined, transcript: Transcript, stream: Stream): void {
  transcript.toolCalls += 1;
  transcript.answers += 1;
  const command = textAt(objectAt(data, 'arguments'), 'command');
  stream.calls.set(
    textAt(data, 'toolCallId') ?? '',
    command ?? textAt(data, 'toolName') ?? 'a tool',
  );
}

function readCallEnd(data: JsonObject | undefined, transcript: Transcript, stream: Stream): void {
  const id = textAt(data, 'toolCallId') ?? '';
  const error = objectAt(data, 'error');
  const words = `${textAt(error, 'code') ?? ''} ${textAt(error, 'message') ?? ''}`;
  if (data?.success === false && DENIED.test(words)) {
    deny(transcript, stream.calls.get(id) ?? 'a tool');
  }
  stream.calls.delete(id);
}

const DENIED = /\bden(?:y|ied)|reject|not (?:allowed|permitted)|permission/i;

/** A prompt that a hook blocks ends the run without a request to the model. */
function readWarning(data: JsonObject | undefined, stream: Stream): void {
  const type = textAt(data, 'warningType') ?? textAt(data, 'type');
  if (type !== 'policy_blocked') return;
  stream.error = { message: textAt(data, 'message') ?? type, kind: 'refused' };
}

/** Reported for each request. The sum in the result counts other things. */
function addUsage(data: JsonObject | undefined, transcript: Transcript): void {
  const cached = countAt(data, 'cacheReadTokens');
  const { input, output, cacheRead, cacheWrite } = transcript.tokens;
  transcript.tokens = {
    input: input + Math.max(0, countAt(data, 'inputTokens') - cached),
    output: output + countAt(data, 'outputTokens'),
    cacheRead: cacheRead + cached,
    cacheWrite: cacheWrite + countAt(data, 'cacheWriteTokens'),
  };
}

const TYPES: Readonly<Record<string, Failure['kind']>> = {
  authentication: 'auth',
  authorization: 'auth',
  quota: 'quota',
  rate_limit: 'quota',
  context_limit: 'context-overflow',
};

function failureOf(data: JsonObject | undefined): Failure {
  return {
    message: textAt(data, 'message') ?? 'the session failed',
    kind: TYPES[textAt(data, 'errorType') ?? ''],
    status: numberAt(data, 'statusCode'),
  };
}

/** A failure without an error is explained on stderr only. */
function endOf({ error }: Stream, succeeded: boolean): Transcript['result'] {
  if (error !== undefined) return { kind: 'failed', failure: error };
  return succeeded ? { kind: 'done' } : undefined;
}
