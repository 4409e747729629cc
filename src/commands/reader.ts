/**
 * The interface through which the parts of the recogniser call each other. `recognise.ts` implements
 * it, so that a wrapper can have its command read without an import circle.
 */
import type { ParsedScript, Word } from 'unbash';
import type { Boundary, ReadingContext, Tampering } from './finding.ts';
import { LIMITS } from './limits.ts';
import type { Directory, ShellState } from './shell/shell-state.ts';
import { isFromNetwork, isWhollyUnknown, UNKNOWN } from './shell/unknown.ts';

/** What a command may print: one text per possibility, unknown stretches as in `unknown.ts`. */
export type Output = readonly string[];

/** The words of a command, program first, or a part of them. */
export type Argv = readonly string[];

/** Reads one command of a program or builtin; returns what it may print, or nothing if unknown. */
export type Handler = (argv: Argv, frame: Frame) => Output | undefined;

/** The circumstances under which a piece of text runs. */
export interface Frame {
  /** The same throughout a reading. */
  readonly reader: Reader;
  readonly state: ShellState;
  /** The parts of the command that contain the text, for people. */
  readonly path: readonly string[];
  /** What its standard input may be. Called only if the input would be run, since it may read a file. */
  readonly stdin: () => Output;
  /** The file that a redirection makes it. */
  readonly input: Output;
  readonly depth: number;
  /** The scripts of the project that contain this text: files, package scripts, targets. */
  readonly openScripts: readonly string[];
  /** The statement that is being read: a release word in it makes an opaque part suspicious. */
  readonly statement: string;
  /** Its output is used: by a pipe, a substitution, a file. */
  readonly outputIsUsed: boolean;
  /** A second reading of ambiguous text: only boundaries are reported. */
  readonly secondReading: boolean;
}

export interface FoundBoundary extends Pick<Boundary, 'kind' | 'rule' | 'leaves' | 'isUnlisted'> {
  readonly argv: Argv;
  readonly operands: readonly string[];
  readonly directories: readonly Directory[];
  readonly gitDir?: string;
  readonly config?: readonly string[];
  readonly options?: readonly string[];
}

export interface Reader {
  readonly context: ReadingContext;
  /** The texts that a file, by its absolute path, may hold after the command itself has written it. */
  readonly written: (path: string) => Output | undefined;
  /** Names in a folder, also of what the command itself has written; folders end with a slash. */
  readonly entries: (folder: string) => readonly string[];
  /** A command that was read before may have made a file of which nothing is known. */
  readonly mayHaveMadeFiles: () => boolean;
  /** @param texts called only if the file is run. */
  readonly write: (path: string, texts: () => Output) => void;
  /** A file or folder is written, moved or removed whose path is not known. */
  readonly unknownWrite: () => void;
  /** Postpones a reading to the end of the command, because what it reads runs last. */
  readonly later: (read: () => void) => void;
  /** Reads a part whose commands may run after others that stand below: in the part, or in all that follow. */
  readonly unordered: (extent: 'in-it' | 'until-end', read: () => Output) => Output;
  /** Git configuration that the command sets by `git config`: `alias.x` and its value. */
  readonly gitConfig: Map<string, string>;
  /** Reads a shell text as a new process would, or in the frame's own state. */
  readonly script: (text: string, frame: Frame) => Output;
  readonly parsed: (script: ParsedScript, frame: Frame) => Output;
  readonly command: (argv: Argv, frame: Frame) => Output;
  /** The texts that a word may stand for where the shell does not split it. */
  readonly text: (word: Word, frame: Frame) => Output;
  /** Counts work; false once the limit is passed, which is then reported. */
  readonly step: (size: number, frame: Frame) => boolean;
  readonly found: () => number;
  readonly boundary: (found: FoundBoundary, frame: Frame) => void;
  /** Reports a part that cannot be read; inside the project's scripts only if the text came over the network. */
  readonly opaque: (
    why: string,
    argv: Argv,
    frame: Frame,
    /** Its known words fit a release, or no word is known. */
    fit?: 'may-release',
  ) => void;
  /** Reports a command whose effects no hook sees: everywhere, and always as suspicious. */
  readonly unseen: (why: string, argv: Argv, frame: Frame) => void;
  /** @param reach the whole machine by default. */
  readonly tampering: (
    what: string,
    where: string,
    argv: Argv,
    frame: Frame,
    reach?: Tampering['reach'],
  ) => void;
  readonly waiver: (argv: Argv, frame: Frame) => void;
}

/** Reads a script of the project once on each path, since scripts may call themselves. Their nesting is limited. */
export function insideFile(
  frame: Frame,
  key: string,
  where: string,
  run: (frame: Frame) => Output,
): Output {
  if (frame.openScripts.includes(key)) return [UNKNOWN];
  if (frame.openScripts.length >= LIMITS.fileDepth) {
    // This is reported although it is in a script of the project.
    const all = { ...frame, openScripts: [] };
    frame.reader.opaque('scripts call each other too deeply', [where], all);
    return [UNKNOWN];
  }
  return run(inside(frame, where, { openScripts: [...frame.openScripts, key] }));
}

export function inside(frame: Frame, where: string, change: Partial<Frame> = {}): Frame {
  return { ...frame, path: [...frame.path, where], depth: frame.depth + 1, ...change };
}

/** True if nothing of a program's text is known; that is reported. */
export function reportUnknown(text: string, frame: Frame): boolean {
  const program = text.trim();
  if (!isWhollyUnknown(program)) return false;
  frame.state.hasUnknownVariables = true;
  const why = isFromNetwork(program)
    ? 'the program comes from the network'
    : 'the program cannot be read from the command';
  frame.reader.opaque(why, [program], frame, 'may-release');
  return true;
}
