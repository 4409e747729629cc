/**
 * `gemini`: a line of JSON for each event. A prompt on stdin is read in front of the one that has to
 * be an argument. It knows no effort and lets nobody choose the session's id.
 */
import { definedOnly } from '../../environment.ts';
import type { WorkerLaunch, WorkerProgram, WorkerRequest } from '../worker/worker.ts';
import { geminiReader } from './stream.ts';

export const geminiWorker: WorkerProgram = { launch, reader: geminiReader };

function launch(request: WorkerRequest): WorkerLaunch {
  const { model, resume, permissions } = request;
  const args = [
    ...['-p', 'Do the work that is described above.'],
    ...['-o', 'stream-json'],
    // Below `yolo` the shell is not even offered: such a worker edits, and others validate.
    ...['--approval-mode', permissions === 'full' ? 'yolo' : 'auto_edit'],
    ...(model === undefined ? [] : ['-m', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...request.args,
  ];
  return {
    program: request.program,
    args,
    // A folder that nobody has decided on is refused. The flag for that comes too late for the
    // project's own hooks, which would silently not run.
    env: definedOnly({ ...request.env, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    stdinFile: request.promptFile,
    files: [],
  };
}
