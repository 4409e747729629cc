/**
 * The transcripts that the client writes: `tmp/<project>/chats/session-<time>-<id>.jsonl` in its folder, and
 * `<session>/<sub-agent>.jsonl` beside it. `tmp/<project>/.project_root` names the folder it works in.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { at as field, type JsonObject } from '../../base/text/json.ts';
import type { AgentTranscripts } from '../definition.ts';
import {
  entriesIn,
  headOf,
  type LinePart,
  type LineReader,
  listedFiles,
  said,
  timeIn,
} from '../kit/json-lines.ts';
import { geminiCliHooks } from './hooks.ts';

const {
  shell: [SHELL_TOOL],
  edit: EDIT_TOOLS,
} = geminiCliHooks.tools;

export const geminiCliTranscripts: AgentTranscripts = {
  files(transcript) {
    const session = headerOf(transcript)?.session;
    if (session === undefined || session.includes('/')) return [transcript];
    return [transcript, ...chatsIn(join(dirname(transcript), session))];
  },

  entries: (file, from, wanted = 'all', extent = 'end') =>
    entriesIn(file, from, { wanted, extent }, lineReader(file)),

  listed({ roots, env }) {
    const files = projectsOf(roots, env).flatMap((it) => {
      const chats = join(it, 'chats');
      const ofSubAgents = attempt(() => readdirSync(chats, { withFileTypes: true })) ?? [];
      return [
        ...chatsIn(chats),
        ...ofSubAgents
          .filter((entry) => entry.isDirectory())
          .flatMap(({ name }) => chatsIn(join(chats, name))),
      ];
    });
    return listedFiles(temporary(env), files);
  },

  origin(file) {
    const isSubAgent = basename(dirname(file)) !== 'chats';
    const header = headerOf(file);
    const cwd = rootOf(resolve(file, isSubAgent ? '../../..' : '../..'));
    if (header === undefined || cwd === undefined) return undefined;
    const session = isSubAgent ? basename(dirname(file)) : header.session;
    return { session, isSubAgent, cwd, began: header.began };
  },
};

const temporary = (env: Environment): string =>
  join(resolve(env.GEMINI_CLI_HOME || env.HOME || homedir()), '.gemini/tmp');

/** The folders of those that work in one of the working trees. */
function projectsOf(roots: readonly string[], env: Environment): string[] {
  const folder = temporary(env);
  return (attempt(() => readdirSync(folder)) ?? [])
    .map((it) => join(folder, it))
    .filter((it) => {
      const cwd = rootOf(it);
      return cwd !== undefined && roots.some((root) => isWithin(root, cwd));
    });
}

function chatsIn(folder: string): string[] {
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.filter((it) => it.endsWith('.jsonl')).map((it) => join(folder, it));
}

/** @param folder of a project: `tmp/<project>`. */
const rootOf = (folder: string): string | undefined =>
  attempt(() => readFileSync(join(folder, '.project_root'), 'utf8').trim());

function headerOf(file: string): { session: string; began: Date } | undefined {
  const [first] = attempt(() => headOf(file)) ?? [];
  const session = field.text(first, 'sessionId');
  if (session === undefined) return undefined;
  return { session, began: timeIn(first?.startTime) };
}

function lineReader(file: string): LineReader {
  // A message is written again when there is more to say of it.
  const told = new Set<string>();
  let last = new Date(Number.NaN);
  let folder: string | undefined;

  /** `chats/<file>`, or `chats/<session>/<file>` for a sub-agent. */
  const projectRoot = (): string => {
    folder ??= rootOf(resolve(file, '../..')) ?? rootOf(resolve(file, '../../..')) ?? '/';
    return folder;
  };

  return {
    mayRun: (line) => line.includes('"toolCalls"') && line.includes(`"${SHELL_TOOL}"`),

    parts(line) {
      const { summary } = field.object(line, '$set') ?? {};
      if (summary !== undefined) return said('summary', summary, last);
      const at = timeIn(line.timestamp);
      last = at;
      if (line.type === 'user') return said('prompt', textOf(line), at);
      if (line.type !== 'gemini') return [];
      const isNew = !told.has(String(line.id));
      told.add(String(line.id));
      const calls = field.objects(line, 'toolCalls').filter(({ id }) => !told.has(String(id)));
      for (const { id } of calls) told.add(String(id));
      return [
        ...(isNew ? said('message', line.content, at) : []),
        ...calls.flatMap((it) => callParts(it, at, projectRoot())),
      ];
    },
  };
}

/** A call stands there with its result. One that was refused, or stopped, is no success. */
function callParts(call: JsonObject, at: Date, root: string): LinePart[] {
  const name = field.text(call, 'name') ?? '';
  const args = field.object(call, 'args');
  const isShell = name === SHELL_TOOL;
  if (!isShell && !EDIT_TOOLS.includes(name)) return [{ kind: 'tool', text: name, at }];
  if (call.status !== 'success') return [];
  if (isShell) {
    const text = field.text(args, 'command');
    const cwd = resolve(root, field.text(args, 'dir_path') || '.');
    const done = timeIn(call.timestamp);
    return text === undefined ? [] : [{ kind: 'command', text, cwd, at, done }];
  }
  const shown = field.object(call, 'resultDisplay');
  const path = field.text(shown, 'filePath') ?? field.text(args, 'file_path');
  return path === undefined ? [] : [{ kind: 'edit', text: name, paths: [resolve(root, path)], at }];
}

function textOf(line: JsonObject): string {
  const { content } = line;
  if (typeof content === 'string') return content;
  return field
    .objects(line, 'content')
    .map((it) => field.text(it, 'text') ?? '')
    .join('\n')
    .trim();
}
