/**
 * `claude -p`: a line of JSON for each event, the last one a `result`.
 *
 * The exit code is 0 also after denied tools, and a failure of the API has the subtype `success`:
 * only the result, with `is_error`, tells how it went.
 */
import { join } from 'node:path';
import { launchOf, REPORTING, simpleCommands } from '../worker/launch.ts';
import { streamJsonReader } from '../worker/stream-json.ts';
import type { WorkerProgram, WorkerRequest } from '../worker/worker.ts';

export const claudeCodeWorker: WorkerProgram = { launch, reader: streamJsonReader };

function launch(request: WorkerRequest) {
  const { caps, dir, model, effort, resume, permissions } = request;
  const settings = join(dir, 'claude-settings.json');
  const args = [
    '-p',
    ...['--output-format', 'stream-json', '--verbose'],
    // The id is chosen here, so that the session can be resumed even if the stream is lost.
    ...(resume === undefined ? ['--session-id', request.sessionId] : ['--resume', resume]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(effort === undefined ? [] : ['--effort', effort]),
    // Nobody can be asked, so a prompt is a denial. What the work needs is allowed by name, and edits by the mode.
    ...['--permission-mode', permissions === 'full' ? 'bypassPermissions' : 'acceptEdits'],
    // A file is used because `--allowedTools` cuts its argument at commas and blanks.
    ...['--settings', settings],
    ...(caps.turns === undefined ? [] : ['--max-turns', String(Math.max(1, caps.turns))]),
    ...(caps.usd === undefined ? [] : ['--max-budget-usd', String(caps.usd)]),
    ...request.args,
  ];
  const files = [{ path: settings, content: settingsText(request) }];
  return launchOf(request, args, { stdinFile: request.promptFile, files });
}

function settingsText({ allow }: WorkerRequest): string {
  return `${JSON.stringify({ permissions: { allow: allowRules(allow) } }, undefined, 2)}\n`;
}

const TOOLS = ['Read', 'Glob', 'Grep', 'Edit', 'Write', 'NotebookEdit', 'TodoWrite'];

/** Read-only commands are allowed by the client itself. */
const COMMANDS = REPORTING.flatMap((it) => [it, `${it} *`]);

/**
 * Permission rules. The client matches a command line as a whole, and by its parts if it has
 * several. A single command may get further arguments (`npm test -- one.test.ts`).
 */
function allowRules(commandLines: readonly string[]): readonly string[] {
  const commands = commandLines.flatMap((line) => {
    const parts = simpleCommands(line);
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? [only, `${only} *`] : [line.trim(), ...parts];
  });
  const rules = [...COMMANDS, ...commands].filter(isRule).map((command) => `Bash(${command})`);
  return [...new Set([...TOOLS, ...rules])];
}

/** What the syntax of a rule can express: a wrong rule makes the client drop the whole file. */
function isRule(command: string): boolean {
  return command !== '' && !/[\p{Cc}()]|:\*/u.test(command) && command.length <= 1_000;
}
