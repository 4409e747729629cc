/** The context of use cases, and the functions with which most of them begin. */
import { gitIn } from '../base/git/git-in.ts';
import { projectPlace } from '../base/git/project.ts';
import { worktreeRegistry } from '../features/registry.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import type { Store } from '../store/open.ts';

/** The command line, MCP and a web page each make one; a use case prints nothing by itself. */
export interface AppContext {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute path of the project, or of a folder inside of it. */
  readonly cwd: string;
  readonly now: () => Date;
  /** Opens the store at the first call. @throws {ExplainedError} if it cannot be opened. */
  readonly store: () => Promise<Store>;
  /** The command line that it is for; `undefined` where there is none. */
  readonly invocation?: Invocation | undefined;
  /** Gets a line for a person while something takes long. */
  readonly progress: (line: string) => void;
}

export interface Invocation {
  /** The file that was started. */
  readonly program: string;
  /** The words that were typed after the program's name. */
  readonly words: readonly string[];
  /** The working directory at its start, whatever project it works on. */
  readonly folder: string;
  /** The words of the processes above it, the nearest first. */
  readonly parents: () => readonly (readonly string[])[];
}

export async function openProject({ cwd, env, now, store }: AppContext): Promise<Workspace> {
  const place = projectPlace(cwd);
  return workspaceOn(await store(), place, gitIn(place.root, env), now);
}

/** The same where evidence can come with the repository: it does without a store if there is none. */
export async function openEvidenceProject(context: AppContext): Promise<Workspace> {
  const { openStoreOrNone } = await import('../store/memory.ts');
  return openProject({ ...context, store: () => openStoreOrNone(context.env) });
}

export async function openFeatures(context: AppContext) {
  const workspace = await openProject(context);
  return { workspace, registry: await worktreeRegistry(workspace) };
}
