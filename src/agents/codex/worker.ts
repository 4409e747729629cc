/**
 * `codex exec`: a line of JSON for each event. It asks nobody for anything, so its sandbox decides;
 * commits are made by the supervisor, hence the worktree and an inbox for reports are all that it
 * may write, and the git directories stay as read-only as the sandbox makes them.
 */
import { join } from 'node:path';
import { definedOnly } from '../../environment.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { inboxOf } from '../worker/attempt-folder.ts';
import type { WorkerLaunch, WorkerProgram, WorkerRequest } from '../worker/worker.ts';
import { codexReader } from './stream.ts';

export const codexWorker: WorkerProgram = { launch, reader: codexReader };

function launch(request: WorkerRequest): WorkerLaunch {
  const { model, effort, resume, permissions, dir, worktree } = request;
  const sandbox = permissions === 'full' ? 'danger-full-access' : 'workspace-write';
  const inbox = inboxOf(dir);
  // A folder that is not there cannot be made writable.
  makePrivateFolder(inbox);
  const args = [
    'exec',
    // Resuming takes neither folders nor a sandbox: the process stands in the one, and settings say
    // the rest.
    ...(resume === undefined
      ? ['-C', worktree, '-s', sandbox, '--add-dir', inbox]
      : ['resume', '-c', `sandbox_mode=${tomlText(sandbox)}`, '-c', writableRoot(inbox)]),
    '--json',
    // A project's own settings may have switched hooks off; the command line overrules them.
    ...['--enable', 'hooks'],
    // Without an end it would try a host that cannot be reached for ever.
    ...['-c', 'features.unbounded_connection_retries=false'],
    // A login shell would make PATH anew from the machine's profile, and lanehold would not be on it.
    ...['-c', 'allow_login_shell=false'],
    ...['-o', join(dir, 'last-message.txt')],
    ...(model === undefined ? [] : ['-m', model]),
    ...(effort === undefined ? [] : ['-c', `model_reasoning_effort=${tomlText(effort)}`]),
    ...request.args,
    ...(resume === undefined ? [] : [resume]),
    // The prompt comes on stdin.
    '-',
  ];
  return {
    program: request.program,
    args,
    env: definedOnly(request.env),
    stdinFile: request.promptFile,
    files: [],
  };
}

const writableRoot = (folder: string): string =>
  `sandbox_workspace_write.writable_roots=[${tomlText(folder)}]`;

/** What JSON writes for a text is a basic string of TOML, too. */
function tomlText(text: string): string {
  return JSON.stringify(text);
}
