/**
 * The sessions that the client records, in a database: `opencode.db` in its data folder. A
 * transcript is named `<database>#<session>`, and its positions are row numbers.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { at as field, type JsonObject, parsedObject } from '../../base/text/json.ts';
import { allRowsOf, type OtherRow, rowsOf } from '../../store/other-database.ts';
import type {
  AgentTranscripts,
  Extent,
  RecordedAction,
  TranscriptEntry,
  Wanted,
} from '../definition.ts';
import { actionOf, isWanted, MOST_BYTES, said } from '../kit/json-lines.ts';
import { databaseFile, opencodeHooks } from './hooks.ts';

const { tools } = opencodeHooks;

/** The most units of all messages that are read, without their parts. */
const MOST_UNITS = 16 * MOST_BYTES;
const LARGEST_PART = 16 * 1024 * 1024;

export const opencodeTranscripts: AgentTranscripts = {
  files(transcript) {
    const { file, session } = placeOf(transcript);
    const children = attempt(() => sessionsIn(file, ['parent_id', session])) ?? [];
    return [transcript, ...children.map(({ id }) => `${file}#${id}`)];
  },

  entries: (transcript, from, wanted = 'all', extent = 'end') =>
    entries(placeOf(transcript), from, wanted, extent),

  listed({ env }) {
    const file = databaseFile({ HOME: homedir(), ...env });
    const all = attempt(() => sessionsIn(file)) ?? [];
    return all.map(({ id, time_updated }) => {
      const changed = Number(time_updated);
      return { file: `${file}#${id}`, size: changed, changed };
    });
  },

  origin(transcript) {
    const { file, session } = placeOf(transcript);
    const [own] = sessionsIn(file, ['id', session]);
    if (typeof own?.directory !== 'string') return undefined;
    let first: OtherRow = own;
    // A sub-agent may have had sub-agents.
    for (let depth = 0; first.parent_id !== null && depth < DEEPEST; depth += 1) {
      first = sessionsIn(file, ['id', String(first.parent_id)])[0] ?? { ...first, parent_id: null };
    }
    const began = new Date(Number(own.time_created));
    const isSubAgent = own.parent_id !== null;
    return { session: String(first.id), isSubAgent, cwd: own.directory, began };
  },
};

const DEEPEST = 20;

function placeOf(transcript: string) {
  const end = transcript.lastIndexOf('#');
  return { file: transcript.slice(0, end), session: transcript.slice(end + 1) };
}

const SESSION_COLUMNS = ['id', 'parent_id', 'directory', 'time_created', 'time_updated'];

const sessionsIn = (file: string, where?: readonly [string, string]): OtherRow[] =>
  rowsOf(file, { table: 'session', columns: SESSION_COLUMNS, ...(where && { where }) }, MOST_BYTES);

function* entries(
  { file, session }: ReturnType<typeof placeOf>,
  from: number,
  wanted: Wanted,
  extent: Extent,
): Generator<TranscriptEntry, number> {
  const [own] = sessionsIn(file, ['id', session]);
  const directory = typeof own?.directory === 'string' ? own.directory : '/';
  const columns = ['data', 'time_created', 'message_id'];
  const where = ['session_id', session] as const;
  const wish = { table: 'part', columns, where, after: from - 1 } as const;
  const parts =
    extent === 'end' ? rowsOf(file, wish, MOST_BYTES) : allRowsOf(file, wish, LARGEST_PART);
  let messages: ReadonlyMap<unknown, JsonObject> | undefined;
  let end = from;
  let isOpen = false;
  for (const { row, data, time_created, message_id } of parts) {
    const part = parsedObject(String(data)) ?? {};
    const at = new Date(Number(time_created));
    if (wanted === 'all') messages ??= messagesOf(file, where, extent);
    const actions = actionsOf(part, messages?.get(message_id), at, directory);
    // A call without a result at the next prompt will not get one.
    if (extent === 'whole' && actions.some(({ kind }) => kind === 'prompt')) isOpen = false;
    // Calls without a result are read again.
    isOpen ||= ['pending', 'running'].includes(String(field.object(part, 'state')?.status));
    if (!isOpen) end = row + 1;
    for (const it of actions.filter((action) => isWanted(action, wanted))) {
      yield { ...it, position: row };
    }
  }
  return end;
}

function messagesOf(
  file: string,
  where: readonly [string, string],
  extent: Extent,
): Map<unknown, JsonObject> {
  const most = extent === 'end' ? MOST_BYTES : MOST_UNITS;
  const rows = rowsOf(file, { table: 'message', columns: ['id', 'data'], where }, most);
  return new Map(rows.map(({ id, data }) => [id, parsedObject(String(data)) ?? {}]));
}

function actionsOf(
  part: JsonObject,
  message: JsonObject | undefined,
  at: Date,
  directory: string,
): RecordedAction[] {
  if (part.type === 'text') {
    if (message?.role === 'user') return part.synthetic ? [] : said('prompt', part.text, at);
    if (message?.role !== 'assistant') return [];
    return said(message.summary === true ? 'summary' : 'message', part.text, at);
  }
  return part.type === 'tool' ? toolActions(part, at, directory) : [];
}

function toolActions(part: JsonObject, at: Date, directory: string): RecordedAction[] {
  const name = field.text(part, 'tool') ?? '';
  const state = field.object(part, 'state');
  const input = field.object(state, 'input');
  const isShell = tools.shell.includes(name);
  const cwd = resolve(directory, (isShell && field.text(input, 'workdir')) || '.');
  const action = actionOf(tools, { name, input, cwd, at });
  const isOther = !isShell && ![...tools.edit, ...(tools.patch ?? [])].includes(name);
  if (isOther) return [{ kind: 'tool', text: name, at }];
  if (state?.status !== 'completed' || action.kind === 'tool') return [];
  const end = field.number(field.object(state, 'time'), 'end');
  return [action.kind === 'command' ? { ...action, done: new Date(end ?? Number.NaN) } : action];
}
