/**
 * `lanehold feature verify cart && git push`: the gate judges before anything runs, so a verification in
 * the same command counts if it certainly comes first, is done by this very program, covers all that is
 * held, and nothing after it can change the content.
 */
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isSameFile, onPath } from '../base/files/executable.ts';
import { programFile } from '../base/files/package.ts';
import { gitCommand } from '../base/git/command-line.ts';
import { projectPlace } from '../base/git/project.ts';
import { snapshotOf } from '../base/git/repository-snapshot.ts';
import { type Word, words } from '../base/text/options.ts';
import { enumerated, printableLine } from '../base/text/printable.ts';
import { redact } from '../base/text/redact/redact.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import type { Boundary, Preceding } from '../commands/finding.ts';
import type { Subject } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { andList, type ListedCommand } from './and-list.ts';
import { committingCommand, earlierEdit, editingCommand } from './git/earlier-commands.ts';
import { type HeldFeature, type Hold, isHere } from './hold.ts';

interface HeldCommand {
  readonly command: string;
  readonly boundary: Boundary;
  readonly hold: Hold;
  readonly workspace: Workspace;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
}

/** `true` if what is held is verified before it leaves; a text says why a verification does not count. */
export async function verifiesFirst(held: HeldCommand): Promise<boolean | string> {
  const { command, boundary, hold, workspace } = held;
  const first = boundary.before.findIndex(({ argv }) => isVerification(argv));
  if (first === -1) return false;
  const list = andList(command);
  if (list === undefined) return NOT_JOINED;
  const verifications = verificationsIn(list, held);
  if (typeof verifications === 'string') return verifications;
  const changing = changingAround(held, first);
  if (changing !== undefined) return `\`${printableLine(changing, 40)}\` may change the content`;
  if (verifications.some((it) => projectPlace(it.directory).root !== workspace.place.root)) {
    return 'it verifies another project';
  }
  if (hold.uncovered.length > 0) return 'files of no feature leave, too';
  return (await shortfall(verifications, held)) ?? true;
}

/** Why a held feature would stay unverified. Features are compared by fingerprint, which covers their definition. */
async function shortfall(
  verifications: readonly CommandedVerification[],
  { hold, workspace, boundary, now }: HeldCommand,
): Promise<string | undefined> {
  const { selectFeatures } = await import('./pending.ts');
  const selected = verifications.map(async ({ names, revision }) => {
    const subject = await subjectOf(revision, { hold, workspace, boundary });
    const which = names.length === 0 ? 'pending' : names;
    return subject === undefined ? [] : selectFeatures(workspace, subject, which, now());
  });
  const verified = (await Promise.all(selected)).flat();
  const of = (held: HeldFeature) => verified.filter((it) => it.fingerprint === held.fingerprint);
  const isLeft = (held: HeldFeature) =>
    of(held).every(({ subject }) => subject.kind === 'worktree' && held.beside.length > 0);
  const missing = hold.features.find(isLeft);
  if (missing === undefined) return undefined;
  const { name, beside } = missing;
  if (of(missing).length > 0) return `it tests ${name} beside ${enumerated(beside, 3)}`;
  const isMeant =
    verifications.some(({ names }) => names.includes(name)) ||
    verified.some(({ feature }) => feature.name === name);
  return isMeant ? `what leaves of ${name} is not what it verifies` : `it leaves out ${name}`;
}

/** The tree that a verification looks at; `undefined` if it is no commit that leaves. */
async function subjectOf(
  revision: string | undefined,
  { hold: { features }, workspace, boundary }: Pick<HeldCommand, 'hold' | 'workspace' | 'boundary'>,
): Promise<Subject | undefined> {
  if (revision === undefined) return { kind: 'worktree' };
  if (revision === 'HEAD') {
    const made = features.find(({ subject }) => subject.kind === 'commit');
    // It is the commit that is made before, or the one that is checked out.
    if (made !== undefined || committingCommand(boundary.before)) return made?.subject;
    const oid = (await snapshotOf(workspace.git).refs()).head;
    return oid === undefined ? undefined : { kind: 'revision', oid };
  }
  return features.find(
    ({ subject }) =>
      subject.kind === 'revision' && revision.length >= 7 && subject.oid.startsWith(revision),
  )?.subject;
}

/**
 * The command that may make the verified content differ from the content that leaves. If a commit is pushed, the
 * working tree may not be edited before the verification either, which would then test files that are not committed.
 */
function changingAround(
  { boundary: { before, leaves } }: HeldCommand,
  first: number,
): string | undefined {
  const isOther = ({ argv }: Preceding) => !isVerification(argv);
  const after = before.slice(first).filter(isOther);
  // Files that a build writes before a publish count neither with nor without a verification.
  if (leaves === 'worktree') return earlierEdit(after);
  return editingCommand(before.slice(0, first).filter(isOther)) ?? committingCommand(after);
}

/**
 * The same command with the verification before what leaves; `undefined` if that would not be enough.
 *
 * @param verify the command that verifies all that is held, at a commit if it is not in the working tree.
 */
export function withVerification(held: HeldCommand, verify: string): string | undefined {
  const { hold, boundary, cwd } = held;
  const command = held.command.trim();
  const isEnough = hold.uncovered.length === 0 && isOneTree(hold.features);
  // A secret is never repeated.
  const isPlain = printableLine(command, MAX_COMMAND) === command && redact(command) === command;
  const list = andList(command) ?? [];
  const isFirst = !boundary.before.some(({ argv }) => isVerification(argv));
  const leaving = isEnough && isPlain && isFirst ? placeOf(boundary, list, cwd) : undefined;
  if (leaving === undefined) return undefined;
  const { root } = held.workspace.place;
  const { directory } = leaving;
  const isIn = directory !== undefined && projectPlace(directory).root === root;
  if (!isIn && !gitCommand(boundary.argv)?.directories.length) return undefined;
  const there = directory === undefined ? root : relative(directory, root);
  const verification = isIn ? verify : `${verify} --project ${shellWord(there)}`;
  // A command that edits files has to come after the verification.
  const edits = editingCommand(boundary.before) !== undefined;
  if (edits && (directory !== cwd || committingCommand(boundary.before))) return undefined;
  const at = edits ? 0 : leaving.start;
  return `${command.slice(0, at)}${verification} && ${command.slice(at)}`;
}

/** True if one verification can cover them: in the working tree, or at one commit. */
function isOneTree(features: Hold['features']): boolean {
  if (features.every(isHere) || features.every(({ subject }) => subject.kind === 'commit'))
    return true;
  const oids = features.map(({ subject }) =>
    subject.kind === 'revision' ? subject.oid : undefined,
  );
  return oids[0] !== undefined && new Set(oids).size === 1;
}

/** The index of the boundary in the list, and the folder in which its program starts, if that is known. */
function placeOf(boundary: Boundary, list: readonly ListedCommand[], cwd: string) {
  const { argv, before } = boundary;
  const index = list.findIndex(isAs(argv));
  const isElsewhere = gitCommand(argv)?.directories.length;
  const directory = isElsewhere ? (before.length > 0 ? undefined : cwd) : boundary.directory;
  const start = index > plainPart(list).length ? undefined : list[index]?.start;
  return start === undefined ? undefined : { directory, start };
}

const isAs =
  (argv: readonly Word[]) =>
  (it: { readonly argv: readonly Word[] | undefined }): boolean =>
    it.argv?.join('\0') === argv.join('\0');

/** The commands before the first that may change what the words of later ones mean. */
function plainPart(list: readonly ListedCommand[]): readonly ListedCommand[] {
  const at = list.findIndex(({ program, piped }) => {
    // Not all shells give each part of a pipeline a folder of its own.
    return program === undefined || CHANGES_SHELL.has(program) || (piped && program === 'cd');
  });
  return at === -1 ? list : list.slice(0, at);
}

const MAX_COMMAND = 300;
const NOT_JOINED = 'join it to what follows by `&&` alone';

interface CommandedVerification {
  /** The names; none of them stands for all that is pending. */
  readonly names: readonly string[];
  /** The revision that it verifies instead of the working tree. */
  readonly revision: string | undefined;
  readonly directory: string;
}

/** Commands of the shell that may change what a later command of the list does. */
const CHANGES_SHELL = words(
  '. alias builtin command declare enable eval exec export hash local popd pushd readonly set shopt ' +
    'source trap typeset unalias unset',
);

function verificationsIn(
  list: readonly ListedCommand[],
  { boundary, env }: Pick<HeldCommand, 'boundary' | 'env'>,
): CommandedVerification[] | string {
  const found: CommandedVerification[] = [];
  const plain = plainPart(list);
  for (const { argv, piped } of plain) {
    const directory = argv && boundary.before.find(isAs(argv))?.directory;
    const verification = directory && verificationOf(argv, directory, env);
    if (!verification) continue;
    if (typeof verification === 'string') return verification;
    if (piped) return NOT_JOINED;
    found.push(verification);
  }
  if (found.length > 0) return found;
  return plain.length < list.length
    ? 'what is before it may change which program runs, and where'
    : 'write it out as a command of its own';
}

/** True for `lanehold feature verify`, in any way of starting the program. */
function isVerification(argv: readonly Word[]): boolean {
  const at = argv.findIndex((word) => /(?:^|[/\\])lanehold(?:\.js)?$/.test(word ?? ''));
  return at !== -1 && argv.includes('feature') && argv.includes('verify');
}

function verificationOf(
  argv: readonly string[],
  directory: string,
  env: NodeJS.ProcessEnv,
): CommandedVerification | string | undefined {
  if (!isVerification(argv)) return undefined;
  const [file, args] = startedFile(argv, directory, env);
  if (file === undefined || !isSameFile(file, programFile())) {
    return `\`${argv[0]}\` does not start this lanehold`;
  }
  return parsed(args, directory) ?? 'it has options with which it need not verify what leaves';
}

/** `undefined` if the call may not verify, or verifies something else. */
function parsed(args: readonly string[], directory: string): CommandedVerification | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: OPTIONS,
    });
    const [feature, verify, ...names] = positionals;
    const { pending = false, at: revision, project = '.' } = values;
    const isPlain =
      feature === 'feature' &&
      verify === 'verify' &&
      pending !== names.length > 0 &&
      !(pending && revision);
    return isPlain ? { names, revision, directory: resolve(directory, project) } : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The known options; `parseArgs` refuses any other. */
const OPTIONS = {
  at: { type: 'string' },
  json: { type: 'boolean' },
  pending: { type: 'boolean' },
  project: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
  verbose: { type: 'boolean' },
} as const;

/** The file that the program runs, and its arguments. */
function startedFile(
  [program = '', ...args]: readonly string[],
  directory: string,
  env: NodeJS.ProcessEnv,
): readonly [file: string | undefined, args: readonly string[]] {
  if (/^lanehold(?:\.js)?$/.test(basename(program))) return [fileOf(program, directory, env), args];
  const [next = '', ...rest] = args;
  if (basename(program) === 'node') {
    const node = fileOf(program, directory, env);
    const isNode = node !== undefined && (program === 'node' || isSameFile(node, process.execPath));
    return [isNode ? resolve(directory, next) : undefined, rest];
  }
  const at = args.indexOf('lanehold');
  const runner = [program, ...args.slice(0, at)].join(' ');
  if (!LOCAL_RUNNERS.test(runner)) return [undefined, []];
  return [fileOf('lanehold', directory, localPrograms(directory)), args.slice(at + 1)];
}

/** Runners of a package's program with its options; `npm exec` takes options for itself unless `--` comes first. */
const LOCAL_RUNNERS =
  /^(?:npx(?: --?(?:no|no-install|yes|y))?|bunx|pnpm(?: exec)?|yarn(?: exec| run)?|npm exec --)$/;

function fileOf(program: string, directory: string, env: NodeJS.ProcessEnv): string | undefined {
  return program.includes('/') ? resolve(directory, program) : onPath(program, env);
}

/** An environment that finds the programs of packages that are installed here, or above. */
function localPrograms(directory: string): NodeJS.ProcessEnv {
  const folders = [directory];
  for (let at = directory; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return { PATH: folders.map((it) => join(it, 'node_modules/.bin')).join(delimiter) };
}
