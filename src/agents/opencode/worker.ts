/** `opencode run`: a line of JSON for each event. It has no options for effort and limits. */
import { ExplainedError } from '../../errors.ts';
import { promptCopy } from '../worker/attempt-folder.ts';
import { NOT_READING, READING, REPORTING, simpleCommands } from '../worker/permitted-commands.ts';
import { launchOf, type WorkerProgram, type WorkerRequest } from '../worker/worker.ts';
import { opencodeReader } from './stream.ts';

export const opencodeWorker: WorkerProgram = { launch, reader: opencodeReader };

/** @throws {ExplainedError} without a model: it would choose a service by itself. */
function launch(request: WorkerRequest) {
  const { model, resume, permissions } = request;
  if (model === undefined) {
    throw new ExplainedError('opencode needs to be told which model to use', {
      hint: 'set one: `"workers": { "opencode": { "adapter": "opencode", "model": "provider/model" } }`',
    });
  }
  const prompt = promptCopy(request);
  const args = [
    'run',
    ...['--format', 'json'],
    // A question without an answer would end the turn; rules deny what is not allowed.
    '--auto',
    ...['-m', model],
    ...(resume === undefined ? [] : ['--session', resume]),
    ...request.args,
    prompt.words,
  ];
  const rules = permissions === 'full' ? {} : { OPENCODE_PERMISSION: rulesText(request) };
  const env = { OPENCODE_DISABLE_AUTOUPDATE: '1', ...rules };
  return launchOf(request, args, { env, files: [prompt.file] });
}

/** The last rule that matches counts, and each part of a command line is checked separately. */
function rulesText({ allow }: WorkerRequest): string {
  const commands = allow.flatMap((line) => [line.trim(), ...simpleCommands(line)]);
  const allowed = [...READING, ...REPORTING, ...commands].filter((it) => it !== '');
  const rules = allowed.flatMap((it) => [
    [it, 'allow'],
    [`${it} *`, 'allow'],
  ]);
  const denied = NOT_READING.map((it) => [`git *${it}*`, 'deny']);
  const bash = Object.fromEntries([['*', 'deny'], ...rules, ...denied]);
  return JSON.stringify({ edit: 'allow', bash });
}
