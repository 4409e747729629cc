/**
 * Finds the release boundaries in a shell command: reads each simple command that may run, and
 * reports places that cannot be decided from the text.
 */
import { resolve } from 'node:path';
import { type ParseError, parse } from 'unbash';
import type { Word } from '../base/text/options.ts';
import { hasReleaseWord } from '../base/text/release-words.ts';
import type { Boundary, Finding, Preceding, ReadingContext } from './finding.ts';
import { hookBypasses } from './guard/layers.ts';
import { knownProgram } from './known-programs.ts';
import { LIMITS } from './limits.ts';
import {
  type Argv,
  type FoundBoundary,
  type Frame,
  type Output,
  type Reader,
  reportUnknown,
} from './reader.ts';
import { runCommand } from './run-command.ts';
import { ShellState } from './shell/shell-state.ts';
import { isFromNetwork, isKnown, UNKNOWN } from './shell/unknown.ts';
import { walkList } from './shell/walk.ts';
import { textOf } from './shell/words.ts';

/**
 * What a shell would do with the command, judged by its text and the project's files. Synchronous
 * and bounded: beyond a limit the answer is opaque. Never throws: a failure becomes an opaque
 * finding, so that a defect here does not let a release through.
 */
export function recognise(command: string, context: ReadingContext): readonly Finding[] {
  const { reader, found, end } = startReading(context);
  const frame: Frame = {
    reader,
    state: new ShellState([context.cwd]),
    path: [],
    stdin: () => [''],
    input: [],
    depth: 0,
    openScripts: [],
    statement: command,
    outputIsUsed: false,
    secondReading: false,
  };
  try {
    reader.script(command, frame);
    end();
    return [...found.values()];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const place = { path: [], argv: [], directory: context.cwd };
    const why = `reading it failed: ${reason}`;
    const suspicious = hasReleaseWord(command);
    return [...found.values(), { verdict: 'opaque', ...place, why, suspicious }];
  }
}

function startReading(context: ReadingContext) {
  const found = new Map<string, Finding>();
  const ran: Preceding[] = [];
  let afterUnknownWrite: true | undefined;
  const files = new Map<string, () => Output>();
  const pending: (() => void)[] = [];
  /** Boundaries in the order in which they were found, and those that may run after all others. */
  const boundaries: OpenBoundary[] = [];
  const last: OpenBoundary[] = [];
  let steps = 0;
  let expansion = 0;
  let exhausted = false;
  let open: 'in-it' | 'until-end' | undefined;

  const add = (finding: Finding): void => {
    const { verdict, argv, directory, path } = finding;
    const rule = 'rule' in finding ? finding.rule : 'where' in finding ? finding.where : '';
    const key = [verdict, rule, directory, argv.join(' '), path.join('/')].join('\0');
    if (found.size < LIMITS.findings || found.has(key)) found.set(key, finding);
    else found.set('', { ...TOO_MANY, directory: context.cwd });
  };

  const placeOf = (argv: Argv, { path, state }: Frame) => {
    const [directory] = state.directories;
    return { path, argv: argv.map(toWord), directory };
  };

  const opaque: Reader['opaque'] = (why, argv, frame, fit) => {
    const fromNetwork = argv.some(isFromNetwork);
    if (frame.secondReading || (frame.openScripts.length > 0 && !fromNetwork)) return;
    const fits = fit !== undefined || fromNetwork;
    const suspicious = fits || argv.some(hasReleaseWord) || hasReleaseWord(frame.statement);
    add({ verdict: 'opaque', ...placeOf(argv, frame), why, suspicious });
  };

  const withinLimits = (frame: Frame, fine: boolean): boolean => {
    if (fine || exhausted) return fine;
    exhausted = true;
    // Passing a limit is reported in a project's script and in a second reading too.
    reader.unseen('it is too long to read', [], frame);
    return false;
  };

  const reader: Reader = {
    context,
    written: (path) => files.get(path)?.(),
    mayHaveMadeFiles: () =>
      ran.some(({ argv: [name = ''] }) => !(IS_READ.test(name) || knownProgram(name)?.readsOnly)),
    entries: (folder) => {
      const start = folder === '/' ? '/' : `${folder}/`;
      const made = [...files.keys()].filter((it) => it.startsWith(start));
      const names = made.map((it) => it.slice(start.length).replace(/\/.*$/s, '/'));
      return [...new Set([...(context.list?.(folder) ?? []), ...names])];
    },
    write: (path, texts) => {
      if (isInProject(path, context)) ran.push({ argv: ['>', path], writesFile: true });
      files.set(path, texts);
    },
    unknownWrite: () => {
      afterUnknownWrite = true;
    },
    later: (read) => {
      pending.push(read);
    },
    unordered: (extent, read) => {
      // The outermost of such parts contains the others.
      if (open === extent || open === 'until-end') return read();
      const from = boundaries.length;
      const outer = open;
      open = extent;
      const output = read();
      open = outer;
      const found = boundaries.slice(from);
      const all = [...ran];
      if (extent === 'until-end') last.push(...found);
      else for (const it of found) it.before = all;
      return output;
    },
    gitConfig: new Map(),
    script: (text, frame) => {
      if (!withinLimits(frame, text.length <= LIMITS.textLength)) return [UNKNOWN];
      if (!withinLimits(frame, frame.depth <= LIMITS.depth)) return [UNKNOWN];
      if (frame.openScripts.length > 0) context.script?.(text, frame.openScripts);
      return readScript(text, frame);
    },
    parsed: (script, frame) => {
      if (!withinLimits(frame, frame.depth <= LIMITS.depth)) return [UNKNOWN];
      reportErrors(script.errors, frame);
      return walkList(script, frame);
    },
    text: textOf,
    command: (argv, frame) => {
      if (!reader.step(argv.join('').length, frame)) return [UNKNOWN];
      if (!frame.secondReading) visit(argv, frame, context);
      const [directory, other] = frame.state.directories;
      const place = directory && other === undefined ? toWord(directory) : undefined;
      const output = runCommand(argv, frame);
      // The command is recorded after its reading: the commands that it runs come first.
      if (!frame.secondReading)
        ran.push({ argv: argv.map(toWord), directory: place, writesFile: false });
      return output;
    },
    step: (size, frame) => {
      steps += 1;
      expansion += size;
      const fine = steps <= LIMITS.steps && expansion <= LIMITS.expansion;
      return withinLimits(frame, fine && frame.depth <= LIMITS.depth);
    },
    found: () => found.size,
    boundary: (it, frame) => {
      if (frame.secondReading && isFound(it, found)) return;
      for (const directory of it.directories) {
        const boundary = {
          ...toBoundary(it, directory, frame, ran),
          ...(afterUnknownWrite && { afterUnknownWrite }),
        };
        boundaries.push(boundary);
        add(boundary);
      }
    },
    opaque,
    unseen: (why, argv, frame) => {
      add({ verdict: 'opaque', ...placeOf(argv, frame), why, suspicious: true });
    },
    tampering: (what, where, argv, frame, reach = 'machine') => {
      if (frame.secondReading) return;
      add({ verdict: 'tampering', ...placeOf(argv, frame), what, where, reach });
    },
    waiver: (argv, frame) => add({ verdict: 'waiver', ...placeOf(argv, frame) }),
  };
  const end = (): void => {
    // A postponed reading may postpone another one.
    for (const read of pending) read();
    const all = [...ran];
    for (const it of last) it.before = all;
  };
  return { reader, found, end };
}

/** Programs that only run other commands, which are judged by themselves. */
const IS_READ = /^(?:(?:ba|da|k|z)?sh|source|\.|find|xargs|run-parts|parallel)$/;

type OpenBoundary = Omit<Boundary, 'before'> & { before: readonly Preceding[] };

const TOO_MANY = {
  verdict: 'opaque',
  path: [],
  argv: [],
  why: 'it does more than is looked at',
  suspicious: true,
} as const;

function visit(argv: Argv, frame: Frame, context: ReadingContext): void {
  context.visit?.({
    argv: argv.map(toWord),
    directories: frame.state.directories.map((it) => it && toWord(it)),
    inFile: frame.openScripts.length > 0,
    outputIsUsed: frame.outputIsUsed,
    input: frame.input.map(toWord),
  });
}

/** A second reading adds only what the first has not found. */
function isFound({ rule, argv }: FoundBoundary, found: ReadonlyMap<string, Finding>): boolean {
  const words = argv.map(toWord).join(' ');
  return [...found.values()].some(
    (it) => it.verdict === 'boundary' && it.rule === rule && it.argv.join(' ') === words,
  );
}

function readScript(text: string, frame: Frame): Output {
  if (reportUnknown(text, frame)) return [UNKNOWN];
  const script = parse(text);
  const output = walkList(script, frame, text);
  reportErrors(script.errors, frame, text);
  return output;
}

/** The shell runs everything before a syntax error, so the tree is walked all the same. */
function reportErrors(
  [first]: readonly ParseError[] = [],
  frame: Frame,
  text = frame.statement,
): void {
  if (!(first && hasReleaseWord(text))) return;
  frame.reader.opaque(`the shell would stop at an error: ${first.message}`, [text], frame);
}

function toWord(text: string): Word {
  return isKnown(text) ? text : undefined;
}

function toBoundary(
  it: FoundBoundary,
  directory: string | undefined,
  frame: Frame,
  ran: readonly Preceding[],
): OpenBoundary {
  const known = directory !== undefined && isKnown(directory) ? directory : undefined;
  const gitDir =
    known !== undefined && it.gitDir && isKnown(it.gitDir) ? resolve(known, it.gitDir) : undefined;
  const { kind, rule, leaves, isUnlisted, argv, operands, config = [] } = it;
  return {
    verdict: 'boundary',
    kind,
    rule,
    leaves,
    config,
    ...(isUnlisted ? { isUnlisted } : {}),
    argv: argv.map(toWord),
    operands: operands.map(toWord),
    directory: known,
    before: [...ran],
    path: [...frame.path, rule],
    ...hookBypasses(it, frame),
    ...(gitDir === undefined ? {} : { gitDir }),
  };
}

/** Files outside of the project, such as logs in a temporary folder, are no part of what leaves. */
function isInProject(path: string, { cwd, toplevel }: ReadingContext): boolean {
  const root = toplevel(cwd);
  return root === undefined || path.startsWith(`${root}/`);
}
