/**
 * `gemini`: a line of JSON for each event. A prompt on stdin is read in front of the one that has to
 * be an argument. It knows no effort and lets nobody choose the session's id.
 */
import { accountOf } from '../worker/account.ts';
import { definedOnly } from '../worker/environment.ts';
import type { WorkerAdapter, WorkerLaunch, WorkerRequest } from '../worker/worker.ts';
import { geminiReader } from './stream.ts';

export const geminiCli: WorkerAdapter = {
  name: 'gemini-cli',
  program: 'gemini',
  account: (env) =>
    accountOf('gemini-cli', env, {
      keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      places: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_CLI_HOME'],
    }),
  launch,
  reader: geminiReader,
};

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
    program: request.program ?? geminiCli.program,
    args,
    // A folder that nobody has decided on is refused. The flag for that comes too late for the
    // project's own hooks, which would silently not run.
    env: definedOnly({ ...request.env, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    stdinFile: request.promptFile,
    files: [],
  };
}
