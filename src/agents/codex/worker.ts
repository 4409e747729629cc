/**
 * `codex exec`: a line of JSON for each event. It never asks for permission; its sandbox decides.
 * It may write only the worktree and an inbox for reports: the supervisor commits, so that the git
 * directories can stay read-only.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { at, type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import type { Failure } from '../worker/failure.ts';
import { inboxOf, launchOf } from '../worker/launch.ts';
import { deny, failedBy, say, streamReader, tokensIn, wasKilled } from '../worker/transcript.ts';
import type { WorkerProgram, WorkerRequest, WorkerTask } from '../worker/worker.ts';
import { codexInstall } from './install.ts';

function launch(request: WorkerRequest) {
  const { model, effort, resume, permissions, dir, worktree } = request;
  const sandbox = permissions === 'full' ? 'danger-full-access' : 'workspace-write';
  const inbox = inboxOf(dir);
  // Only an existing folder can be made writable.
  makePrivateFolder(inbox);
  readHooksOfProject(request);
  const writable = `sandbox_workspace_write.writable_roots=${JSON.stringify([inbox])}`;
  const args = [
    'exec',
    // `resume` has no options for folders and the sandbox: the process starts in the worktree, and
    // settings say the rest. A JSON string is also a basic string of TOML.
    ...(resume === undefined
      ? ['-C', worktree, '-s', sandbox, '--add-dir', inbox]
      : ['resume', ...['-c', `sandbox_mode="${sandbox}"`], ...['-c', writable]]),
    '--json',
    // A project's settings can switch hooks off; the command line has precedence.
    ...['--enable', 'hooks'],
    // By default the client retries for ever if it cannot reach a host.
    ...['-c', 'features.unbounded_connection_retries=false'],
    // A login shell sets PATH from the machine's profile, which does not contain lanehold.
    ...['-c', 'allow_login_shell=false'],
    ...['-o', join(dir, 'last-message.txt')],
    ...(model === undefined ? [] : ['-m', model]),
    ...(effort === undefined ? [] : ['-c', `model_reasoning_effort=${JSON.stringify(effort)}`]),
    ...request.args,
    ...(resume === undefined ? [] : [resume]),
    // The prompt comes on stdin.
    '-',
  ];
  return launchOf(request, args, { stdinFile: request.promptFile });
}

/**
 * In a linked worktree the client reads the hooks of the main checkout, but only if there is a folder
 * for them: seen with codex-cli 0.169.0. An empty one is in no commit.
 */
function readHooksOfProject({ worktree, env }: WorkerRequest): void {
  if (existsSync(codexInstall.hooksFile('project', { env, cwd: worktree }))) {
    attempt(() => mkdirSync(join(worktree, '.codex'), { recursive: true }));
  }
}

/**
 * The `usage` of a `turn.completed` is that of the whole session: it includes earlier turns and,
 * after `codex exec resume`, all runs before, also those that failed or were killed and reported
 * none. Seen with codex-cli 0.169.0.
 */
export const codexReader = streamReader((run) => {
  /** Items that were counted; each is reported at its start and at its end. */
  const items = new Set<string>();
  /** The last error that did not end the turn; the client continues after many errors. */
  let lastError: string | undefined;
  /** True once the model has spoken in this turn. */
  let hasSpoken = false;

  function onItem(_: JsonObject, item: JsonObject | undefined): void {
    const type = at.text(item, 'type') ?? at.text(item, 'item_type') ?? '';
    if (type === 'error') lastError = at.text(item, 'message') ?? lastError;
    if (type === 'agent_message') {
      hasSpoken = true;
      say(run, at.text(item, 'text'));
    }
    if (type === 'todo_list') run.tasks = at.objects(item, 'items').flatMap(taskOf);
    if (at.text(item, 'status') === 'declined') deny(run, at.text(item, 'command') ?? type);
    const id = at.text(item, 'id') ?? `item ${items.size}`;
    if (!items.has(id)) count(type);
    items.add(id);
  }

  function count(type: string): void {
    if (!NO_ANSWERS.has(type)) run.answers += 1;
    const isTool = type !== '' && !NO_TOOLS.has(type);
    // The stream does not show requests to the model: each step counts as one.
    if (isTool || type === 'agent_message') run.turns += 1;
    if (isTool) run.toolCalls += 1;
  }

  return {
    on: {
      'turn.started': () => {
        run.result = undefined;
        hasSpoken = false;
      },
      'item.started': onItem,
      'item.updated': onItem,
      'item.completed': onItem,
      'turn.completed': (event) => {
        run.session = { tokens: tokensIn(at.object(event, 'usage'), TOKENS, true) };
        // A turn without a message, after an error with a status of the service, has failed.
        const failure = hasSpoken || !lastError ? undefined : failureOf(undefined, lastError);
        run.result = failure?.status === undefined ? { kind: 'done' } : failedBy(failure);
      },
      'turn.failed': (event) => {
        run.result = failedBy(failureOf(at.object(event, 'error'), lastError));
      },
      error: (event) => {
        lastError = at.text(event, 'message') ?? lastError;
      },
    },
    atEnd: (end) =>
      lastError === undefined || wasKilled(end)
        ? undefined
        : failedBy(failureOf(undefined, lastError)),
  };
});

const TOKENS = { input: 'input_tokens', output: 'output_tokens', cacheRead: 'cached_input_tokens' };

const NO_TOOLS = new Set(['agent_message', 'reasoning', 'todo_list', 'error']);
const NO_ANSWERS = new Set(['', 'error']);

/** The plan of the model. The stream does not show which step is in progress. */
function taskOf(step: JsonObject): WorkerTask[] {
  const title = at.text(step, 'text');
  if (title === undefined) return [];
  return [{ title, status: step.completed === true ? 'completed' : 'pending' }];
}

/** The message is a sentence, or the response of the service as JSON. */
function failureOf(error: JsonObject | undefined, earlier: string | undefined): Failure {
  const message = at.text(error, 'message') ?? earlier ?? 'the turn failed';
  const body = parsedObject(message.slice(Math.max(0, message.indexOf('{'))));
  const inner = objectOr(body?.error) ?? body;
  return {
    message: at.text(inner, 'message') ?? message,
    status: at.number(inner, 'status') ?? statusIn(message),
    resumeAt: resetOf(inner),
  };
}

/** `unexpected status 401 Unauthorized: …`, `exceeded retry limit, last status: 429 …`. */
function statusIn(message: string): number | undefined {
  const status = /\bstatus:? ([1-5]\d\d)\b/i.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}

function resetOf(error: JsonObject | undefined): Date | undefined {
  const seconds = at.number(error, 'resets_at');
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

export const codexWorker: WorkerProgram = { launch, reader: codexReader };
