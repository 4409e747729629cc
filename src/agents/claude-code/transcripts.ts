/**
 * The transcripts that the client writes: `projects/<folder>/<session>.jsonl` in its configuration folder,
 * and `<session>/subagents/*.jsonl` beside it.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { at as field, isJsonObject, type JsonObject } from '../../base/text/json.ts';
import {
  actionOf,
  asked,
  below,
  headOf,
  jsonLines,
  type LinePart,
  said,
  timeIn,
} from '../kit/json-lines.ts';
import { userFolder } from '../kit/places.ts';
import { claudeCodeHooks, FOLDER } from './hooks.ts';

const { tools } = claudeCodeHooks;

const EXTENSION = '.jsonl';

export const claudeCodeTranscripts = jsonLines({
  folder: (env) =>
    join(userFolder({ env, cwd: '/' }, FOLDER, 'the transcripts of Claude Code'), 'projects'),

  list(projects, roots) {
    // Several paths may give one name of a folder.
    const own = roots.map((it) => it.replaceAll(/[^A-Za-z0-9]/g, '-'));
    const isOwn = (name: string) => own.some((it) => name === it || name.startsWith(`${it}-`));
    const folders = below(projects).filter((it) => isOwn(basename(it)));
    return folders.flatMap((folder) => [
      ...below(folder, EXTENSION),
      ...below(folder)
        .filter((it) => !it.endsWith(EXTENSION))
        .flatMap((it) => below(join(it, 'subagents'), EXTENSION)),
    ]);
  },

  ofSubAgents: (transcript) =>
    transcript.endsWith(EXTENSION)
      ? below(join(transcript.slice(0, -EXTENSION.length), 'subagents'), EXTENSION)
      : [],

  origin(file) {
    const isSubAgent = basename(dirname(file)) === 'subagents';
    const first = firstPlaced(file);
    if (first === undefined) return undefined;
    const session = isSubAgent ? basename(resolve(file, '../..')) : basename(file, EXTENSION);
    return { session, isSubAgent, cwd: String(first.cwd), began: timeOf(first) };
  },

  reader: () => parts,
});

const firstPlaced = (file: string): JsonObject | undefined =>
  headOf(file).find(
    ({ cwd, timestamp }) => typeof cwd === 'string' && typeof timestamp === 'string',
  );

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

/** Texts that the client itself records as the user's. */
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
  const cwd = field.text(line, 'cwd') ?? '/';
  const action = actionOf(tools, { name: String(block.name), input: block.input, cwd, at });
  return [asked(String(block.id), action)];
}

/** True for an error other than an exit code: a missing permission, an invalid input, a hook that denied. */
function wasRefused({ is_error }: JsonObject, { toolUseResult, toolDenialKind }: JsonObject) {
  if (toolDenialKind !== undefined) return true;
  return is_error === true && !/^(?:Error: )?Exit code \d/.test(String(toolUseResult));
}

const timeOf = ({ timestamp }: JsonObject): Date => timeIn(timestamp);
