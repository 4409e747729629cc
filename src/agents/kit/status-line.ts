/**
 * The status line of an agent: a command in its settings, of which there can be one. Where the user has one, ours
 * starts it and prints its output first; it stands in our line, so that it comes back when ours goes.
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

/** `$0` of our line, by which it is recognised. */
const MARKER = 'lanehold statusline';

/** The user's own line is started even where the package is gone. */
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
  /** The user's own line, also where ours wraps it. */
  readonly theirs?: string | undefined;
  /** Our line. */
  readonly command?: string;
}

/** What the settings say; `unknown` also where they cannot be read. */
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
  // The script, the mark and all else that `line` adds come first.
  return { kind: 'ours', command, theirs: words[8] };
}

const WORD = /'(?:[^']|'\\'')*'/g;

const isOurs = (command: string): boolean =>
  command.startsWith("/bin/sh -c '") && command.includes(`' ${shellQuoted(MARKER)} '`);
