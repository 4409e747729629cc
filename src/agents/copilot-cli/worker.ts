/** `copilot -p`: a line of JSON for each event. It has no options for effort and limits. */
import { promptCopy } from '../worker/attempt-folder.ts';
import { REPORTING, simpleCommands } from '../worker/permitted-commands.ts';
import { launchOf, type WorkerProgram, type WorkerRequest } from '../worker/worker.ts';
import { copilotReader } from './stream.ts';

export const copilotWorker: WorkerProgram = { launch, reader: copilotReader };

function launch(request: WorkerRequest) {
  const { model, resume, permissions } = request;
  const prompt = promptCopy(request);
  const args = [
    ...['-p', prompt.words],
    ...['--output-format', 'json'],
    '--no-auto-update',
    '--no-ask-user',
    ...(permissions === 'full' ? ['--allow-all'] : editOptions(request)),
    ...['--add-dir', prompt.folder],
    // Not possible with `--resume`; the variable below has the same effect on hooks.
    ...(resume === undefined
      ? ['--trust-folder', '--session-id', request.sessionId]
      : [`--resume=${resume}`]),
    ...(model === undefined ? [] : ['--model', model]),
    ...request.args,
  ];
  // In a folder that is not trusted, the hooks of the repository are silently skipped.
  const env = { GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: 'true' };
  return launchOf(request, args, { env, files: [prompt.file] });
}

/**
 * A rule is a command or the start of one, and cannot contain parentheses. Of the read-only
 * commands only `git status` has no option that writes a file.
 */
function editOptions({ allow }: WorkerRequest): string[] {
  const commands = ['git status', ...REPORTING, ...allow.flatMap(simpleCommands)];
  const rules = [...new Set(commands)].filter((it) => !/[\p{Cc}()]/u.test(it));
  return ['--allow-tool=write', ...rules.map((it) => `--allow-tool=shell(${it})`)];
}
