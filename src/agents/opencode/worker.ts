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
import { byType, deny, say, streamReader, sumOf, type Transcript } from '../worker/transcript.ts';
import type { WorkerProgram, WorkerReader, WorkerRequest } from '../worker/worker.ts';
import { hooksFile } from './install.ts';

export const opencodeWorker: WorkerProgram = { launch, reader: opencodeReader };

/** @throws {ExplainedError} without a model: it would choose a service by itself. */
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

/** It finds those of a project in the worktree alone. */
function pluginOfProject(request: WorkerRequest): Record<string, string> {
  const plugin = hooksOfMainCheckout(request, hooksFile);
  if (plugin === undefined) return {};
  const given = parsedObject(request.env.OPENCODE_CONFIG_CONTENT ?? '');
  const others = Array.isArray(given?.plugin) ? given.plugin : [];
  const config = { ...given, plugin: [...others, pathToFileURL(plugin.file).href] };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}

/** The last rule that matches counts, and each part of a command line is checked separately. */
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

export function opencodeReader(): WorkerReader {
  // No line reports the end: a run that has done something and exits with 0 is done.
  let worked = false;
  const read = byType({
    step_start: (_, transcript) => {
      // It continues after an error from which it can recover.
      transcript.result = undefined;
      transcript.turns += 1;
    },
    text: (event, transcript) => {
      transcript.answers += 1;
      say(transcript, at.text(at.object(event, 'part'), 'text') ?? '');
    },
    tool_use: (event, transcript) => {
      transcript.toolCalls += 1;
      transcript.answers += 1;
      readTool(at.object(event, 'part'), transcript);
    },
    step_finish: (event, transcript) => {
      worked = true;
      readStep(at.object(event, 'part'), transcript);
    },
    error: (event, transcript) => {
      transcript.result = { kind: 'failed', failure: failureOf(at.object(event, 'error')) };
    },
  });
  return streamReader(read, ({ code }) => (worked && code === 0 ? { kind: 'done' } : undefined));
}

/** Only the message tells a tool that was denied from one that failed. */
function readTool(part: JsonObject | undefined, transcript: Transcript): void {
  const state = at.object(part, 'state');
  if (at.text(part, 'tool') === 'todowrite' && at.text(state, 'status') === 'completed') {
    transcript.tasks = taskList(at.objects(at.object(state, 'input'), 'todos'), 'content');
  }
  const error = at.text(state, 'error') ?? '';
  if (at.text(state, 'status') !== 'error' || !DENIED.test(error)) return;
  deny(
    transcript,
    at.text(at.object(state, 'input'), 'command') ?? at.text(part, 'tool') ?? 'a tool',
  );
}

const DENIED =
  /\bden(?:y|ied)|reject|not (?:allowed|permitted)|permission|prevents? you|specified a rule/i;

function readStep(part: JsonObject | undefined, transcript: Transcript): void {
  const used = at.object(part, 'tokens');
  const cache = at.object(used, 'cache');
  const tokens = {
    input: at.count(used, 'input'),
    output: at.count(used, 'output') + at.count(used, 'reasoning'),
    cacheRead: at.count(cache, 'read'),
    cacheWrite: at.count(cache, 'write'),
  };
  transcript.tokens = sumOf([transcript.tokens, tokens]);
  const cost = at.number(part, 'cost');
  // The client reports 0 for models without a known price.
  if (cost !== undefined && cost > 0) transcript.usd = (transcript.usd ?? 0) + cost;
}

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
