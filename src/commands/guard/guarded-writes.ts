/**
 * Writes to the files that holds depend on: lanehold's own, the settings that run its hooks, its
 * git hook. Only changing, moving or deleting them counts; reading is allowed.
 */
import { isAbsolute, join, resolve } from 'node:path';
import type { AgentGuards } from '../../agents/definition.ts';
import type { Token } from '../programs/tokens.ts';
import type { Argv, Frame } from '../reader.ts';
import { isKnown, UNKNOWN } from '../shell/unknown.ts';
import { HOOK_SETTING, isAboutHooks, isGitConfig, isSwitchForLater } from './layers.ts';

/**
 * @param argv the command; none for a redirection.
 * @param use `tree`: everything below a folder counts as well, as for `rm -r` and `mv`. */
export function noteWrites(
  names: readonly string[],
  argv: Argv,
  frame: Frame,
  use: 'file' | 'tree' = 'file',
): void {
  const { guarded } = frame.reader.context;
  if (guarded === undefined) return;
  noteUnknownPlace(names, argv, frame);
  for (const name of names.slice(0, MOST_NAMES)) {
    if (isSwitchForLater(name, frame.statement))
      found(`write a switch for lanehold into a start-up file`, name, argv, frame);
    for (const path of candidates(name, frame)) {
      noteGitConfig(path, name, argv, frame);
      const noun = guarded(path, use);
      if (noun === undefined) continue;
      found(`change or remove ${noun}`, path, argv, frame);
      return;
    }
  }
}

function noteGitConfig(path: string, name: string, argv: Argv, frame: Frame): void {
  if (!isGitConfig(path, frame.reader.context.env)) return;
  const { reader, state } = frame;
  // The file may define any alias from now on.
  reader.gitConfig.set(UNKNOWN, '');
  // The next git command starts the programs that the file names, so one is read at the end.
  const next = { ...frame, state: state.copy(), secondReading: true };
  reader.later(() => reader.command(['git', 'status'], next));
  if (isAboutHooks(frame.statement)) found(HOOK_SETTING, name, argv, frame);
}

const MOST_NAMES = 1_000;

/**
 * Reports a write whose path is unknown. Writes of git do not count, since git writes no given path
 * into its own folder; nor do those of a script of the project.
 */
function noteUnknownPlace(names: readonly string[], argv: Argv, frame: Frame): void {
  const { state, openScripts, reader } = frame;
  if (argv[0] === 'git' || openScripts.length > 0) return;
  const isLost = state.directories.includes(undefined);
  if (names.some((it) => !isKnown(it) || (isLost && !isAbsolute(it)))) reader.unknownWrite();
}

function found(what: string, where: string, argv: Argv, frame: Frame): void {
  const words = argv.length === 0 ? ['>', where] : argv;
  frame.reader.tampering(what, where, words, frame);
}

/** The segments of the paths of the agents' settings files; `lanehold` stands in the place of a wildcard. */
function stepsTo(agents: readonly AgentGuards[]): readonly string[] {
  const steps = agents.flatMap(({ files }) => files.flatMap((it) => it.split('/')));
  return [...new Set(steps.map((it) => it.replace('*', 'lanehold')))];
}

function candidates(name: string, frame: Frame): readonly string[] {
  if (name === UNKNOWN_HOME) return [name];
  // A path that begins with an unknown part may still name lanehold's home: `"$dir/.lanehold/lanehold.db"`.
  if (!isKnown(name)) return namesHome(name) ? [UNKNOWN_HOME] : [];
  const file = name
    .replace(/^file:(?:\/\/)?/, '')
    .replace(/\?.*$/, (it) => (it.includes('=') ? '' : it));
  const starts = isAbsolute(file) ? ['/'] : frame.state.directories;
  return starts.flatMap((start) => (start === undefined ? [] : [resolve(start, file)]));
}

/** Stands for lanehold's home in an unknown folder; `guarded` knows this path. */
const UNKNOWN_HOME = '~/.lanehold';

/** True for paths in lanehold's home, except for files of a lane's working tree and paths with `..`. */
function namesHome(text: string): boolean {
  return (
    /(?:^|[^\w.-])lanehold\.db$/.test(text) ||
    /(?:^|[^\w.-])\.lanehold(?:\/(?!worktrees\/(?:[^/]+\/){3}(?!.*\.\.(?:\/|$)))|$)/s.test(text)
  );
}

const WRITING =
  /^(?:write\w*|append\w*|unlink\w*|remove\w*|rm|rmSync|rmtree|rmdir\w*|rename\w*|replace|truncate\w*|chmod\w*|copy\w*|move|cp\w*|symlink\w*|File|file_put_contents|connect|Database\w*|delete|createWriteStream|dump)$/;
const WRITE_MODE = /^(?:[wax]b?t?\+?|r[bt]?\+|>>?|\+<)$/;

/** Judges a program in another language: a guarded file in its strings, and a name that writes or deletes. */
export function noteProgramWrites(tokens: readonly Token[], frame: Frame): void {
  if (frame.reader.context.guarded === undefined) return;
  const writes = tokens.some(
    ({ kind, text }) =>
      (kind === 'name' && WRITING.test(text)) || (kind === 'string' && WRITE_MODE.test(text)),
  );
  if (!writes) return;
  const { agents = [], env } = frame.reader.context;
  const home = env.HOME;
  const managed = agents.flatMap((it) => it.managed ?? []);
  const marks = [
    'lanehold',
    'pre-push',
    '.git/config',
    '.gitconfig',
    ...stepsTo(agents),
    ...managed,
  ];
  const names = tokens.flatMap(({ kind, text }) => {
    if (kind !== 'string' || text.length > 300) return [];
    if (!marks.some((it) => text.includes(it))) return [];
    if (namesHome(text)) return [UNKNOWN_HOME];
    return [home !== undefined && text.startsWith('~/') ? join(home, text.slice(2)) : text];
  });
  noteWrites(names, ['(program)'], frame, 'tree');
}
