/** `copilot -p`: a line of JSON for each event. It has no options for effort and limits. */
import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { at, type JsonObject } from '../../base/text/json.ts';
import type { Failure } from '../worker/failure.ts';
import { launchOf, promptCopy, REPORTING, simpleCommands } from '../worker/launch.ts';
import { hooksOfMainCheckout, ourHooks } from '../worker/project-hooks.ts';
import {
  deny,
  failedBy,
  type Result,
  say,
  streamReader,
  sumOf,
  tokensIn,
} from '../worker/transcript.ts';
import type { LaunchFile, WorkerProgram, WorkerRequest } from '../worker/worker.ts';
import { copilotCliInstall } from './install.ts';

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
    // Neither option works with `--trust-folder`; the variable below has the same effect on hooks.
    ...(resume === undefined ? ['--session-id', request.sessionId] : [`--resume=${resume}`]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(plugin === undefined ? [] : ['--plugin-dir', plugin.folder]),
    ...request.args,
  ];
  // The hooks of the repository are silently skipped in a folder that is not trusted.
  const env = { GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: 'true' };
  return launchOf(request, args, { env, files: [prompt.file, ...(plugin?.files ?? [])] });
}

/** The plugin with the project's hooks: files that are not committed do not exist in a linked worktree. */
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

export const copilotReader = streamReader((run) => {
  /** The last error after which the session did not continue. */
  let lastError: Failure | undefined;
  /** Tools that were called and have no result yet. */
  const calls = new Map<string, string>();
  /** The result of a run without a result; a failure without an error is explained on stderr only. */
  const endOf = (hasSucceeded: boolean): Result | undefined => {
    if (lastError !== undefined) return failedBy(lastError);
    return hasSucceeded ? { kind: 'done' } : undefined;
  };
  return {
    on: {
      'assistant.message': (_, data) => {
        lastError = undefined;
        run.turns += 1;
        run.answers += 1;
        say(run, at.text(data, 'content'));
      },
      'tool.execution_start': (_, data) => {
        run.toolCalls += 1;
        run.answers += 1;
        const command = at.text(at.object(data, 'arguments'), 'command');
        const what = command ?? at.text(data, 'toolName') ?? 'a tool';
        calls.set(at.text(data, 'toolCallId') ?? '', what);
      },
      'tool.execution_complete': (_, data) => {
        const id = at.text(data, 'toolCallId') ?? '';
        const error = at.object(data, 'error');
        const words = `${at.text(error, 'code') ?? ''} ${at.text(error, 'message') ?? ''}`;
        if (data?.success === false && DENIED.test(words)) deny(run, calls.get(id) ?? 'a tool');
        calls.delete(id);
      },
      // This is reported for each request. The sum in the result counts other things.
      'assistant.usage': (_, data) => {
        run.tokens = sumOf([run.tokens, tokensIn(data, TOKENS, true)]);
      },
      'session.error': (_, data) => {
        lastError = failureOf(data);
      },
      // A prompt that a hook blocks ends the run without a request to the model.
      'session.warning': (_, data) => {
        const type = at.text(data, 'warningType') ?? at.text(data, 'type');
        if (type !== 'policy_blocked') return;
        lastError = { message: at.text(data, 'message') ?? type, kind: 'refused' };
      },
      result: (event) => {
        run.result = endOf(event.exitCode === 0);
      },
    },
    atEnd: ({ code }) => endOf(code === 0),
  };
});

const TOKENS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadTokens',
  cacheWrite: 'cacheWriteTokens',
};

const DENIED = /\bden(?:y|ied)|reject|not (?:allowed|permitted)|permission/i;

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

export const copilotWorker: WorkerProgram = { launch, reader: copilotReader };
