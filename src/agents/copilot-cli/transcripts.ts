/**
 * The transcripts that the client writes: `session-state/<session>/events.jsonl` in its folder. What
 * sub-agents do is in the file of their session, with an `agentId`.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
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
import { patchedPaths } from '../kit/payload.ts';
import { userFolder } from '../kit/places.ts';
import { copilotCliHooks, FOLDER } from './hooks.ts';

const {
  shell: SHELL_TOOLS,
  edit: EDIT_TOOLS,
  patch: [PATCH_TOOL = ''] = [],
} = copilotCliHooks.tools;

export const copilotCliTranscripts: AgentTranscripts = {
  files: (transcript) => [transcript],

  entries: (file, from, wanted = 'all', extent = 'end') =>
    entriesIn(file, from, { wanted, extent }, lineReader(file)),

  listed({ env }) {
    const states = statesFolder(env);
    return listedFiles(states, filesIn(states));
  },

  origin(file) {
    const start = startOf(file);
    return start && { session: basename(dirname(file)), isSubAgent: false, ...start };
  },
};

const statesFolder = (env: Environment): string =>
  join(userFolder({ env, cwd: '/' }, FOLDER, 'the transcripts of Copilot'), 'session-state');

const filesIn = (states: string): string[] =>
  (attempt(() => readdirSync(states)) ?? []).map((it) => join(states, it, 'events.jsonl'));

function startOf(file: string): { cwd: string; began: Date } | undefined {
  const start = attempt(() => headOf(file))?.find(({ type }) => type === 'session.start');
  const data = field.object(start, 'data');
  const cwd = field.text(field.object(data, 'context'), 'cwd');
  if (cwd === undefined) return undefined;
  return { cwd, began: timeIn(data?.startTime) };
}

function lineReader(file: string): LineReader {
  let folder: string | undefined;
  const sessionFolder = (): string => {
    folder ??= startOf(file)?.cwd ?? '/';
    return folder;
  };

  return {
    mayRun: (line) =>
      line.includes('"tool.execution_start"') && SHELL_TOOLS.some((it) => line.includes(`"${it}"`)),

    parts(line) {
      const at = timeIn(line.timestamp);
      const data = field.object(line, 'data');
      switch (line.type) {
        case 'user.message':
          // What an agent tells its sub-agent is no prompt of a person.
          return line.agentId === undefined ? said('prompt', data?.content, at) : [];
        case 'assistant.message':
          return said('message', data?.content, at);
        case 'session.compaction_complete':
          return said('summary', data?.summaryContent, at);
        case 'tool.execution_start':
          return callParts(data, at, sessionFolder());
        case 'tool.execution_complete': {
          const isDone = data?.success === true || data?.shellExecution !== undefined;
          return [{ kind: 'done', id: String(data?.toolCallId), ran: isDone, at }];
        }
        default:
          return [];
      }
    },
  };
}

function callParts(data: JsonObject | undefined, at: Date, cwd: string): LinePart[] {
  const name = field.text(data, 'toolName') ?? '';
  const id = String(data?.toolCallId);
  const input = field.object(data, 'arguments');
  const text = SHELL_TOOLS.includes(name) ? field.text(input, 'command') : undefined;
  if (text !== undefined) {
    return [{ kind: 'asked', id, action: { kind: 'command', text, cwd, at, done: at } }];
  }
  const paths = editedPaths(name, data, cwd);
  if (paths.length === 0) return [{ kind: 'tool', text: name, at }];
  return [{ kind: 'asked', id, action: { kind: 'edit', text: name, paths, at } }];
}

function editedPaths(name: string, data: JsonObject | undefined, cwd: string): readonly string[] {
  const input = field.object(data, 'arguments');
  if (name === PATCH_TOOL) {
    return patchedPaths(field.text(data, 'arguments') ?? field.text(input, 'input') ?? '', cwd);
  }
  const path = EDIT_TOOLS.includes(name) ? field.text(input, 'path') : undefined;
  return path === undefined ? [] : [resolve(cwd, path)];
}
