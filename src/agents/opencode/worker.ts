/** `opencode run`: a line of JSON for each event. It has no options for effort and limits. */
import { pathToFileURL } from 'node:url';
import { ExplainedError } from '../../base/errors.ts';
import { at, type JsonObject, parsedObject } from '../../base/text/json.ts';
import { taskList } from '../kit/tasks.ts';
import type { Failure } from '../worker/failure.ts';
import {
  launchOf,
  NOT_READING,
  promptCopy,
  READING,
  REPORTING,
  simpleCommands,
} from '../worker/launch.ts';
import { hooksOfMainCheckout } from '../worker/project-hooks.ts';
import { deny, failedBy, say, streamReader, sumOf, tokensIn } from '../worker/transcript.ts';
import type { WorkerProgram, WorkerRequest } from '../worker/worker.ts';
import { hooksFile } from './install.ts';

/** @throws {ExplainedError} without a model: the client would choose a service on its own. */
function launch(request: WorkerRequest) {
  const { model, resume, permissions } = request;
  if (model === undefined) {
    throw new ExplainedError('opencode needs to be told which model to use', {
      hint: 'set one: `"workers": { "opencode": { "adapter": "opencode", "model": "provider/model" } }`',
    });
  }
  const prompt = promptCopy(request);
  const args = [
    'run',
    ...['--format', 'json'],
    // A question without an answer would end the turn; rules deny what is not allowed.
    '--auto',
    ...['-m', model],
    ...(resume === undefined ? [] : ['--session', resume]),
    ...request.args,
    prompt.words,
  ];
  const rules = permissions === 'full' ? {} : { OPENCODE_PERMISSION: rulesText(request) };
  const env = { OPENCODE_DISABLE_AUTOUPDATE: '1', ...rules, ...pluginOfProject(request) };
  return launchOf(request, args, { env, files: [prompt.file] });
}

/** The plugin of the main checkout: OpenCode only finds a project's plugins in the worktree. */
function pluginOfProject(request: WorkerRequest): Record<string, string> {
  const plugin = hooksOfMainCheckout(request, hooksFile);
  if (plugin === undefined) return {};
  const given = parsedObject(request.env.OPENCODE_CONFIG_CONTENT ?? '');
  const others = Array.isArray(given?.plugin) ? given.plugin : [];
  const config = { ...given, plugin: [...others, pathToFileURL(plugin.file).href] };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}

/** The rules as text: the last rule that matches counts, and each part of a command line is checked separately. */
function rulesText({ allow }: WorkerRequest): string {
  const commands = allow.flatMap((line) => [line.trim(), ...simpleCommands(line)]);
  const allowed = [...READING, ...REPORTING, ...commands].filter((it) => it !== '');
  const rules = allowed.flatMap((it) => [
    [it, 'allow'],
    [`${it} *`, 'allow'],
  ]);
  const denied = NOT_READING.map((it) => [`git *${it}*`, 'deny']);
  const bash = Object.fromEntries([['*', 'deny'], ...rules, ...denied]);
  return JSON.stringify({ edit: 'allow', bash });
}

export const opencodeReader = streamReader((run) => {
  // No line reports the end: a run that has done something and exits with 0 is done.
  let hasWorked = false;
  return {
    on: {
      step_start: () => {
        // It continues after an error from which it can recover.
        run.result = undefined;
        run.turns += 1;
      },
      text: (_, part) => {
        run.answers += 1;
        say(run, at.text(part, 'text'));
      },
      tool_use: (_, part) => {
        run.toolCalls += 1;
        run.answers += 1;
        const tool = at.text(part, 'tool');
        const state = at.object(part, 'state');
        const status = at.text(state, 'status');
        const input = at.object(state, 'input');
        if (tool === 'todowrite' && status === 'completed') {
          run.tasks = taskList(at.objects(input, 'todos'), 'content');
        }
        // Only the message distinguishes a denied tool from a failed one.
        if (status !== 'error' || !DENIED.test(at.text(state, 'error') ?? '')) return;
        deny(run, at.text(input, 'command') ?? tool ?? 'a tool');
      },
      step_finish: (_, part) => {
        hasWorked = true;
        const used = at.object(part, 'tokens');
        const { input, output } = tokensIn(used, { input: 'input', output: 'output' });
        const cached = tokensIn(at.object(used, 'cache'), {
          cacheRead: 'read',
          cacheWrite: 'write',
        });
        const all = { ...cached, input, output: output + at.count(used, 'reasoning') };
        run.tokens = sumOf([run.tokens, all]);
        const cost = at.count(part, 'cost');
        // The client reports 0 for models without a known price.
        if (cost > 0) run.usd = (run.usd ?? 0) + cost;
      },
      error: (event) => {
        run.result = failedBy(failureOf(at.object(event, 'error')));
      },
    },
    atEnd: ({ code }) => (hasWorked && code === 0 ? { kind: 'done' } : undefined),
  };
});

const DENIED =
  /\bden(?:y|ied)|reject|not (?:allowed|permitted)|permission|prevents? you|specified a rule/i;

function failureOf(error: JsonObject | undefined): Failure {
  const data = at.object(error, 'data');
  const name = at.text(error, 'name') ?? 'error';
  const message = at.text(data, 'message') ?? at.text(error, 'message') ?? '';
  return {
    message: `${name}: ${message}`,
    kind: name === 'ProviderAuthError' ? 'auth' : undefined,
    status: at.number(data, 'statusCode'),
  };
}

export const opencodeWorker: WorkerProgram = { launch, reader: opencodeReader };
