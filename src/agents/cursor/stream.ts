/** Reads the output of `cursor-agent -p --output-format stream-json`. */
import {
  countAt,
  type JsonObject,
  objectAt,
  objectOr,
  objectsAt,
  textAt,
} from '../worker/json-line.ts';
import { deny, say, streamReader, type Transcript } from '../worker/transcript.ts';
import type { Tokens, WorkerReader } from '../worker/worker.ts';

export function cursorReader(): WorkerReader {
  const stream: Stream = { calls: new Set(), answered: false };
  return streamReader((event, transcript) => readEvent(event, transcript, stream));
}

interface Stream {
  readonly calls: Set<string>;
  /** True from a message of the model until the next result of a tool. */
  answered: boolean;
}

function readEvent(event: JsonObject, transcript: Transcript, stream: Stream): void {
  transcript.sessionId = textAt(event, 'session_id') ?? transcript.sessionId;
  switch (textAt(event, 'type')) {
    case 'assistant':
      answering(transcript, stream);
      for (const part of objectsAt(objectAt(event, 'message'), 'content')) {
        say(transcript, textAt(part, 'text') ?? '');
      }
      break;
    case 'tool_call':
      readCall(event, transcript, stream);
      break;
    case 'result':
      readResult(event, transcript);
      break;
  }
}

function answering(transcript: Transcript, stream: Stream): void {
  if (!stream.answered) transcript.turns += 1;
  transcript.answers += 1;
  stream.answered = true;
}

function readCall(event: JsonObject, transcript: Transcript, stream: Stream): void {
  const id = textAt(event, 'call_id') ?? `call ${stream.calls.size}`;
  if (!stream.calls.has(id)) {
    answering(transcript, stream);
    stream.calls.add(id);
    transcript.toolCalls += 1;
  }
  if (textAt(event, 'subtype') !== 'completed') return;
  stream.answered = false;
  for (const [tool, value] of Object.entries(objectAt(event, 'tool_call') ?? {})) {
    const call = objectOr(value);
    const result = objectAt(call, 'result');
    const rejected = result?.rejected ?? result?.permissionDenied;
    const what = textAt(objectAt(call, 'args'), 'command') ?? tool;
    if (rejected !== undefined) deny(transcript, what);
  }
}

function readResult(event: JsonObject, transcript: Transcript): void {
  const text = textAt(event, 'result') ?? '';
  say(transcript, text);
  const usage = objectAt(event, 'usage');
  if (usage !== undefined) transcript.tokens = tokensOf(usage);
  const isError = event.is_error === true || textAt(event, 'subtype')?.startsWith('error') === true;
  const message = text || (textAt(event, 'error') ?? 'the run failed');
  transcript.result = isError ? { kind: 'failed', failure: { message } } : { kind: 'done' };
}

function tokensOf(usage: JsonObject): Tokens {
  return {
    input: countAt(usage, 'inputTokens') || countAt(usage, 'input_tokens'),
    output: countAt(usage, 'outputTokens') || countAt(usage, 'output_tokens'),
    cacheRead: countAt(usage, 'cacheReadTokens') || countAt(usage, 'cache_read_tokens'),
    cacheWrite: countAt(usage, 'cacheWriteTokens') || countAt(usage, 'cache_write_tokens'),
  };
}
