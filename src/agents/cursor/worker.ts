/**
 * `cursor-agent -p`: a line of JSON for each event. It has no options for effort, limits and the id
 * of a new session.
 */
import { promptCopy } from '../worker/attempt-folder.ts';
import { launchOf, type WorkerProgram, type WorkerRequest } from '../worker/worker.ts';
import { cursorReader } from './stream.ts';

export const cursorWorker: WorkerProgram = { launch, reader: cursorReader };

function launch(request: WorkerRequest) {
  const { model, resume, permissions, worktree } = request;
  const prompt = promptCopy(request);
  const args = [
    '-p',
    ...['--output-format', 'stream-json'],
    // Without it edits are only proposed. The sandbox keeps commands inside the worktree.
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
  return launchOf(request, args, { files: [prompt.file] });
}
