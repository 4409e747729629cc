/**
 * The transcripts that the client writes: `projects/<folder>/<session>.jsonl` in its configuration folder,
 * and `<session>/subagents/*.jsonl` beside it.
 */
import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Environment } from '../../environment.ts';
import { attempt } from '../../errors.ts';
import { isWithin } from '../../git/tree-entry.ts';
import { isJsonObject, type JsonObject } from '../../text/json.ts';
import type { AgentTranscripts, RecordedSession } from '../definition.ts';
import { headOf, ranCommandsIn, type TranscriptEntry } from '../json-lines.ts';
import { SHELL_TOOLS } from './capabilities.ts';

const EXTENSION = '.jsonl';
const MOST_SESSIONS = 40;

export const claudeCodeTranscripts: AgentTranscripts = {
  files(transcript) {
    if (!transcript.endsWith(EXTENSION)) return [transcript];
    const folder = join(transcript.slice(0, -EXTENSION.length), 'subagents');
    return [transcript, ...transcriptsIn(folder)];
  },

  ranCommands: (file, from) => ranCommandsIn(file, from, { mayAsk, entries }),

  recent({ root, env }, since) {
    const projects = join(configFolder(env), 'projects');
    const own = root.replaceAll(/[^A-Za-z0-9]/g, '-');
    const folders = (attempt(() => readdirSync(projects)) ?? []).filter(
      (it) => it === own || it.startsWith(`${own}-`),
    );
    return folders
      .flatMap((it) => transcriptsIn(join(projects, it)))
      .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .filter(({ at }) => at >= since.getTime())
      .sort((one, other) => other.at - one.at)
      .slice(0, MOST_SESSIONS)
      .flatMap(({ file }) => attempt(() => sessionOf(file, root)) ?? []);
  },
};

function configFolder({ CLAUDE_CONFIG_DIR, HOME }: Environment): string {
  return resolve(CLAUDE_CONFIG_DIR || join(HOME || homedir(), '.claude'));
}

function transcriptsIn(folder: string): string[] {
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.filter((it) => it.endsWith(EXTENSION)).map((it) => join(folder, it));
}

/** Empty for a session of another folder: names of folders may stand for several. */
function sessionOf(transcript: string, root: string): RecordedSession[] {
  const first = headOf(transcript).find(
    ({ cwd, timestamp }) => typeof cwd === 'string' && typeof timestamp === 'string',
  );
  if (first === undefined || !isWithin(root, String(first.cwd))) return [];
  return [{ session: basename(transcript, EXTENSION), transcript, began: timeOf(first) }];
}

function mayAsk(line: string): boolean {
  return line.includes('"tool_use"') && SHELL_TOOLS.some((it) => line.includes(`"${it}"`));
}

function entries(line: JsonObject): TranscriptEntry[] {
  const content = isJsonObject(line.message) ? line.message.content : undefined;
  if (!Array.isArray(content)) return [];
  return content.filter(isJsonObject).flatMap((block) => entryOf(block, line));
}

function entryOf(block: JsonObject, line: JsonObject): TranscriptEntry[] {
  const at = timeOf(line);
  if (block.type === 'tool_result') {
    return [{ kind: 'done', id: String(block.tool_use_id), ran: !wasRefused(block, line), at }];
  }
  const command = isJsonObject(block.input) ? block.input.command : undefined;
  if (block.type !== 'tool_use' || !SHELL_TOOLS.includes(String(block.name))) return [];
  if (typeof command !== 'string' || typeof line.cwd !== 'string') return [];
  return [{ kind: 'asked', id: String(block.id), command, cwd: line.cwd, at }];
}

/** An error other than an exit code: no permission, an input that is not valid, a hook that denied. */
function wasRefused({ is_error }: JsonObject, { toolUseResult, toolDenialKind }: JsonObject) {
  if (toolDenialKind !== undefined) return true;
  return is_error === true && !/^(?:Error: )?Exit code \d/.test(String(toolUseResult));
}

const timeOf = ({ timestamp }: JsonObject): Date => new Date(String(timestamp));
