/** `cursor-agent -p`: a line of JSON per event. It has no options for effort, limits and the id of a new session. */
import { at, objectOr } from '../../base/text/json.ts';
import { launchOf, promptCopy } from '../worker/launch.ts';
import { deny, failedBy, say, streamReader, tokensIn } from '../worker/transcript.ts';
import type { WorkerProgram, WorkerRequest } from '../worker/worker.ts';

function launch(request: WorkerRequest) {
  const { model, resume, permissions, worktree } = request;
  const prompt = promptCopy(request);
  const args = [
    '-p',
    ...['--output-format', 'stream-json'],
    // Without this option edits are only proposed. The sandbox keeps commands inside the worktree.
    '--force',
    ...['--sandbox', permissions === 'full' ? 'disabled' : 'enabled'],
    // Project hooks run only in a trusted workspace.
    '--trust',
    ...['--workspace', worktree],
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...request.args,
    prompt.words,
  ];
  return launchOf(request, args, { files: [prompt.file] });
}

export const cursorReader = streamReader((run) => {
  const calls = new Set<string>();
  /** True from a message of the model until the next result of a tool. */
  let hasAnswered = false;

  function answering(): void {
    if (!hasAnswered) run.turns += 1;
    run.answers += 1;
    hasAnswered = true;
  }

  return {
    on: {
      assistant: (event) => {
        answering();
        for (const part of at.objects(at.object(event, 'message'), 'content')) {
          say(run, at.text(part, 'text'));
        }
      },
      tool_call: (event) => {
        const id = at.text(event, 'call_id') ?? `call ${calls.size}`;
        if (!calls.has(id)) {
          answering();
          calls.add(id);
          run.toolCalls += 1;
        }
        if (at.text(event, 'subtype') !== 'completed') return;
        hasAnswered = false;
        for (const [tool, value] of Object.entries(at.object(event, 'tool_call') ?? {})) {
          const call = objectOr(value);
          const result = at.object(call, 'result');
          const rejected = result?.rejected ?? result?.permissionDenied;
          const what = at.text(at.object(call, 'args'), 'command') ?? tool;
          if (rejected !== undefined) deny(run, what);
        }
      },
      result: (event) => {
        const text = at.text(event, 'result');
        say(run, text);
        const usage = at.object(event, 'usage');
        if (usage !== undefined) run.tokens = tokensIn(usage, TOKENS);
        const isError =
          event.is_error === true || at.text(event, 'subtype')?.startsWith('error') === true;
        const message = text || (at.text(event, 'error') ?? 'the run failed');
        run.result = isError ? failedBy({ message }) : { kind: 'done' };
      },
    },
  };
});

/** The names of the fields in newer versions of the client, and in earlier ones. */
const TOKENS = {
  input: ['inputTokens', 'input_tokens'],
  output: ['outputTokens', 'output_tokens'],
  cacheRead: ['cacheReadTokens', 'cache_read_tokens'],
  cacheWrite: ['cacheWriteTokens', 'cache_write_tokens'],
};

export const cursorWorker: WorkerProgram = { launch, reader: cursorReader };
