/**
 * `gemini`: a line of JSON for each event. It reads stdin before the prompt that has to be an
 * argument. It has no options for effort and for the id of a new session.
 */
import { launchOf, type WorkerProgram, type WorkerRequest } from '../worker/worker.ts';
import { geminiReader } from './stream.ts';

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
  return launchOf(request, args, { stdinFile: request.promptFile, env });
}
