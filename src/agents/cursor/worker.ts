/**
 * `cursor-agent -p`: a line of JSON for each event. It has no options for effort, limits and the id
 * of a new session.
 */
import { at, type JsonObject, objectOr } from '../../base/text/json.ts';
import { launchOf, promptCopy } from '../worker/launch.ts';
import { byType, deny, say, streamReader, type Transcript } from '../worker/transcript.ts';
import type { Tokens, WorkerProgram, WorkerReader, WorkerRequest } from '../worker/worker.ts';

export const cursorWorker: WorkerProgram = { launch, reader: cursorReader };

function launch(request: WorkerRequest) {
  const { model, resume, permissions, worktree } = request;
  const prompt = promptCopy(request);
  const args = [
    '-p',
    ...['--output-format', 'stream-json'],
    // Without it edits are only proposed. The sandbox keeps commands inside the worktree.
    '--force',
    ...['--sandbox', permissions === 'full' ? 'disabled' : 'enabled'],
    // Project hooks run only in a workspace that is trusted.
    '--trust',
    ...['--workspace', worktree],
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...request.args,
    prompt.words,
  ];
  return launchOf(request, args, { files: [prompt.file] });
}

export function cursorReader(): WorkerReader {
  const stream: Stream = { calls: new Set(), answered: false };
  return streamReader(
    byType({
      assistant: (event, transcript) => {
        answering(transcript, stream);
        for (const part of at.objects(at.object(event, 'message'), 'content')) {
          say(transcript, at.text(part, 'text') ?? '');
        }
      },
      tool_call: (event, transcript) => readCall(event, transcript, stream),
      result: readResult,
    }),
  );
}

interface Stream {
  readonly calls: Set<string>;
  /** True from a message of the model until the next result of a tool. */
  answered: boolean;
}

function answering(transcript: Transcript, stream: Stream): void {
  if (!stream.answered) transcript.turns += 1;
  transcript.answers += 1;
  stream.answered = true;
}

function readCall(event: JsonObject, transcript: Transcript, stream: Stream): void {
  const id = at.text(event, 'call_id') ?? `call ${stream.calls.size}`;
  if (!stream.calls.has(id)) {
    answering(transcript, stream);
    stream.calls.add(id);
    transcript.toolCalls += 1;
  }
  if (at.text(event, 'subtype') !== 'completed') return;
  stream.answered = false;
  for (const [tool, value] of Object.entries(at.object(event, 'tool_call') ?? {})) {
    const call = objectOr(value);
    const result = at.object(call, 'result');
    const rejected = result?.rejected ?? result?.permissionDenied;
    const what = at.text(at.object(call, 'args'), 'command') ?? tool;
    if (rejected !== undefined) deny(transcript, what);
  }
}

function readResult(event: JsonObject, transcript: Transcript): void {
  const text = at.text(event, 'result') ?? '';
  say(transcript, text);
  const usage = at.object(event, 'usage');
  if (usage !== undefined) transcript.tokens = tokensOf(usage);
  const isError =
    event.is_error === true || at.text(event, 'subtype')?.startsWith('error') === true;
  const message = text || (at.text(event, 'error') ?? 'the run failed');
  transcript.result = isError ? { kind: 'failed', failure: { message } } : { kind: 'done' };
}

function tokensOf(usage: JsonObject): Tokens {
  return {
    input: at.count(usage, 'inputTokens') || at.count(usage, 'input_tokens'),
    output: at.count(usage, 'outputTokens') || at.count(usage, 'output_tokens'),
    cacheRead: at.count(usage, 'cacheReadTokens') || at.count(usage, 'cache_read_tokens'),
    cacheWrite: at.count(usage, 'cacheWriteTokens') || at.count(usage, 'cache_write_tokens'),
  };
}
