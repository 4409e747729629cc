/**
 * `claude -p`: a line of JSON for each event, the last one a `result`.
 *
 * Exit code 0 says that the program ran to its end, also after denied tools; an API failure has the
 * subtype `success` all the same, and only `is_error` tells. So nothing but the result is asked.
 */
import { join } from 'node:path';
import { definedOnly } from '../../environment.ts';
import { streamJsonReader } from '../worker/stream-json.ts';
import type { WorkerLaunch, WorkerProgram, WorkerRequest } from '../worker/worker.ts';
import { allowRules } from './allow-rules.ts';

export const claudeCodeWorker: WorkerProgram = { launch, reader: streamJsonReader };

function launch(request: WorkerRequest): WorkerLaunch {
  const { caps, dir, model, effort, resume, permissions } = request;
  const settings = join(dir, 'claude-settings.json');
  const args = [
    '-p',
    ...['--output-format', 'stream-json', '--verbose'],
    // Chosen by us, so that the session can be gone on with even if the stream is lost.
    ...(resume === undefined ? ['--session-id', request.sessionId] : ['--resume', resume]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(effort === undefined ? [] : ['--effort', effort]),
    // Nobody is there to be asked: whatever would prompt is denied. What the work needs is allowed
    // by name, and edits by the mode.
    ...['--permission-mode', permissions === 'full' ? 'bypassPermissions' : 'acceptEdits'],
    // A file rather than `--allowedTools`, which cuts its argument at commas and blanks.
    ...['--settings', settings],
    ...(caps.turns === undefined ? [] : ['--max-turns', String(Math.max(1, caps.turns))]),
    ...(caps.usd === undefined ? [] : ['--max-budget-usd', String(caps.usd)]),
    ...request.args,
  ];
  return {
    program: request.program,
    args,
    env: definedOnly(request.env),
    stdinFile: request.promptFile,
    files: [{ path: settings, content: settingsText(request) }],
  };
}

function settingsText({ allow }: WorkerRequest): string {
  return `${JSON.stringify({ permissions: { allow: allowRules(allow) } }, undefined, 2)}\n`;
}
