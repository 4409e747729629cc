/**
 * The status line of an agent: a command in its settings, which can have only one. If the user has
 * one, lanehold's starts it and prints its output first; the user's line is kept in lanehold's, and
 * restored when lanehold's is removed.
 */
import { UserFileError } from '../../base/files/user-files.ts';
import { isJsonObject, parsedObject } from '../../base/text/json.ts';
import { type KeyPath, removeKey, setValue } from '../../base/text/json-text.ts';
import { shellQuoted } from '../../base/text/shell-quote.ts';
import type { FileEditor, InstallFile } from '../install.ts';
import { STATUS_LINE } from '../types.ts';
import { type HookStart, launchArguments, lineOf } from './hook-shim.ts';

const KEY: KeyPath = ['statusLine'];
const COMMAND: KeyPath = ['statusLine', 'command'];

/** The mark in `$0` of lanehold's line. */
const MARKER = 'lanehold statusline';

/** Starts the user's own line even if the package is gone. */
const OTHERWISE = '[ "$3" = --wrap ] && exec /bin/sh -c "$4"; exit 0';

/** `{"statusLine": {"type": "command", "command": …}}` in a file that has more. */
export function statusLineFile(file: string, start: HookStart): InstallFile {
  return { file, what: 'statusline', extra: 'statusline', editor: statusLine(file, start) };
}

function statusLine(settings: string, start: HookStart): FileEditor {
  function line(theirs: string | undefined): string {
    const given = theirs ? ['--wrap', theirs] : ['--stdin'];
    return lineOf(launchArguments(start, OTHERWISE, [MARKER, settings, STATUS_LINE, ...given]));
  }
  return {
    plan(file, { current }) {
      const text = current === undefined || current.trim() === '' ? '{}\n' : current;
      const found = statusLineIn(text);
      if (found.kind === 'unknown') {
        throw new UserFileError(`${file} has a \`statusLine\` of another kind`, {
          hint: 'start `lanehold statusline` in it yourself',
        });
      }
      const command = line(found.theirs);
      if (command === found.command) return { state: 'current', text };
      const state = found.kind === 'ours' ? 'upgrade' : 'new';
      if (found.kind !== 'none') return { state, text: setValue(text, COMMAND, command) };
      return { state, text: setValue(text, KEY, { type: 'command', command }) };
    },
    withoutOurs(_file, text) {
      const found = statusLineIn(text);
      if (found.kind !== 'ours') return text;
      return found.theirs === undefined
        ? removeKey(text, KEY)
        : setValue(text, COMMAND, found.theirs);
    },
    find: () => [],
    note(text) {
      const found = statusLineIn(text);
      return found.kind === 'ours' && found.theirs !== undefined ? 'below your own' : undefined;
    },
  };
}

interface StatusLineSetting {
  readonly kind: 'none' | 'unknown' | 'theirs' | 'ours';
  /** The user's own line, also if lanehold's wraps it. */
  readonly theirs?: string | undefined;
  readonly command?: string;
}

/** The status line in the settings; `unknown` also if they cannot be read. */
export function statusLineIn(text: string): StatusLineSetting {
  const settings = parsedObject(text);
  if (settings === undefined) return { kind: 'unknown' };
  const { statusLine: value } = settings;
  if (value === undefined || value === null) return { kind: 'none' };
  const { type, command } = isJsonObject(value) ? value : {};
  if (typeof command !== 'string' || type !== 'command') return { kind: 'unknown' };
  if (!isOurs(command)) return { kind: 'theirs', theirs: command };
  const words = [...command.matchAll(WORD)].map(([word]) =>
    word.slice(1, -1).replaceAll("'\\''", "'"),
  );
  // The script, the mark and everything else that `line` adds come first.
  return { kind: 'ours', command, theirs: words[8] };
}

const WORD = /'(?:[^']|'\\'')*'/g;

const isOurs = (command: string): boolean =>
  command.startsWith("/bin/sh -c '") && command.includes(`' ${shellQuoted(MARKER)} '`);
