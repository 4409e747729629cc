/** `copilot -p`: a line of JSON for each event of its session. It knows neither an effort nor caps. */
import { definedOnly } from '../../environment.ts';
import { promptCopy } from '../worker/attempt-folder.ts';
import { REPORTING, simpleCommands } from '../worker/permitted-commands.ts';
import type { WorkerLaunch, WorkerProgram, WorkerRequest } from '../worker/worker.ts';
import { copilotReader } from './stream.ts';

export const copilotWorker: WorkerProgram = { launch, reader: copilotReader };

function launch(request: WorkerRequest): WorkerLaunch {
  const { model, resume, permissions } = request;
  const prompt = promptCopy(request);
  const args = [
    ...['-p', prompt.words],
    ...['--output-format', 'json'],
    '--no-auto-update',
    '--no-ask-user',
    ...(permissions === 'full' ? ['--allow-all'] : editOptions(request)),
    ...['--add-dir', prompt.folder],
    // Not together with a session that goes on; the variable below does for hooks what it does.
    ...(resume === undefined
      ? ['--trust-folder', '--session-id', request.sessionId]
      : [`--resume=${resume}`]),
    ...(model === undefined ? [] : ['--model', model]),
    ...request.args,
  ];
  return {
    program: request.program,
    args,
    // A repository's hooks are skipped without a word in a folder that is not trusted.
    env: definedOnly({ ...request.env, GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: 'true' }),
    stdinFile: undefined,
    files: [prompt.file],
  };
}

/**
 * A rule is a command, or what a command begins with; one with parentheses it cannot hold. Of what
 * looks only that which no option makes write a file.
 */
function editOptions({ allow }: WorkerRequest): string[] {
  const commands = ['git status', ...REPORTING, ...allow.flatMap(simpleCommands)];
  const rules = [...new Set(commands)].filter((it) => !/[\p{Cc}()]/u.test(it));
  return ['--allow-tool=write', ...rules.map((it) => `--allow-tool=shell(${it})`)];
}
