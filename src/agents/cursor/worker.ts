/**
 * `cursor-agent -p`: a line of JSON for each event. It knows no effort, no caps, and no session id
 * before it has named one.
 */
import { accountOf } from '../worker/account.ts';
import { definedOnly } from '../worker/environment.ts';
import { handedPrompt } from '../worker/handed-prompt.ts';
import type { WorkerAdapter, WorkerLaunch, WorkerRequest } from '../worker/worker.ts';
import { cursorReader } from './stream.ts';

export const cursor: WorkerAdapter = {
  name: 'cursor',
  // Newer installations call it `agent`, as other programs do, too: say so with `program`.
  program: 'cursor-agent',
  account: (env) =>
    accountOf('cursor', env, { keys: ['CURSOR_API_KEY'], places: ['CURSOR_CONFIG_DIR'] }),
  launch,
  reader: cursorReader,
};

function launch(request: WorkerRequest): WorkerLaunch {
  const { model, resume, permissions, worktree } = request;
  const prompt = handedPrompt(request);
  const args = [
    '-p',
    ...['--output-format', 'stream-json'],
    // Without it edits are only proposed; the sandbox is what keeps commands in the worktree.
    '--force',
    ...['--sandbox', permissions === 'full' ? 'disabled' : 'enabled'],
    // Project hooks run only in a workspace that is trusted.
    '--trust',
    ...['--workspace', worktree],
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...request.args,
    prompt.words,
  ];
  return {
    program: request.program ?? cursor.program,
    args,
    env: definedOnly(request.env),
    stdinFile: undefined,
    files: [prompt.file],
  };
}
