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
import {
  byType,
  deny,
  say,
  streamReader,
  type Transcript,
  wasKilled,
} from '../worker/transcript.ts';
import type {
  Tokens,
  WorkerProgram,
  WorkerReader,
  WorkerRequest,
  WorkerTask,
} from '../worker/worker.ts';
import { codexInstall } from './install.ts';

export const codexWorker: WorkerProgram = { launch, reader: codexReader };

function launch(request: WorkerRequest) {
  const { model, effort, resume, permissions, dir, worktree } = request;
  const sandbox = permissions === 'full' ? 'danger-full-access' : 'workspace-write';
  const inbox = inboxOf(dir);
  // Only an existing folder can be made writable.
  makePrivateFolder(inbox);
  readHooksOfProject(request);
  const args = [
    'exec',
    // `resume` has no options for folders and the sandbox: the process starts in the worktree, and
    // settings say the rest.
    ...(resume === undefined
      ? ['-C', worktree, '-s', sandbox, '--add-dir', inbox]
      : ['resume', '-c', `sandbox_mode=${tomlText(sandbox)}`, '-c', writableRoot(inbox)]),
    '--json',
    // A project's settings can switch hooks off; the command line has precedence.
    ...['--enable', 'hooks'],
    // Otherwise it tries for ever to reach a host that cannot be reached.
    ...['-c', 'features.unbounded_connection_retries=false'],
    // A login shell sets PATH from the machine's profile, which does not contain lanehold.
    ...['-c', 'allow_login_shell=false'],
    ...['-o', join(dir, 'last-message.txt')],
    ...(model === undefined ? [] : ['-m', model]),
    ...(effort === undefined ? [] : ['-c', `model_reasoning_effort=${tomlText(effort)}`]),
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

const writableRoot = (folder: string): string =>
  `sandbox_workspace_write.writable_roots=[${tomlText(folder)}]`;

/** A JSON string is also a basic string of TOML. */
function tomlText(text: string): string {
  return JSON.stringify(text);
}

/**
 * The `usage` of a `turn.completed` is that of the whole session: it includes earlier turns and,
 * after `codex exec resume`, all runs before, also those that failed or were killed and reported
 * none. Seen with codex-cli 0.169.0.
 */
export function codexReader(): WorkerReader {
  const stream: Stream = { items: new Set(), error: undefined, message: false };
  const onItem = (event: JsonObject, transcript: Transcript): void =>
    readItem(at.object(event, 'item') ?? {}, transcript, stream);
  const read = byType({
    'turn.started': (_, transcript) => {
      transcript.result = undefined;
      stream.message = false;
    },
    'item.started': onItem,
    'item.updated': onItem,
    'item.completed': onItem,
    'turn.completed': (event, transcript) => {
      transcript.session = { tokens: tokensOf(at.object(event, 'usage')) };
      transcript.result = endOfTurn(stream);
    },
    'turn.failed': (event, transcript) => {
      transcript.result = { kind: 'failed', failure: failureOf(at.object(event, 'error'), stream) };
    },
    error: (event) => {
      stream.error = at.text(event, 'message') ?? stream.error;
    },
  });
  return streamReader(read, (end) =>
    stream.error === undefined || wasKilled(end)
      ? undefined
      : { kind: 'failed', failure: failureOf(undefined, stream) },
  );
}

interface Stream {
  /** Items that were counted; each is reported at its start and at its end. */
  readonly items: Set<string>;
  /** The last error that did not end the turn; the client continues after many errors. */
  error: string | undefined;
  /** True once the model has spoken in this turn. */
  message: boolean;
}

const NO_TOOLS = new Set(['agent_message', 'reasoning', 'todo_list', 'error']);
const NO_ANSWERS = new Set(['', 'error']);

function readItem(item: JsonObject, transcript: Transcript, stream: Stream): void {
  const type = at.text(item, 'type') ?? at.text(item, 'item_type') ?? '';
  if (type === 'error') stream.error = at.text(item, 'message') ?? stream.error;
  if (type === 'agent_message') {
    stream.message = true;
    say(transcript, at.text(item, 'text') ?? '');
  }
  if (type === 'todo_list') transcript.tasks = at.objects(item, 'items').flatMap(taskOf);
  if (at.text(item, 'status') === 'declined') deny(transcript, at.text(item, 'command') ?? type);
  const id = at.text(item, 'id') ?? `item ${stream.items.size}`;
  if (stream.items.has(id)) return;
  stream.items.add(id);
  if (!NO_ANSWERS.has(type)) transcript.answers += 1;
  const isTool = type !== '' && !NO_TOOLS.has(type);
  // The stream does not show requests to the model: each step counts as one.
  if (isTool || type === 'agent_message') transcript.turns += 1;
  if (isTool) transcript.toolCalls += 1;
}

/** The plan of the model. The stream does not show which step is in progress. */
function taskOf(step: JsonObject): WorkerTask[] {
  const title = at.text(step, 'text');
  if (title === undefined) return [];
  return [{ title, status: step.completed === true ? 'completed' : 'pending' }];
}

/** A turn without a message, after an error with a status of the service, has failed. */
function endOfTurn({ message, error }: Stream): Transcript['result'] {
  if (message || error === undefined) return { kind: 'done' };
  const failure = failureOf(undefined, { error });
  return failure.status === undefined ? { kind: 'done' } : { kind: 'failed', failure };
}

/** The message is a sentence, or the response of the service as JSON. */
function failureOf(
  error: JsonObject | undefined,
  { error: earlier }: Pick<Stream, 'error'>,
): Failure {
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

/** The client's input includes what was read from the cache. */
function tokensOf(usage: JsonObject | undefined): Tokens {
  const cacheRead = at.count(usage, 'cached_input_tokens');
  return {
    input: Math.max(0, at.count(usage, 'input_tokens') - cacheRead),
    output: at.count(usage, 'output_tokens'),
    cacheRead,
    cacheWrite: 0,
  };
}
