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
import { deny, failedBy, type Result, say, streamReader, tokensIn } from '../worker/transcript.ts';
import type {
  LaunchFile,
  WorkerEnd,
  WorkerProgram,
  WorkerRequest,
  WorkerTask,
} from '../worker/worker.ts';
import { geminiCliInstall } from './install.ts';

function launch(request: WorkerRequest) {
  const { model, resume, permissions } = request;
  const args = [
    ...['-p', 'Do the work that is described above.'],
    ...['-o', 'stream-json'],
    // Below `yolo` the model has no shell, and such a worker only edits.
    ...['--approval-mode', permissions === 'full' ? 'yolo' : 'auto_edit'],
    ...(model === undefined ? [] : ['-m', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...request.args,
  ];
  // The client refuses a folder without a decision on trust. Its flag is read after the project's
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

/**
 * The settings with the project's hooks. Gemini CLI only looks for them in the worktree, so it gets
 * those of the main checkout as system settings, unless an administrator has made some.
 */
function settingsOfProject(request: WorkerRequest): LaunchFile | undefined {
  if (request.env[SYSTEM_SETTINGS] || OF_ADMINISTRATORS.some((it) => existsSync(it))) {
    return undefined;
  }
  const main = hooksOfMainCheckout(request, geminiCliInstall.hooksFile);
  if (main === undefined) return undefined;
  const content = JSON.stringify({ hooks: ourHooks(main.text) });
  return { path: join(request.dir, 'gemini-settings.json'), content };
}

export const geminiReader = streamReader((run) => {
  /** Text of the model since the last request; `undefined` until it answers. */
  let answer: string | undefined;
  let lastError: string | undefined;
  /** A task list that the client has not accepted yet; it may reject it. */
  let list: { readonly id: string | undefined; readonly tasks: readonly WorkerTask[] } | undefined;

  /** Begins an answer of the model, which is reported in pieces and counts as one request. */
  function answering(): string {
    if (answer === undefined) run.turns += 1;
    run.answers += 1;
    answer ??= '';
    return answer;
  }

  return {
    on: {
      init: () => {
        run.result = undefined;
      },
      message: (event) => {
        if (at.text(event, 'role') === 'user') {
          answer = undefined;
          return;
        }
        const before = answering();
        const content = at.text(event, 'content') ?? '';
        answer = event.delta === true ? `${before}${content}`.slice(-MAX_ANSWER_CHARS) : content;
        say(run, answer);
      },
      tool_use: (event) => {
        answering();
        run.toolCalls += 1;
        if (at.text(event, 'tool_name') !== 'write_todos') return;
        const todos = at.objects(at.object(event, 'parameters'), 'todos');
        list = { id: at.text(event, 'tool_id'), tasks: taskList(todos, 'description') };
      },
      tool_result: (event) => {
        answer = undefined;
        const isDone = at.text(event, 'status') === 'success';
        if (isDone && list?.id === at.text(event, 'tool_id')) run.tasks = list?.tasks;
        const error = at.object(event, 'error');
        if (at.text(error, 'type') !== 'policy_violation') return;
        deny(run, at.text(error, 'message') ?? 'a tool');
      },
      error: (event) => {
        if (at.text(event, 'severity') !== 'warning') lastError = at.text(event, 'message');
      },
      result: (event) => {
        const stats = at.object(event, 'stats');
        const tokens = tokensIn(stats, TOKENS, true);
        run.tokens = { ...tokens, input: at.number(stats, 'input') ?? tokens.input };
        run.toolCalls = Math.max(run.toolCalls, at.count(stats, 'tool_calls'));
        const hasFailed = at.text(event, 'status') === 'error';
        run.result = hasFailed
          ? failedBy(failureOf(at.object(event, 'error'), lastError))
          : { kind: 'done' };
      },
    },
    atEnd: (end) => lastWord(end, lastError),
  };
});

const TOKENS = { input: 'input_tokens', output: 'output_tokens', cacheRead: 'cached' };

const MAX_ANSWER_CHARS = 8_000;

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

/** The result from stderr: after a failure of the service stdout is empty, and stderr ends with a JSON object. */
function lastWord({ code, stderr }: WorkerEnd, error: string | undefined): Result | undefined {
  const object = lastObject(stderr);
  const told = at.object(object, 'error');
  if (told !== undefined) return failedBy(failureOf(told, error));
  if (code === undefined || code === 0) return undefined;
  const kind = CODES[code];
  const status = HIDDEN_STATUSES.find((it) => it % 256 === code);
  if (kind === undefined && status === undefined && error === undefined) return undefined;
  return failedBy({ message: `${error ?? ''}\n${stderr}`, kind, status });
}

const OBJECT_CHARS = 20_000;

/** The JSON object at the end of a text; it is indented, and follows other output. */
function lastObject(stderr: string): JsonObject | undefined {
  const tail = stderr.slice(-OBJECT_CHARS);
  const start = tail.lastIndexOf('\n{') + 1;
  const end = tail.lastIndexOf('}');
  return end === -1 ? undefined : parsedObject(tail.slice(start, end + 1));
}

/** Statuses of the service whose lowest eight bits, which are the exit code, are not the code of a signal. */
const HIDDEN_STATUSES = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504];

export const geminiWorker: WorkerProgram = { launch, reader: geminiReader };
