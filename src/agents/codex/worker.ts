/**
 * `codex exec`: a line of JSON for each event. It never asks for permission; its sandbox decides.
 * It may write only the worktree and an inbox for reports: the supervisor commits, so that the git
 * directories can stay read-only.
 */
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { inboxOf } from '../worker/attempt-folder.ts';
import { launchOf, type WorkerProgram, type WorkerRequest } from '../worker/worker.ts';
import { codexReader } from './stream.ts';

export const codexWorker: WorkerProgram = { launch, reader: codexReader };

function launch(request: WorkerRequest) {
  const { model, effort, resume, permissions, dir, worktree } = request;
  const sandbox = permissions === 'full' ? 'danger-full-access' : 'workspace-write';
  const inbox = inboxOf(dir);
  // Only an existing folder can be made writable.
  makePrivateFolder(inbox);
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

const writableRoot = (folder: string): string =>
  `sandbox_workspace_write.writable_roots=[${tomlText(folder)}]`;

/** A JSON string is also a basic string of TOML. */
function tomlText(text: string): string {
  return JSON.stringify(text);
}
