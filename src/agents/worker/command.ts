/**
 * `command`: any program, with the argument list in the user's settings. It gets its task on stdin
 * and reports by its exit code, or by a `result` if it prints `stream-json`.
 */
import type { PLACEHOLDERS } from '../../base/config/schema-lanes.ts';
import { at, jsonLine } from '../../base/text/json.ts';
import { evidenceOf, failed, failureKind } from './failure.ts';
import { launchOf, promptCopy } from './launch.ts';
import { streamJsonReader } from './stream-json.ts';
import { wasKilled } from './transcript.ts';
import type {
  WorkerEnd,
  WorkerOutcome,
  WorkerProgram,
  WorkerReader,
  WorkerRequest,
} from './worker.ts';

/** @param args the program's arguments, with placeholders as whole elements. */
export function commandWorker(args: readonly string[]): WorkerProgram {
  return { launch: (request) => launch(args, request), reader: commandReader };
}

function launch(written: readonly string[], request: WorkerRequest) {
  const copy = written.includes('{prompt}') ? promptCopy(request) : undefined;
  const values = placeholders(request, copy?.words ?? '');
  // A placeholder is a whole argument, so that no value is parsed again.
  const args = [...written.map((it) => values.get(it) ?? it), ...request.args];
  const files = copy === undefined ? [] : [copy.file];
  return launchOf(request, args, { stdinFile: request.promptFile, files });
}

function placeholders(request: WorkerRequest, prompt: string): ReadonlyMap<string, string> {
  const values: Record<(typeof PLACEHOLDERS)[number], string> = {
    prompt,
    'prompt-file': request.promptFile,
    lane: request.lane,
    worktree: request.worktree,
    'attempt-folder': request.dir,
    session: request.resume ?? request.sessionId,
    model: request.model ?? '',
    effort: request.effort ?? '',
    permissions: request.permissions,
  };
  return new Map(Object.entries(values).map(([name, value]) => [`{${name}}`, value]));
}

const TAIL_CHARS = 4_000;

function commandReader(): WorkerReader {
  const structured = streamJsonReader();
  let reported = false;
  let tail = '';
  return {
    line(text): void {
      const event = jsonLine(text);
      reported ||= at.text(event, 'type') === 'result';
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

/** The output only explains why nothing was done if there is no result. */
function byExitCode(end: WorkerEnd, stdout: string): WorkerOutcome {
  const { code, stderr, acted, now } = end;
  const words = `${stdout}\n${stderr.slice(-TAIL_CHARS)}`;
  if (code === 0) {
    if (acted) return { kind: 'ok', evidence: evidenceOf(stdout) };
    const kind = failureKind({ message: words });
    if (kind === 'quota' || kind === 'auth') return failed({ message: words, kind }, now);
    return { kind: 'empty', evidence: evidenceOf(words) };
  }
  const how = code === undefined ? 'it ended without an exit code' : `exit code ${code}`;
  const kind = wasKilled(end) ? 'crashed' : undefined;
  return failed({ message: `${words}\n(${how})`, kind }, now);
}
