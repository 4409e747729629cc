/** What was done, by the calls of the model: older versions of the client recorded nothing else of it. */
import { resolve } from 'node:path';
import { at as field, type JsonObject, parsedObject } from '../../base/text/json.ts';
import type { RecordedAction } from '../definition.ts';
import type { LinePart } from '../kit/json-lines.ts';
import { patchedPaths } from '../kit/payload.ts';

/** Calls of which newer versions tell by items what they did: commands and changes of files. */
export const ITEMISED = ['exec_command', 'exec', 'apply_patch', 'shell', 'shell_command'];

/** @param folder in which the session works. */
export function calledParts(call: JsonObject | undefined, at: Date, folder: string): LinePart[] {
  const id = field.text(call, 'call_id') ?? '';
  const type = field.text(call, 'type') ?? '';
  if (type.endsWith('_call_output')) return [{ kind: 'done', id, ran: true, at }];
  const action = type.endsWith('_call') ? actionOf(call, at, folder) : undefined;
  return action === undefined ? [] : [{ kind: 'asked', id, action }];
}

function actionOf(
  call: JsonObject | undefined,
  at: Date,
  folder: string,
): RecordedAction | undefined {
  const name = field.text(call, 'name') ?? '';
  if (!ITEMISED.includes(name)) return undefined;
  const given = parsedObject(field.text(call, 'arguments') ?? '');
  const cwd = resolve(folder, field.text(given, 'workdir') ?? '.');
  const patch = field.text(call, 'input') ?? field.text(given, 'input') ?? '';
  const text = name === 'apply_patch' ? patch : commandIn(given);
  // A patch may be a command, too.
  const paths = patchedPaths(text ?? '', cwd);
  if (paths.length > 0) return { kind: 'edit', text: 'apply_patch', paths, at };
  if (text === undefined || name === 'apply_patch') return undefined;
  return { kind: 'command', text, cwd, at, done: at };
}

/** A program with its arguments, of which the last one is the text, or the text. */
function commandIn(given: JsonObject | undefined): string | undefined {
  const command = given?.command ?? given?.cmd;
  const text = Array.isArray(command) ? command.at(-1) : command;
  return typeof text === 'string' ? text : undefined;
}
