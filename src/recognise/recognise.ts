/**
 * Finds the release boundaries in a shell command: reads each simple command that may run, and
 * reports places that cannot be decided from the text.
 */
import { hasReleaseWord } from '../text/release-words.ts';
import type { Finding, ReadingContext } from './finding.ts';
import type { Frame } from './reader.ts';
import { startReading } from './reading.ts';
import { ShellState } from './shell/shell-state.ts';

/**
 * What a shell would do with the command, judged by its text and the project's files. Synchronous
 * and bounded: beyond a limit the answer is opaque. Never throws: a failure becomes an opaque
 * finding, so that a defect here does not let a release through.
 */
export function recognise(command: string, context: ReadingContext): readonly Finding[] {
  const { reader, findings } = startReading(context, command);
  try {
    reader.script(command, firstFrame(command, context));
    return findings();
  } catch (error) {
    return [...findings(), failure(error, command, context)];
  }
}

function firstFrame(command: string, context: ReadingContext): Frame {
  return {
    state: new ShellState([context.cwd]),
    path: [],
    stdin: () => [''],
    depth: 0,
    openScripts: [],
    statement: command,
    outputIsUsed: false,
    secondReading: false,
  };
}

function failure(error: unknown, command: string, context: ReadingContext): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    verdict: 'opaque',
    path: [],
    argv: [],
    directory: context.cwd,
    why: `reading it failed: ${reason}`,
    suspicious: hasReleaseWord(command),
  };
}
