/**
 * The transcripts that the client writes: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`
 * in its folder. A sub-agent has a file of its own, whose first line names its parent. What ran is
 * in the items of the client, not in the calls of the model: in code mode the calls are scripts.
 */
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt } from '../../base/errors.ts';
import { at as field, type JsonObject, parsedObject } from '../../base/text/json.ts';
import type { TranscriptOrigin } from '../definition.ts';
import {
  below,
  contentText,
  headOf,
  jsonLines,
  type LinePart,
  type LineReader,
  newestFiles,
  said,
  timeIn,
} from '../kit/json-lines.ts';
import { patchedPaths } from '../kit/payload.ts';
import { userFolder } from '../kit/places.ts';
import { FOLDER } from './hooks.ts';

/** A session may go on for some days. */
const DAYS_READ = 14;

export const codexTranscripts = jsonLines({
  folder: (env) =>
    join(userFolder({ env, cwd: '/' }, FOLDER, 'the transcripts of Codex'), 'sessions'),
  list: (sessions, _roots, days = Number.POSITIVE_INFINITY) => rollouts(sessions, days),
  ofSubAgents(transcript) {
    const parent = metaOf(transcript);
    if (parent === undefined) return [];
    const named = basename(transcript).slice(0, 'rollout-2026-11-23T04-41-19'.length);
    const later = rollouts(resolve(transcript, '../../../..'), DAYS_READ).filter(
      (it) => basename(it) >= named && it !== transcript,
    );
    return newestFiles(later, parent.began)
      .map(({ file }) => ({ file, meta: metaOf(file) }))
      .filter(({ meta }) => meta?.isSubAgent && meta.session === parent.id)
      .map(({ file }) => file);
  },
  origin: metaOf,
  reader: lineReader,
});

/** The files of the last days that have any. */
function rollouts(sessions: string, mostDays: number): string[] {
  const days = [sessions]
    .flatMap((it) => below(it))
    .flatMap((it) => below(it))
    .flatMap((it) => below(it))
    .slice(-mostDays);
  const files = days.flatMap((it) => below(it, '.jsonl'));
  return files.filter((it) => basename(it).startsWith('rollout-'));
}

function metaOf(file: string) {
  const meta = attempt(() => headOf(file))?.find(({ type }) => type === 'session_meta');
  const payload = field.object(meta, 'payload');
  const id = field.text(payload, 'id');
  const cwd = field.text(payload, 'cwd');
  if (id === undefined || cwd === undefined) return undefined;
  return {
    id,
    cwd,
    session: field.text(payload, 'session_id') ?? id,
    isSubAgent: field.object(field.object(payload, 'source'), 'subagent') !== undefined,
    began: timeIn(payload?.timestamp),
  };
}

function lineReader(whose: () => TranscriptOrigin | undefined): LineReader {
  /** When the model asked for each call, and for the last script, whose calls have ids of their own. */
  const asked = new Map<string, Date>();
  let lastCall: Date | undefined;
  /** The records to read: older versions of the client have no items, only the calls of the model. */
  let by: 'items' | 'calls' = 'items';

  const askedAt = (id: string): Date => asked.get(id) ?? lastCall ?? whose()?.began ?? new Date(0);

  function callParts(payload: JsonObject | undefined, at: Date): LinePart[] {
    if (!field.text(payload, 'type')?.endsWith('_call')) return [];
    lastCall = at;
    asked.set(field.text(payload, 'call_id') ?? '', at);
    const name = field.text(payload, 'name') ?? '';
    return ITEMISED.includes(name) ? [] : [{ kind: 'tool', text: name, at }];
  }

  return (line) => {
    const at = timeIn(line.timestamp);
    const payload = field.object(line, 'payload');
    if (line.type === 'compacted') return said('summary', payload?.message, at);
    if (line.type === 'response_item') {
      return [
        ...callParts(payload, at),
        ...(by === 'calls' ? calledParts(payload, at, whose()?.cwd ?? '/') : []),
      ];
    }
    switch (line.type === 'event_msg' && payload?.type) {
      case 'item_completed':
        by = 'items';
        return itemParts(field.object(payload, 'item') ?? {}, at, askedAt);
      case 'user_message':
        by = 'calls';
        return said('prompt', payload?.message, at);
      case 'agent_message':
        return by === 'calls' ? said('message', payload?.message, at) : [];
      default:
        return [];
    }
  };
}

function itemParts(item: JsonObject, at: Date, askedAt: (id: string) => Date): LinePart[] {
  switch (item.type) {
    case 'UserMessage':
      return said('prompt', contentText(item), at);
    case 'AgentMessage':
      return said('message', contentText(item), at);
    case 'CommandExecution': {
      const { command } = item;
      // A program, its option, and the text.
      const text = Array.isArray(command) ? command.at(-1) : undefined;
      const place = field.text(item, 'cwd') ?? '';
      const cwd = attempt(() => fileURLToPath(place)) ?? place;
      if (typeof text !== 'string' || cwd === '') return [];
      const asked = askedAt(field.text(item, 'id') ?? '');
      return [{ kind: 'command', text, cwd, at: asked, done: at }];
    }
    case 'FileChange': {
      if (item.status !== 'completed') return [];
      const paths = Object.keys(field.object(item, 'changes') ?? {});
      return [{ kind: 'edit', text: 'apply_patch', paths, at }];
    }
    default:
      return [];
  }
}

/** Tools for which newer versions of the client record items: those that run commands or change files. */
const ITEMISED = ['exec_command', 'exec', 'apply_patch', 'shell', 'shell_command'];

/** Commands and edits from the calls of the model, for older versions of the client, which recorded nothing else. */
function calledParts(call: JsonObject | undefined, at: Date, folder: string): LinePart[] {
  const id = field.text(call, 'call_id') ?? '';
  const type = field.text(call, 'type') ?? '';
  if (type.endsWith('_call_output')) return [{ kind: 'done', id, ran: true, at }];
  const name = field.text(call, 'name') ?? '';
  if (!type.endsWith('_call') || !ITEMISED.includes(name)) return [];
  const given = parsedObject(field.text(call, 'arguments') ?? '');
  const cwd = resolve(folder, field.text(given, 'workdir') ?? '.');
  // The command is a program with its arguments, whose last one is the text, or the text itself. A
  // patch may also be a command.
  const command = [given?.command ?? given?.cmd].flat().at(-1);
  const patch = field.text(call, 'input') ?? field.text(given, 'input');
  const text = name === 'apply_patch' ? (patch ?? '') : command;
  if (typeof text !== 'string') return [];
  const paths = patchedPaths(text, cwd);
  if (paths.length > 0) {
    return [{ kind: 'asked', id, action: { kind: 'edit', text: 'apply_patch', paths, at } }];
  }
  if (name === 'apply_patch') return [];
  return [{ kind: 'asked', id, action: { kind: 'command', text, cwd, at, done: at } }];
}
