/**
 * The transcripts that the client writes: `projects/<folder>/<session>.jsonl` in its configuration folder,
 * and `<session>/subagents/*.jsonl` beside it.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { at as field, isJsonObject, type JsonObject } from '../../base/text/json.ts';
import type { AgentTranscripts } from '../definition.ts';
import { entriesIn, headOf, type LinePart, listedFiles, said, timeIn } from '../kit/json-lines.ts';
import { userFolder } from '../kit/places.ts';
import { claudeCodeHooks, FOLDER } from './hooks.ts';

const { shell: SHELL_TOOLS, edit: EDIT_TOOLS, path: PATHS = [] } = claudeCodeHooks.tools;

const EXTENSION = '.jsonl';

export const claudeCodeTranscripts: AgentTranscripts = {
  files(transcript) {
    if (!transcript.endsWith(EXTENSION)) return [transcript];
    const folder = join(transcript.slice(0, -EXTENSION.length), 'subagents');
    return [transcript, ...transcriptsIn(folder)];
  },

  entries: (file, from, wanted = 'all', extent = 'end') =>
    entriesIn(file, from, { wanted, extent }, { mayRun, parts }),

  listed({ roots, env }) {
    const files = foldersOf(roots, env).flatMap((folder) => [
      ...transcriptsIn(folder),
      ...(attempt(() => readdirSync(folder)) ?? [])
        .filter((it) => !it.endsWith(EXTENSION))
        .flatMap((it) => transcriptsIn(join(folder, it, 'subagents'))),
    ]);
    return listedFiles(projectsFolder(env), files);
  },

  origin(file) {
    const isSubAgent = basename(dirname(file)) === 'subagents';
    const first = firstPlaced(file);
    if (first === undefined) return undefined;
    const session = isSubAgent ? basename(resolve(file, '../..')) : basename(file, EXTENSION);
    return { session, isSubAgent, cwd: String(first.cwd), began: timeOf(first) };
  },
};

/** Transcripts that may be of sessions in the working trees: several folders may have one name. */
function foldersOf(roots: readonly string[], env: Environment): string[] {
  const projects = projectsFolder(env);
  const own = roots.map((it) => it.replaceAll(/[^A-Za-z0-9]/g, '-'));
  return (attempt(() => readdirSync(projects)) ?? [])
    .filter((name) => own.some((it) => name === it || name.startsWith(`${it}-`)))
    .map((it) => join(projects, it));
}

const projectsFolder = (env: Environment): string =>
  join(userFolder({ env, cwd: '/' }, FOLDER, 'the transcripts of Claude Code'), 'projects');

function transcriptsIn(folder: string): string[] {
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.filter((it) => it.endsWith(EXTENSION)).map((it) => join(folder, it));
}

const firstPlaced = (file: string): JsonObject | undefined =>
  headOf(file).find(
    ({ cwd, timestamp }) => typeof cwd === 'string' && typeof timestamp === 'string',
  );

function mayRun(line: string): boolean {
  return line.includes('"tool_use"') && SHELL_TOOLS.some((it) => line.includes(`"${it}"`));
}

function parts(line: JsonObject): LinePart[] {
  const at = timeOf(line);
  if (line.type === 'summary') return said('summary', line.summary, at);
  const content = isJsonObject(line.message) ? line.message.content : undefined;
  if (typeof content === 'string') return textParts(content, line);
  if (!Array.isArray(content)) return [];
  return content
    .filter(isJsonObject)
    .flatMap((block) =>
      block.type === 'text' ? textParts(block.text, line) : toolParts(block, line),
    );
}

/** What the client itself puts into the mouth of the user. */
const NO_PROMPT = /^(?:<(?:command-|local-command-)|\[Request interrupted by user)/;

function textParts(text: unknown, { type, isMeta, isCompactSummary, ...line }: JsonObject) {
  if (isCompactSummary === true) return said('summary', text, timeOf(line));
  if (type === 'assistant') return said('message', text, timeOf(line));
  const isPrompt = type === 'user' && isMeta !== true && !NO_PROMPT.test(String(text));
  return isPrompt ? said('prompt', text, timeOf(line)) : [];
}

function toolParts(block: JsonObject, line: JsonObject): LinePart[] {
  const at = timeOf(line);
  if (block.type === 'tool_result') {
    return [{ kind: 'done', id: String(block.tool_use_id), ran: !wasRefused(block, line), at }];
  }
  if (block.type !== 'tool_use') return [];
  const { id, name } = { id: String(block.id), name: String(block.name) };
  const input = field.object(block, 'input');
  const cwd = field.text(line, 'cwd') ?? '/';
  const command = SHELL_TOOLS.includes(name) ? field.text(input, 'command') : undefined;
  if (command !== undefined) {
    return [{ kind: 'asked', id, action: { kind: 'command', text: command, cwd, at, done: at } }];
  }
  const fields = EDIT_TOOLS.includes(name) ? PATHS : [];
  const path = fields.map((it) => field.text(input, it)).find((it) => it !== undefined);
  if (path !== undefined) {
    const paths = [resolve(cwd, path)];
    return [{ kind: 'asked', id, action: { kind: 'edit', text: name, paths, at } }];
  }
  return [{ kind: 'tool', text: name, at }];
}

/** An error other than an exit code: no permission, an input that is not valid, a hook that denied. */
function wasRefused({ is_error }: JsonObject, { toolUseResult, toolDenialKind }: JsonObject) {
  if (toolDenialKind !== undefined) return true;
  return is_error === true && !/^(?:Error: )?Exit code \d/.test(String(toolUseResult));
}

const timeOf = ({ timestamp }: JsonObject): Date => timeIn(timestamp);
