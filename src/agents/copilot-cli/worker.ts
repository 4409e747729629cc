/** `copilot -p`: a line of JSON for each event. It has no options for effort and limits. */
import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { at, type JsonObject } from '../../base/text/json.ts';
import type { Failure } from '../worker/failure.ts';
import { launchOf, promptCopy, REPORTING, simpleCommands } from '../worker/launch.ts';
import { hooksOfMainCheckout, ourHooks } from '../worker/project-hooks.ts';
import { byType, deny, say, streamReader, sumOf, type Transcript } from '../worker/transcript.ts';
import type { LaunchFile, WorkerProgram, WorkerReader, WorkerRequest } from '../worker/worker.ts';
import { copilotCliInstall } from './install.ts';

export const copilotWorker: WorkerProgram = { launch, reader: copilotReader };

function launch(request: WorkerRequest) {
  const { model, resume, permissions } = request;
  const prompt = promptCopy(request);
  const plugin = pluginOfProject(request);
  const args = [
    ...['-p', prompt.words],
    ...['--output-format', 'json'],
    '--no-auto-update',
    '--no-ask-user',
    ...(permissions === 'full' ? ['--allow-all'] : editOptions(request)),
    ...['--add-dir', prompt.folder],
    // Neither is possible with `--trust-folder`; the variable below has the same effect on hooks.
    ...(resume === undefined ? ['--session-id', request.sessionId] : [`--resume=${resume}`]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(plugin === undefined ? [] : ['--plugin-dir', plugin.folder]),
    ...request.args,
  ];
  // The hooks of the repository are silently skipped in a folder that is not trusted.
  const env = { GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: 'true' };
  return launchOf(request, args, { env, files: [prompt.file, ...(plugin?.files ?? [])] });
}

/** Hooks that are not committed do not exist in a linked worktree. */
function pluginOfProject(request: WorkerRequest) {
  const main = hooksOfMainCheckout(request, copilotCliInstall.hooksFile);
  if (main === undefined) return undefined;
  const folder = join(request.dir, 'hooks');
  makePrivateFolder(folder);
  const file = (name: string, value: object): LaunchFile => ({
    path: join(folder, name),
    content: JSON.stringify(value),
  });
  const about = { name: 'lanehold', version: '1.0.0', description: 'Hooks of the main checkout' };
  const files = [
    file('plugin.json', { ...about, hooks: 'hooks.json' }),
    file('hooks.json', { version: 1, hooks: ourHooks(main.text) }),
  ];
  return { folder, files };
}

/**
 * A rule is a command or the start of one, and cannot contain parentheses. Of the read-only
 * commands only `git status` has no option that writes a file.
 */
function editOptions({ allow }: WorkerRequest): string[] {
  const commands = ['git status', ...REPORTING, ...allow.flatMap(simpleCommands)];
  const rules = [...new Set(commands)].filter((it) => !/[\p{Cc}()]/u.test(it));
  return ['--allow-tool=write', ...rules.map((it) => `--allow-tool=shell(${it})`)];
}

export function copilotReader(): WorkerReader {
  const stream: Stream = { error: undefined, calls: new Map() };
  const read = byType({
    'assistant.message': (event, transcript) => {
      stream.error = undefined;
      transcript.turns += 1;
      transcript.answers += 1;
      say(transcript, at.text(dataOf(event), 'content') ?? '');
    },
    'tool.execution_start': (event, transcript) => readCall(dataOf(event), transcript, stream),
    'tool.execution_complete': (event, transcript) =>
      readCallEnd(dataOf(event), transcript, stream),
    'assistant.usage': (event, transcript) => addUsage(dataOf(event), transcript),
    'session.error': (event) => {
      stream.error = failureOf(dataOf(event));
    },
    'session.warning': (event) => readWarning(dataOf(event), stream),
    result: (event, transcript) => {
      transcript.result = endOf(stream, event.exitCode === 0);
    },
  });
  return streamReader(read, ({ code }) => endOf(stream, code === 0));
}

const dataOf = (event: JsonObject): JsonObject | undefined => at.object(event, 'data');

interface Stream {
  /** The last error after which the session did not continue. */
  error: Failure | undefined;
  /** Tools that were called and have no result yet. */
  readonly calls: Map<string, string>;
}

function readCall(data: JsonObject | undefined, transcript: Transcript, stream: Stream): void {
  transcript.toolCalls += 1;
  transcript.answers += 1;
  const command = at.text(at.object(data, 'arguments'), 'command');
  stream.calls.set(
    at.text(data, 'toolCallId') ?? '',
    command ?? at.text(data, 'toolName') ?? 'a tool',
  );
}

function readCallEnd(data: JsonObject | undefined, transcript: Transcript, stream: Stream): void {
  const id = at.text(data, 'toolCallId') ?? '';
  const error = at.object(data, 'error');
  const words = `${at.text(error, 'code') ?? ''} ${at.text(error, 'message') ?? ''}`;
  if (data?.success === false && DENIED.test(words)) {
    deny(transcript, stream.calls.get(id) ?? 'a tool');
  }
  stream.calls.delete(id);
}

const DENIED = /\bden(?:y|ied)|reject|not (?:allowed|permitted)|permission/i;

/** A prompt that a hook blocks ends the run without a request to the model. */
function readWarning(data: JsonObject | undefined, stream: Stream): void {
  const type = at.text(data, 'warningType') ?? at.text(data, 'type');
  if (type !== 'policy_blocked') return;
  stream.error = { message: at.text(data, 'message') ?? type, kind: 'refused' };
}

/** Reported for each request. The sum in the result counts other things. */
function addUsage(data: JsonObject | undefined, transcript: Transcript): void {
  const cached = at.count(data, 'cacheReadTokens');
  const tokens = {
    input: Math.max(0, at.count(data, 'inputTokens') - cached),
    output: at.count(data, 'outputTokens'),
    cacheRead: cached,
    cacheWrite: at.count(data, 'cacheWriteTokens'),
  };
  transcript.tokens = sumOf([transcript.tokens, tokens]);
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
    message: at.text(data, 'message') ?? 'the session failed',
    kind: TYPES[at.text(data, 'errorType') ?? ''],
    status: at.number(data, 'statusCode'),
  };
}

/** A failure without an error is explained on stderr only. */
function endOf({ error }: Stream, succeeded: boolean): Transcript['result'] {
  if (error !== undefined) return { kind: 'failed', failure: error };
  return succeeded ? { kind: 'done' } : undefined;
}
