/** Makes the tree in which smoke tests run: the working tree, or a checkout of the content. */
import { lstatSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { actorOf } from '../../agents/actor.ts';
import type { SmokeTest } from '../../base/config/feature.ts';
import { privateFolder } from '../../base/files/home.ts';
import { isInside } from '../../base/files/inside.ts';
import { withSnapshotCommit } from '../../base/git/checked-out.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { blobsAt, splitNul } from '../../base/git/paths.ts';
import { projectPlace } from '../../base/git/project.ts';
import { commitOfHead } from '../../base/git/refs.ts';
import { cleanEnvironment } from '../../base/process/clean-environment.ts';
import { parentEnvironments } from '../../base/process/parents.ts';
import { SetupRefusedError, withCheckout } from '../../checkout/checkout.ts';
import { findSetups, type Setup } from '../../checkout/find-setups.ts';
import { SetupFailedError } from '../../checkout/setup.ts';
import { recognise } from '../../commands/recognise.ts';
import type { Assessed } from '../../features/assess.ts';
import { type Subject, subjectRegistry } from '../../features/comparison.ts';
import { type CouldNotRun, outputName, type VerificationCheckout } from '../../features/verify.ts';
import type { Workspace } from '../../features/workspace.ts';
import { readingContext } from '../../moments/lifecycle/reading-context.ts';
import type { AppContext } from '../context.ts';

export interface TestedContent {
  readonly workspace: Workspace;
  readonly subject: Subject;
  readonly items: readonly Assessed[];
}

export const NAME_SETUP =
  'a checkout has no links that git does not track; what makes it ready is named in lanehold.json, for example `"verify": { "setup": "npm ci" }`';

type NotStarted = CouldNotRun | { readonly result: 'interrupted' };

/** Calls `work` with a tree of the content, or returns why there is none. */
export async function withTestedContent<T>(
  context: AppContext,
  content: TestedContent,
  { signal, onStep }: { readonly signal: AbortSignal; readonly onStep: (what: string) => void },
  work: (checkout: VerificationCheckout) => Promise<T>,
): Promise<T | NotStarted> {
  const { workspace, subject, items } = content;
  const { git, store, place } = workspace;
  const env = await testEnvironment(context, content);
  const head = (git && (await commitOfHead(git))) ?? null;
  const revision = subject.kind === 'revision' ? subject.oid : head;
  const inPlace = (): Promise<T> => work({ workspace, tree: workspace, revision, env });
  if (git === undefined) return inPlace();

  const { now } = context;
  const tests = items.flatMap(({ feature }) => feature.smoke);
  const logFile = join(privateFolder(store.home.runs), outputName('setup', now()));
  const checkedOut = async (oid: string): Promise<T | NotStarted> => {
    const { verify: settings } = await subjectRegistry(workspace, subject);
    const cache = {
      folder: join(store.home.root, 'cache', 'setup'),
      locks: join(store.home.root, 'locks'),
      project: place.identity,
    };
    const wish = { oid, from: place.root, settings, cache, logFile, env, signal, now, onStep };
    // A linked working tree often has no dependencies of its own.
    const main = basename(place.identity) === '.git' ? [dirname(place.identity)] : [];
    const installedIn = [...new Set([place.root, ...main])];
    const refusal = ({ command = '', cwd }: Setup, root: string) =>
      releaseBy({ command, cwd }, root, env, 'setup command');
    const folders = (root: string) => tests.flatMap((test) => foldersOf(test, root));
    try {
      const done = await withCheckout(
        { ...wish, installedIn, folders, refusal },
        async ({ root, env: moved }) => {
          const tree = { ...workspace, place: projectPlace(root), git: gitIn(root, env) };
          return { value: await work({ workspace, tree, revision, env: moved }) };
        },
      );
      return done === 'interrupted' ? { result: 'interrupted' } : done.value;
    } catch (error) {
      if (error instanceof SetupRefusedError) {
        const facts = { because: 'releases', why: error.message, outputFile: null } as const;
        return { result: 'could-not-run', ...facts };
      }
      if (!(error instanceof SetupFailedError)) throw error;
      const { message: why, failure } = error;
      const hint = `correct what it says, or ${NAME_SETUP}`;
      const facts = { because: 'setup-failed', why, hint, failure, outputFile: logFile } as const;
      return { result: 'could-not-run', ...facts };
    }
  };
  if (subject.kind === 'revision') return checkedOut(subject.oid);
  const entries = (await Promise.all(items.map((it) => it.entries()))).flat();
  return withSnapshotCommit({ root: place.root, head, entries, env: context.env }, (oid) =>
    oid === undefined ? inPlace() : checkedOut(oid),
  );
}

async function testEnvironment(
  context: AppContext,
  { workspace: { git, place }, subject }: TestedContent,
): Promise<NodeJS.ProcessEnv> {
  // A staged file is not committed yet, so it does not count.
  const revision = subject.kind === 'revision' ? subject.oid : 'HEAD';
  const [npmrc] = git === undefined ? [] : await blobsAt(git, [`${revision}:.npmrc`]);
  const { env, leftOut } = cleanEnvironment(context.env, {
    root: place.root,
    before: beforeThisCommand(context.env),
    scriptShell: /^\s*script-shell\s*=\s*"?(.+?)"?\s*$/m.exec(npmrc ?? '')?.[1],
  });
  for (const it of leftOut)
    context.progress(`left out of ${it} (it was put there for this command)`);
  return env;
}

/** The environments of the agent before its command; `undefined` for a person's command. */
function beforeThisCommand(env: NodeJS.ProcessEnv): readonly NodeJS.ProcessEnv[] | undefined {
  const isOfAgent = (it: NodeJS.ProcessEnv): boolean => actorOf({ env: it }).agent !== undefined;
  if (!isOfAgent(env)) return undefined;
  const before = parentEnvironments().filter((it) => !isOfAgent(it));
  return before.length === 0 ? undefined : before;
}

function foldersOf({ command, cwd }: SmokeTest, root: string): string[] {
  const named = command
    .split(/[\s=;&|'"()]+/)
    .map((word) => normalize(join(cwd, word)).replace(/\/$/, ''))
    .filter((path) => path !== '.' && !path.startsWith('..'));
  const isFolder = (path: string): boolean =>
    lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return [cwd, ...named.filter(isFolder)];
}

/** Why a smoke test must not run: it would release what it has to prove. */
export function releaseIn(
  test: SmokeTest,
  { tree, env }: VerificationCheckout,
): string | undefined {
  return releaseBy(test, tree.place.root, env, 'smoke test');
}

function releaseBy(
  { command, cwd }: Pick<SmokeTest, 'command' | 'cwd'>,
  root: string,
  env: NodeJS.ProcessEnv,
  what: string,
): string | undefined {
  const findings = recognise(command, readingContext(join(root, cwd), env));
  const release = findings.find(
    (it) =>
      it.verdict === 'boundary' &&
      // An unlisted command only has the name of a release, and may be a test of one.
      it.isUnlisted !== true &&
      // A test may push between repositories that it makes.
      it.directory !== undefined &&
      (it.directory === root || isInside(root, it.directory)),
  );
  if (release === undefined) return undefined;
  return `its ${what} \`${command}\` would release: ${release.path.join(' > ')}`;
}

/** A hint for a missing program: the setup of the folder's lock files. */
export async function howToInstall({ workspace: { git, place }, subject, items }: TestedContent) {
  if (git === undefined) return 'install it, then verify again';
  if (subject.kind === 'revision') return NAME_SETUP;
  const paths = splitNul(await git.text(['ls-files', '-z']));
  const folders = items.flatMap(({ feature }) => feature.smoke.map(({ cwd }) => cwd));
  const setups = findSetups({ root: place.root, paths, folders, installedIn: [] });
  const [setup] = setups.filter(({ command }) => command !== undefined);
  if (setup?.manager === undefined) return 'install it, then verify again';
  const where = setup.cwd === '' ? '' : ` in ${setup.cwd}`;
  return `\`${setup.command}\`${where} installs what ${setup.manager.lock} names; then verify again`;
}
