/**
 * Commands that would lift a hold without verification: lanehold's own that switch it off, an agent
 * started without hooks, and programs that write to the files that holds depend on.
 */

import { basename, dirname, join } from 'node:path';
import { grammarOf, readUse, type Use, words } from '../../base/text/options.ts';
import { rowsByName } from '../by-name.ts';
import { knownProgram } from '../known-programs.ts';
import { localFiles } from '../programs/git-commands.ts';
import type { Argv, Frame } from '../reader.ts';
import { isKnown } from '../shell/unknown.ts';
import { noteWrites } from './guarded-writes.ts';
import { deletesMemory, takesAway } from './takes-away.ts';

interface Writer {
  readonly names: string;
  readonly values?: string;
  readonly only?: RegExp;
  readonly unless?: RegExp;
  /** Files that it fills, changes or replaces. */
  readonly writes?: Operands;
  /** Files and folders that it removes, with everything below them. */
  readonly removes?: Operands;
}

type Operands = (use: Use, frame: Frame) => readonly string[];

const all: Operands = ({ operands }) => operands;
/** The first operand is the expression that is applied to the files that follow. */
const files: Operands = ({ operands, has }) =>
  operands.slice(has('-e', '-f', '--expression', '--file') ? 0 : 1);
const first: Operands = ({ operands }) => operands.slice(0, 1);

/** The paths that a copy may write: the target, or the file's name inside the target. */
const targets: Operands = (use) => {
  const folder = use.value('-t', '--target-directory');
  const sources = folder === undefined ? use.operands.slice(0, -1) : use.operands;
  const target = folder ?? use.operands.at(-1);
  if (target === undefined) return [];
  if (!isKnown(target)) return [target];
  return [target, ...sources.map((it) => join(target, basename(it)))];
};

const sources: Operands = (use) =>
  use.has('-t', '--target-directory') ? use.operands : use.operands.slice(0, -1);

/** Folders that hold hooks or settings. Others do not count: `chmod -R u+w .` removes nothing. */
const ownFolders: Operands = ({ operands }, { reader: { context } }) => {
  const own = (context.agents ?? []).flatMap(({ files }) => files.map(dirname));
  const ends = ['hooks', '.husky', '.lanehold', ...own].map((it) => `/${it}`);
  return operands.filter((it) => ends.some((end) => `/${it}`.replace(/\/$/, '').endsWith(end)));
};

/** The pre-push hook of the clone. In a script of the project it does not count: installing packages may rewrite it. */
const hook: Operands = (_, { state, reader, openScripts }) =>
  state.directories.flatMap((it) => {
    const [config] = it && openScripts.length === 0 ? localFiles(it, reader) : [];
    return config === undefined ? [] : [join(dirname(config), 'hooks/pre-push')];
  });

const writer = (names: string, rest: Omit<Writer, 'names'>): Writer => ({ names, ...rest });

/** Programs that put hooks of their own in the place of others. */
export const HOOK_WRITERS =
  'husky husky-init lefthook simple-git-hooks overcommit captainhook grumphp rusty-hook huskyup';

const WRITERS: readonly Writer[] = [
  writer('rm grm unlink shred srm rmdir trash trash-put rimraf', { removes: all }),
  writer('mv gmv', { values: '-t -S', writes: targets, removes: sources }),
  writer('cp gcp ditto ln gln', { values: '-t -S', writes: targets }),
  writer('install ginstall', { values: '-t -m -o -g -S --mode --owner --group', writes: targets }),
  writer('rsync scp', { values: '-e --rsh --exclude --include -i -P -o', writes: targets }),
  writer('rsync', {
    values: '-e --rsh --exclude --include',
    only: /^--delete/,
    removes: ({ operands }) => operands.slice(-1),
  }),
  writer('tee gtee sponge truncate', { values: '-s --size -r', writes: all }),
  writer('chmod chown chgrp chattr setfacl gchmod', { writes: all, removes: ownFolders }),
  writer('sed gsed', {
    values: '-e -f --expression --file',
    only: /^(?:-[a-zA-Z]*i.*|--in-place.*)$/,
    writes: files,
  }),
  writer('perl ruby', { values: '-e', only: /^-[a-z]*i/, writes: all }),
  writer('yq jq', { only: /^(?:-i|--inplace|--in-place)$/, writes: files }),
  writer('dd', {
    writes: ({ operands }) => operands.flatMap((it) => /^of=(.*)$/s.exec(it)?.[1] ?? []),
  }),
  writer('curl', { values: '-o --output', writes: (use) => use.values('-o', '--output') }),
  writer('wget', {
    values: '-O --output-document',
    writes: (use) => use.values('-O', '--output-document'),
  }),
  writer('ed ex vi vim nvim nano emacs pico micro', { unless: /^-R$/, writes: all }),
  writer('patch', { values: '-i -p -d', writes: all }),
  writer('sqlite3 sqlite litecli', { unless: /^-?-readonly$/, writes: first }),
  writer(HOOK_WRITERS, { unless: /^(?:add|set|run|uninstall|--help|--version)$/, writes: hook }),
  writer('pre-commit prek', { only: /^(?:-f|--overwrite)$/, writes: hook }),
  writer('git', {
    only: /^lfs$/,
    writes: (use, frame) => (use.has('-f', '--force') ? hook(use, frame) : []),
  }),
  writer('git', { only: /^(?:rm|mv|checkout|restore)$/, writes: all, removes: ownFolders }),
];

let writers: ReadonlyMap<string, readonly Writer[]> | undefined;

export function noteTampering(name: string, argv: Argv, frame: Frame): void {
  if (isOwn(name)) noteOwnCommand(argv, frame);
  else noteAgent(name, argv, frame);
  noteResident(argv, frame);
  if (PACKAGE_MANAGERS.has(name)) notePackageRemoval(argv, frame);
  if (frame.reader.context.guarded === undefined) return;
  writers ??= rowsByName(WRITERS);
  for (const writer of writers.get(name) ?? []) noteWriter(writer, argv, frame);
}

function noteWriter(
  { only, unless, values = '', writes, removes }: Writer,
  argv: Argv,
  frame: Frame,
): void {
  if (only !== undefined && !argv.some((it) => only.test(it))) return;
  if (unless !== undefined && argv.some((it) => unless.test(it))) return;
  const use = readUse(argv, 1, grammarOf({ values }));
  if (writes) noteWrites(writes(use, frame), argv, frame);
  if (removes) noteWrites(removes(use, frame), argv, frame, 'tree');
}

function noteOwnCommand(argv: Argv, frame: Frame): void {
  const { operands, has } = ownUse(argv);
  if (has('--help', '-h', '--dry-run')) return;
  for (const [command, what] of OWN_COMMANDS) {
    const [used] = command.exec(operands.join(' ')) ?? [];
    if (used) frame.reader.tampering(what, `lanehold ${used}`, argv, frame);
  }
}

const HOOK_PROGRAM = /(?:^|\/)lanehold-hook(?:-main)?\.cjs$/;

/** Reports a start of the helper process by hand: it answers all hooks, and its starter decides what Node loads. */
function noteResident(argv: Argv, frame: Frame): void {
  const program = argv.findIndex((it) => HOOK_PROGRAM.test(it));
  if (program !== -1 && argv.includes('resident', program))
    frame.reader.tampering('start the process that answers hooks', 'resident', argv, frame);
}

const OWN_COMMANDS: readonly (readonly [command: RegExp, what: string])[] = [
  [/^uninstall(?= |$)/, 'remove lanehold’s hooks from the agent'],
  [/^git-hook (?:remove|uninstall)(?= |$)/, 'remove lanehold’s hook from git'],
  [/^config (?:set|unset)(?= |$)/, 'change the user’s settings for all projects'],
];

const PACKAGE_MANAGERS = words('npm pnpm yarn bun volta');
const REMOVES = words('uninstall un remove rm r unlink');

function notePackageRemoval(argv: Argv, frame: Frame): void {
  const at = argv.findIndex((it) => REMOVES.has(it));
  const own = at === -1 ? undefined : argv.slice(at).find((it) => /^lanehold(?:@|$)/.test(it));
  if (own !== undefined) frame.reader.tampering('remove the program that holds', own, argv, frame);
}

/** Reports an agent that is started so that lanehold does not see what it does. */
function noteUnseenAgent(name: string, argv: Argv, frame: Frame): void {
  if (argv.includes('--help') || argv.includes('--version')) return;
  if ((knownProgram(name)?.startsAgent || lacksHooks(name, frame)) && !LOOKS.has(argv[1] ?? '')) {
    frame.reader.unseen(`\`${name}\` is an agent without these hooks`, argv, frame);
  }
  const agent = agentNamed(name, frame);
  if (agent === undefined) return;
  const { without = [], places = [], folderVariable } = agent;
  const word = argv.slice(1).find((it) => without.includes(it.split('=')[0] ?? ''));
  const variables = [...places, ...(folderVariable ? [folderVariable.name] : []), 'HOME'];
  const where = word ?? variables.find((it) => frame.state.variables.has(it));
  if (where === undefined) return;
  frame.reader.unseen(`\`${name}\` with ${where} starts an agent without these hooks`, argv, frame);
}

const agentNamed = (name: string, { reader }: Frame) =>
  reader.context.agents?.find(({ programs }) => programs?.includes(name));

/** True if the agent's hooks belong into a file of lanehold's own, and no such file exists. */
function lacksHooks(name: string, frame: Frame): boolean {
  const { env, readFile, toplevel, cwd } = frame.reader.context;
  const { files = [], folderVariable } = agentNamed(name, frame) ?? {};
  if (!files.length || !files.every((it) => basename(it).startsWith('lanehold'))) return false;
  const { name: variable = '', folder = '' } = folderVariable ?? {};
  const own = env[variable];
  const paths = files.flatMap((file) => [
    join(toplevel(cwd) ?? cwd, file),
    ...(env.HOME === undefined ? [] : [join(env.HOME, file)]),
    ...(own !== undefined && file.startsWith(`${folder}/`)
      ? [own + file.slice(folder.length)]
      : []),
  ]);
  return paths.every((it) => readFile(it) === undefined);
}

const LOOKS = words(
  'models model list ls login logout auth config configure doctor update upgrade info version help mcp providers keys logs sessions stats completion threads',
);

/** Reports a program that starts an agent through a package made for it. */
export function noteAgentPackages(program: string, frame: Frame): void {
  const packages = frame.reader.context.agents?.flatMap((it) => it.packages ?? []) ?? [];
  const used = packages.find((it) => program.includes(it));
  if (used === undefined || !LOADS.test(program)) return;
  frame.reader.unseen(`the program starts an agent by ${used}`, [], frame);
}

const LOADS = /\b(?:import|require|from)\b/;

function noteAgent(name: string, argv: Argv, frame: Frame): void {
  noteUnseenAgent(name, argv, frame);
  const agent = agentNamed(name, frame);
  if (agent === undefined) return;
  const { flags = [], settings = [], variables = [] } = agent;
  const text = (variable: string) => frame.state.variables.get(variable)?.[0]?.[0] ?? '';
  const settingIn = (word: string) => settings.find((it) => word.includes(it));
  const isFlag = (it: string, at: number) =>
    flags.includes(it) || flags.includes(`${argv[at - 1]} ${it}`);
  const off = argv.find((it, at) => isFlag(it, at) || settingIn(it) !== undefined);
  const given = off !== undefined && !isKnown(off) ? settingIn(off) : off;
  const where = off === undefined ? variables.find((it) => text(it) !== '') : given;
  if (where === undefined) return;
  frame.reader.tampering('start an agent without hooks', where, argv, frame);
}

/** True for lanehold's own commands that lift a hold although no test has run. */
export function isWaiver(name: string, argv: Argv): boolean {
  if (!isOwn(name)) return false;
  if (deletesMemory(argv.slice(1))) return true;
  const { operands, has } = ownUse(argv);
  const [group, verb] = operands;
  if (group === 'orchestrate') return verb === 'integrate' && has('--accept');
  if (group !== 'feature' || has('--help', '-h')) return false;
  if (verb === 'verify') return has('--attest');
  return verb === 'waive' || takesAway(argv.slice(argv.indexOf('feature') + 1));
}

const ownUse = (argv: Argv): Use => readUse(argv, 1, grammarOf({ values: '--project' }));

const isOwn = (name: string): boolean => name === 'lanehold' || name === 'lanehold.js';
