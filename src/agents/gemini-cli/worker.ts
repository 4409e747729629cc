/**
 * `gemini`: a line of JSON for each event. It reads stdin before the prompt that has to be an
 * argument. It has no options for effort and for the id of a new session.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { at, type JsonObject, parsedObject } from '../../base/text/json.ts';
import { taskList } from '../kit/tasks.ts';
import type { Failure, FailureKind } from '../worker/failure.ts';
import { launchOf } from '../worker/launch.ts';
import { hooksOfMainCheckout, ourHooks } from '../worker/project-hooks.ts';
import {
  byType,
  deny,
  type Result,
  say,
  streamReader,
  type Transcript,
} from '../worker/transcript.ts';
import type {
  LaunchFile,
  WorkerEnd,
  WorkerProgram,
  WorkerReader,
  WorkerRequest,
  WorkerTask,
} from '../worker/worker.ts';
import { geminiCliInstall } from './install.ts';

export const geminiWorker: WorkerProgram = { launch, reader: geminiReader };

function launch(request: WorkerRequest) {
  const { model, resume, permissions } = request;
  const args = [
    ...['-p', 'Do the work that is described above.'],
    ...['-o', 'stream-json'],
    // Below `yolo` the model has no shell: such a worker only edits.
    ...['--approval-mode', permissions === 'full' ? 'yolo' : 'auto_edit'],
    ...(model === undefined ? [] : ['-m', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...request.args,
  ];
  // A folder without a decision on trust is refused. The flag for it is read after the project's
  // hooks, which would silently not run.
  const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  const hooks = settingsOfProject(request);
  return launchOf(request, args, {
    stdinFile: request.promptFile,
    env: hooks === undefined ? env : { ...env, [SYSTEM_SETTINGS]: hooks.path },
    files: hooks === undefined ? [] : [hooks],
  });
}

const SYSTEM_SETTINGS = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH';
const OF_ADMINISTRATORS = [
  '/etc/gemini-cli/settings.json',
  '/Library/Application Support/GeminiCli/settings.json',
];

/** It looks for those of a project in the worktree alone. Settings of an administrator stay in force. */
function settingsOfProject(request: WorkerRequest): LaunchFile | undefined {
  if (request.env[SYSTEM_SETTINGS] || OF_ADMINISTRATORS.some((it) => existsSync(it))) {
    return undefined;
  }
  const main = hooksOfMainCheckout(request, geminiCliInstall.hooksFile);
  if (main === undefined) return undefined;
  const content = JSON.stringify({ hooks: ourHooks(main.text) });
  return { path: join(request.dir, 'gemini-settings.json'), content };
}

export function geminiReader(): WorkerReader {
  const stream: Stream = { answer: undefined, error: undefined, list: undefined };
  const read = byType({
    init: (_, transcript) => {
      transcript.result = undefined;
    },
    message: (event, transcript) => readMessage(event, transcript, stream),
    tool_use: (event, transcript) => {
      answering(transcript, stream);
      readToolUse(event, transcript, stream);
    },
    tool_result: (event, transcript) => {
      stream.answer = undefined;
      readToolResult(event, transcript, stream);
    },
    error: (event) => {
      if (at.text(event, 'severity') !== 'warning') stream.error = at.text(event, 'message');
    },
    result: (event, transcript) => readResult(event, transcript, stream),
  });
  return streamReader(read, (end) => lastWord(end, stream));
}

interface Stream {
  /** Text of the model since the last request; `undefined` until it answers. */
  answer: string | undefined;
  error: string | undefined;
  /** A task list that the client has not accepted yet; it rejects some. */
  list: { readonly id: string | undefined; readonly tasks: readonly WorkerTask[] } | undefined;
}

/** Each answer of the model counts as one request; it is reported in pieces. */
function answering(transcript: Transcript, stream: Stream): string {
  if (stream.answer === undefined) transcript.turns += 1;
  transcript.answers += 1;
  stream.answer ??= '';
  return stream.answer;
}

function readMessage(event: JsonObject, transcript: Transcript, stream: Stream): void {
  if (at.text(event, 'role') === 'user') {
    stream.answer = undefined;
    return;
  }
  const before = answering(transcript, stream);
  const content = at.text(event, 'content') ?? '';
  stream.answer = event.delta === true ? `${before}${content}`.slice(-MAX_ANSWER_CHARS) : content;
  say(transcript, stream.answer);
}

const MAX_ANSWER_CHARS = 8_000;

function readToolUse(event: JsonObject, transcript: Transcript, stream: Stream): void {
  transcript.toolCalls += 1;
  if (at.text(event, 'tool_name') !== 'write_todos') return;
  const todos = at.objects(at.object(event, 'parameters'), 'todos');
  stream.list = { id: at.text(event, 'tool_id'), tasks: taskList(todos, 'description') };
}

function readToolResult(event: JsonObject, transcript: Transcript, { list }: Stream): void {
  const id = at.text(event, 'tool_id');
  if (list?.id === id && at.text(event, 'status') === 'success') transcript.tasks = list?.tasks;
  const error = at.object(event, 'error');
  if (at.text(error, 'type') !== 'policy_violation') return;
  deny(transcript, at.text(error, 'message') ?? 'a tool');
}

function readResult(event: JsonObject, transcript: Transcript, { error }: Stream): void {
  const stats = at.object(event, 'stats');
  const cacheRead = at.count(stats, 'cached');
  transcript.tokens = {
    input: at.number(stats, 'input') ?? Math.max(0, at.count(stats, 'input_tokens') - cacheRead),
    output: at.count(stats, 'output_tokens'),
    cacheRead,
    cacheWrite: 0,
  };
  transcript.toolCalls = Math.max(transcript.toolCalls, at.count(stats, 'tool_calls'));
  const failed = at.text(event, 'status') === 'error';
  const failure = failed ? failureOf(at.object(event, 'error'), error) : undefined;
  transcript.result = failure === undefined ? { kind: 'done' } : { kind: 'failed', failure };
}

function failureOf(error: JsonObject | undefined, earlier: string | undefined): Failure {
  const code = at.number(error, 'code');
  const type = at.text(error, 'type') ?? '';
  return {
    message: at.text(error, 'message') ?? earlier ?? 'the run failed',
    kind: TYPES[type] ?? (code === undefined ? undefined : CODES[code]),
    status: code !== undefined && code >= 400 && code <= 599 ? code : undefined,
  };
}

const TYPES: Readonly<Record<string, FailureKind>> = {
  FatalAuthenticationError: 'auth',
  FatalTurnLimitedError: 'budget',
};

/** The client's exit codes; error objects contain them as well. */
const CODES: Readonly<Record<number, FailureKind>> = {
  41: 'auth',
  53: 'budget',
};

/** After a failure of the service stdout is empty, and stderr ends with a JSON object. */
function lastWord({ code, stderr }: WorkerEnd, { error }: Stream): Result | undefined {
  const object = lastObject(stderr);
  const told = at.object(object, 'error');
  if (told !== undefined) return { kind: 'failed', failure: failureOf(told, error) };
  if (code === undefined || code === 0) return undefined;
  const kind = CODES[code];
  const status = statusOf(code);
  if (kind === undefined && status === undefined && error === undefined) return undefined;
  return { kind: 'failed', failure: { message: `${error ?? ''}\n${stderr}`, kind, status } };
}

const OBJECT_CHARS = 20_000;

/** It is indented, and follows other output. */
function lastObject(stderr: string): JsonObject | undefined {
  const tail = stderr.slice(-OBJECT_CHARS);
  const start = tail.lastIndexOf('\n{') + 1;
  const end = tail.lastIndexOf('}');
  return end === -1 ? undefined : parsedObject(tail.slice(start, end + 1));
}

/** The exit code is the status of the service, of which the system keeps eight bits. */
function statusOf(code: number): number | undefined {
  return HIDDEN_STATUSES.find((status) => status % 256 === code);
}

/** Only those whose eight bits are not the code of a signal. */
const HIDDEN_STATUSES = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504];
