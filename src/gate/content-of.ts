/**
 * The project whose content a repository without features of its own has: the project around it, or the one from which
 * the same command fills it. What the repository sends was built there, or copied from there.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import { isInside } from '../base/files/inside.ts';
import { startOfFile } from '../base/files/plain-file.ts';
import { realPath } from '../base/files/real-path.ts';
import { plainAddress } from '../base/git/address.ts';
import { folderWithin, gitCommand, subcommandUse } from '../base/git/command-line.ts';
import type { Git, GitMaker } from '../base/git/git.ts';
import { readRefs } from '../base/git/known-refs.ts';
import { isNoProject, type ProjectPlace, projectPlace } from '../base/git/project.ts';
import { submodulesOf } from '../base/git/project-files.ts';
import { addressesOf } from '../base/git/remotes.ts';
import { type Word, words } from '../base/text/options.ts';
import { printableLine } from '../base/text/printable.ts';
import type { Preceding } from '../commands/finding.ts';
import { knownProgram } from '../commands/known-programs.ts';
import type { Comparison } from '../features/comparison.ts';
import { hasFeaturesHere } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import type { Store } from '../store/open.ts';
import { areUnrelated, EVERYTHING, ordinaryComparison, withOrigin } from './compare.ts';
import { CannotTellError } from './errors.ts';
import { earlierEdit, movingCommand } from './git/earlier-commands.ts';

/** A repository whose content is that of a project. */
export interface ProjectContent {
  readonly project: ProjectPlace;
  /** Its folder, absolute. */
  readonly folder: string;
  /** Files and folders of the project that are copied into it, absolute. */
  readonly sources: readonly string[];
  /** It is a working tree of the project, with a branch that has no history in common with the rest. */
  readonly isWorktree: boolean;
}

interface Pushed {
  /** The repository, or the place where the command makes it. */
  readonly place: ProjectPlace;
  readonly made?: MadeRepository | undefined;
  /** The commands that run before it in the same text; git's own hook does not learn them. */
  readonly before: readonly Preceding[];
}

interface Asker {
  readonly env: NodeJS.ProcessEnv;
  readonly gitIn: GitMaker;
  /** The store, or `undefined` if there is no database yet. */
  readonly store: Store | undefined;
}

export async function contentOf(pushed: Pushed, asker: Asker): Promise<ProjectContent | undefined> {
  const { place, made, before } = pushed;
  const around = made === undefined ? projectPlace(dirname(place.root)) : place;
  const ranIn = before.map(({ directory }) => attempt(() => projectPlace(directory ?? '\0')));
  const main = made === undefined ? mainWorktree(place) : undefined;
  const projects = new Map([...ranIn, around, main].map((it) => [it?.root, it]));
  for (const project of projects.values()) {
    const isAround = project === main || project?.root === around.root;
    if (project === undefined || (project.root === place.root && made === undefined)) continue;
    const taken = sourcesIn(before, project.root, made?.folder ?? place.root);
    const mayBe = isAround || taken !== undefined;
    const content = mayBe ? await contentFrom(project, taken, pushed, asker) : undefined;
    if (content !== undefined) return content;
  }
  return undefined;
}

/** The main working tree of a repository, to which others are linked. */
function mainWorktree({ identity, gitDir }: ProjectPlace): ProjectPlace | undefined {
  const isLinked = gitDir !== identity && basename(identity) === '.git';
  return isLinked ? attempt(() => projectPlace(dirname(identity))) : undefined;
}

/** @param taken the files that the same command takes from the project. */
async function contentFrom(
  project: ProjectPlace,
  taken: readonly string[] | undefined,
  pushed: Pushed,
  asker: Asker,
): Promise<ProjectContent | undefined> {
  if (isNoProject(project, asker.env.HOME) || !hasFeaturesHere(project, asker.store))
    return undefined;
  const { place, made } = pushed;
  const isWorktree = made === undefined && project.identity === place.identity;
  const folder = made?.folder ?? place.root;
  const content = { project, folder, sources: taken ?? [folder], isWorktree };
  const isOther = isWorktree
    ? !(await isUnrelated(place, project, asker))
    : await isOwn(pushed, content, taken !== undefined, asker);
  return isOther ? undefined : content;
}

/** A repository that an earlier command makes. */
interface MadeRepository {
  readonly folder: string;
  /** The addresses that it is cloned from, `undefined` for an unknown one. */
  readonly cloned: readonly Word[];
}

/** The repository, below the root or in a folder without git, in which the boundary will run. */
export function repositoryMade(
  { root, kind }: ProjectPlace,
  directory: string,
  before: readonly Preceding[],
): MadeRepository | undefined {
  return before
    .flatMap((it) => madeBy(it) ?? [])
    .filter(({ folder }) => (kind === 'folder' ? isIn : isInside)(root, folder))
    .findLast(({ folder }) => isIn(folder, directory));
}

/** What `git init`, `git clone` and `git worktree add` make, as far as their words say. */
function madeBy({ argv, directory }: Preceding): MadeRepository | undefined {
  const { subcommand = '', words: given = [], directories = [] } = gitCommand(argv) ?? {};
  if (!/^(?:init|clone|worktree)$/.test(subcommand)) return undefined;
  const { operands } = subcommandUse(subcommand, given);
  const [first, second] = operands;
  if (subcommand === 'worktree' && first !== 'add') return undefined;
  const named = subcommand === 'init' ? (first ?? '.') : (second ?? first?.replace(IN_ADDRESS, ''));
  const folder = folderWithin(directory, [...directories, named]);
  return folder ? { folder, cloned: subcommand === 'clone' ? [first] : [] } : undefined;
}

/** The parts of an address around the name of the repository. */
const IN_ADDRESS = /^.*[/:](?=.*[^/])|\/?(?:\.git)?\/?$/g;

const isIn = (folder: string, path: string): boolean => folder === path || isInside(folder, path);

/** Programs that bring no content into a folder that they are given. */
const BRINGS_NOTHING = words('mkdir rm rmdir touch chmod chown find test [ source . git');

/**
 * The files of a project that earlier commands take into a folder: those that they name, or all if
 * they name none; `undefined` if nothing is taken.
 */
function sourcesIn(before: readonly Preceding[], root: string, folder: string) {
  const ofProject = (path: string) => isIn(root, path) && !isIn(folder, path);
  const taken = before.flatMap(({ argv, directory }) => {
    const [program = ''] = argv;
    const isQuiet = knownProgram(basename(program))?.readsOnly || BRINGS_NOTHING.has(program);
    if (directory === undefined || (isQuiet && gitCommand(argv)?.elsewhere !== true)) return [];
    const paths = argv.slice(1).flatMap((word) => pathIn(word, directory));
    const touched = [directory, ...paths];
    if (!touched.some((it) => isIn(folder, it)) || !touched.some(ofProject)) return [];
    const named = paths.filter((it) => it !== root && ofProject(it) && existsSync(it));
    return named.length === 0 ? [root] : named;
  });
  return taken.length === 0 ? undefined : taken;
}

/** The path that a word may name, up to its first wildcard: `dist/*`, `--work-tree=dist`. */
function pathIn(word: Word, directory: string): string | [] {
  const [, text = ''] = /^(?:--?[\w-]+=)?([^*?[]*)/.exec(word ?? '') ?? [];
  return text === '' || text.startsWith('-') ? [] : realPath(resolve(directory, text));
}

/** Whether a repository is a project of its own although nothing is held in it. */
async function isOwn(
  { place, made }: Pushed,
  { project, folder }: ProjectContent,
  isFilled: boolean,
  asker: Asker,
): Promise<boolean> {
  if (made === undefined && hasFeaturesHere(place, asker.store)) return true;
  const cloned = made?.cloned.map((it) => it && plainAddress(it, place.root));
  const [its, theirs] = await Promise.all([
    cloned ?? remotesOf(place, asker),
    remotesOf(project, asker),
  ]);
  const isForeign = its.length > 0 && its.every((it) => it !== undefined && !theirs.includes(it));
  if (!isForeign) return false;
  const isSubmodule = submodulesOf(project.root).includes(relative(project.root, folder));
  return isSubmodule || (!isFilled && (made !== undefined || wasCloned(place)));
}

async function remotesOf({ root, kind }: ProjectPlace, { gitIn, env }: Asker) {
  if (kind === 'folder') return [];
  const refs = await readRefs(gitIn(root, env), []);
  return refs.remotes.flatMap((name) => addressesOf(refs, name, 'push'));
}

/** True if the history began elsewhere. If the log has been shortened, the HEAD of a remote tells. */
function wasCloned({ identity }: ProjectPlace): boolean {
  const [first = ''] = `${startOfFile(join(identity, 'logs/HEAD'), 1_000)}`.split('\n', 1);
  if (/\t(?:clone: from|commit \(initial\))/.test(first)) return /\tclone: from/.test(first);
  return existsSync(join(identity, 'refs/remotes/origin/HEAD'));
}

/** Whether the commits that two working trees of a project have checked out have no history in common. */
async function isUnrelated(place: ProjectPlace, around: ProjectPlace, { gitIn, env }: Asker) {
  const git = gitIn(place.root, env);
  const trees = [git, gitIn(around.root, env)].map((it) => readRefs(it, []));
  const [its, theirs] = (await Promise.all(trees)).map(({ head }) => head);
  return its === undefined || theirs === undefined || areUnrelated(git, its, theirs);
}

/**
 * Compares the working tree of the project with what others have of it. Only features with files among those that are
 * taken count, unless one of these files is not tracked, and so was built from others.
 */
export async function contentComparisons(
  { project, sources, isWorktree }: ProjectContent,
  before: readonly Preceding[],
  { git }: Pick<Workspace, 'git'>,
  own: () => Promise<Comparison[]>,
): Promise<Comparison[]> {
  const changing = movingCommand(before) ?? earlierEdit(before);
  if (changing !== undefined) {
    const what = `\`${changing}\` in the same command may change what is sent`;
    throw new CannotTellError(what, 'run it in a command of its own first', 'place');
  }
  if (git === undefined) return [EVERYTHING];
  const paths = sources.map((it) => relative(project.root, it));
  const [comparison, within] = await Promise.all([
    ordinaryComparison(git, { kind: 'worktree' }),
    ifTracked(paths, git),
  ]);
  // Other branches may leave as well. A commit that is not made yet has the content that is built.
  const others = isWorktree ? await withOrigin(await own(), git, await readRefs(git, [])) : [];
  return [...others.filter((it) => it.subject.kind === 'revision'), { ...comparison, within }];
}

async function ifTracked(paths: readonly string[], git: Git) {
  const named = paths.map((it) => `:(top,literal)${it}`);
  const all = ['ls-files', '-t', '--cached', '--others', '--directory', '-z', '--', ...named];
  const listed = await git.text(all);
  return listed !== '' && !/^\? /m.test(listed.replaceAll('\0', '\n')) ? paths : undefined;
}

/** A clause that follows the name of the boundary. */
export const contentText = ({ project: { root } }: ProjectContent): string =>
  `, which sends content of ${printableLine(basename(root), 40)}`;

/** The earlier commands that may change the project, and not only the repository that has its content. */
export function aroundContent(before: readonly Preceding[], { folder }: ProjectContent) {
  return before.filter((it) => {
    const { argv, directory = '/' } = it;
    const at = folderWithin(directory, gitCommand(argv)?.directories ?? []) ?? '/';
    if (gitCommand(argv)) return madeBy(it) === undefined && !isIn(folder, at);
    const paths = argv.slice(1).flatMap((word) => pathIn(word, at));
    const written = COPIES.has(basename(argv[0] ?? '')) ? paths.slice(-1) : paths;
    return !(written.length === 0 ? [at] : written).every((path) => isIn(folder, path));
  });
}

/** Programs that change nothing but their last operand. */
const COPIES = words('cp install ln rsync');
