/**
 * The transcripts that the client writes: `tmp/<project>/chats/session-<time>-<id>.jsonl` in its folder, and
 * `<session>/<sub-agent>.jsonl` beside it. `tmp/<project>/.project_root` names the folder it works in.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { at as field, type JsonObject } from '../../base/text/json.ts';
import {
  actionOf,
  below,
  contentText,
  headOf,
  jsonLines,
  type LinePart,
  said,
  timeIn,
} from '../kit/json-lines.ts';
import { geminiCliHooks } from './hooks.ts';

const { tools } = geminiCliHooks;

export const geminiCliTranscripts = jsonLines({
  folder: (env) => join(resolve(env.GEMINI_CLI_HOME || env.HOME || homedir()), '.gemini/tmp'),

  list(temporary, roots) {
    const isOwn = (folder: string) => {
      const cwd = rootOf(folder);
      return cwd !== undefined && roots.some((root) => isWithin(root, cwd));
    };
    return below(temporary)
      .filter(isOwn)
      .map((it) => join(it, 'chats'))
      .flatMap((it) => [it, ...below(it)])
      .flatMap((it) => below(it, '.jsonl'));
  },

  ofSubAgents(transcript) {
    const session = headerOf(transcript)?.session;
    if (session === undefined || session.includes('/')) return [];
    return below(join(dirname(transcript), session), '.jsonl');
  },

  origin(file) {
    const isSubAgent = basename(dirname(file)) !== 'chats';
    const header = headerOf(file);
    const cwd = rootOf(resolve(file, isSubAgent ? '../../..' : '../..'));
    if (header === undefined || cwd === undefined) return undefined;
    const session = isSubAgent ? basename(dirname(file)) : header.session;
    return { session, isSubAgent, cwd, began: header.began };
  },

  reader(whose) {
    // A message is written again when it has grown.
    const told = new Set<string>();
    let last = new Date(Number.NaN);
    return (line) => {
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
        ...calls.flatMap((it) => callParts(it, at, whose()?.cwd ?? '/')),
      ];
    };
  },
});

/** @param folder the folder of a project: `tmp/<project>`. */
const rootOf = (folder: string): string | undefined =>
  attempt(() => readFileSync(join(folder, '.project_root'), 'utf8').trim());

function headerOf(file: string): { session: string; began: Date } | undefined {
  const [first] = attempt(() => headOf(file)) ?? [];
  const session = field.text(first, 'sessionId');
  if (session === undefined) return undefined;
  return { session, began: timeIn(first?.startTime) };
}

/** The entries of a call, which is recorded with its result. One that was refused, or stopped, is no success. */
function callParts(call: JsonObject, at: Date, root: string): LinePart[] {
  const name = field.text(call, 'name') ?? '';
  const args = field.object(call, 'args');
  const known = field.object(call, 'resultDisplay');
  const input = { ...args, file_path: field.text(known, 'filePath') ?? args?.file_path };
  const isShell = tools.shell.includes(name);
  const cwd = isShell ? resolve(root, field.text(args, 'dir_path') || '.') : root;
  const action = actionOf(tools, { name, input, cwd, at });
  if (action.kind === 'tool') return isShell || tools.edit.includes(name) ? [] : [action];
  if (call.status !== 'success') return [];
  return [action.kind === 'command' ? { ...action, done: timeIn(call.timestamp) } : action];
}

const textOf = (line: JsonObject): string =>
  typeof line.content === 'string' ? line.content : contentText(line).trim();
