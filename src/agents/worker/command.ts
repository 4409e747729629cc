/**
 * `command`: any program, by the argument list that the user's settings give. It is told its task on
 * stdin, and says how it went with its exit code. One that prints lines as Claude Code does (a line
 * of JSON with `"type":"result"`) is believed those instead.
 */
import type { PLACEHOLDERS } from '../../config/schema-lanes.ts';
import { claudeReader } from '../claude-code/stream.ts';
import { accountOf } from './account.ts';
import { definedOnly } from './environment.ts';
import { evidenceOf, failed, failureKind } from './failure.ts';
import { jsonLine, textAt } from './json-line.ts';
import { wasKilled } from './transcript.ts';
import type {
  WorkerAdapter,
  WorkerEnd,
  WorkerLaunch,
  WorkerOutcome,
  WorkerReader,
  WorkerRequest,
} from './worker.ts';

/** @param argv the program and its arguments, with placeholders as whole elements. */
export function commandAdapter(argv: readonly [string, ...string[]]): WorkerAdapter {
  return {
    name: 'command',
    program: argv[0],
    account: (env) => accountOf(`command ${argv[0]}`, env, { keys: [] }),
    launch: (request) => launch(argv, request),
    reader: commandReader,
  };
}

function launch(
  [own, ...written]: readonly [string, ...string[]],
  request: WorkerRequest,
): WorkerLaunch {
  const values = placeholders(request);
  return {
    program: request.program ?? own,
    // Each value takes the place of one whole argument: nothing is ever read twice.
    args: [...written.map((it) => values.get(it) ?? it), ...request.args],
    env: definedOnly(request.env),
    stdinFile: request.promptFile,
    files: [],
  };
}

function placeholders(request: WorkerRequest): ReadonlyMap<string, string> {
  const values: Record<(typeof PLACEHOLDERS)[number], string> = {
    'prompt-file': request.promptFile,
    worktree: request.worktree,
    'attempt-folder': request.dir,
    // One that does not exist yet is ours to name.
    session: request.resume ?? request.sessionId,
    model: request.model ?? '',
    effort: request.effort ?? '',
    permissions: request.permissions,
  };
  return new Map(Object.entries(values).map(([name, value]) => [`{${name}}`, value]));
}

const TAIL_CHARS = 4_000;

function commandReader(): WorkerReader {
  const structured = claudeReader();
  let reported = false;
  let tail = '';
  return {
    line(text): void {
      const event = jsonLine(text);
      reported ||= textAt(event, 'type') === 'result';
      if (event === undefined) tail = `${tail}${text.slice(-TAIL_CHARS)}\n`.slice(-TAIL_CHARS);
      else structured.line(text);
    },
    progress() {
      const progress = structured.progress();
      return { ...progress, lastText: progress.lastText || tail.trim() };
    },
    outcome: (end) => (reported ? structured.outcome(end) : byExitCode(end, tail)),
  };
}

/** Nothing but words beside the exit code: they only ever explain why there is no work. */
function byExitCode(end: WorkerEnd, stdout: string): WorkerOutcome {
  const { code, stderr, changed, now } = end;
  const words = `${stdout}\n${stderr.slice(-TAIL_CHARS)}`;
  if (code === 0) {
    if (changed) return { kind: 'ok', evidence: evidenceOf(stdout) };
    const kind = failureKind({ message: words });
    const stopped = kind === 'quota' || kind === 'auth';
    return stopped
      ? failed({ message: words, kind }, now)
      : { kind: 'empty', evidence: evidenceOf(words) };
  }
  const how = code === undefined ? 'it ended without an exit code' : `exit code ${code}`;
  const kind = wasKilled(end) ? 'crashed' : undefined;
  return failed({ message: `${words}\n(${how})`, kind }, now);
}
