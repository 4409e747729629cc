/** Adds, removes and shares features, within the rights of the editor. */
import {
  DEFAULT_SMOKE_TIMEOUT_MS,
  type Feature,
  normalFolder,
  type SmokeTest,
} from '../../base/config/feature.ts';
import { UsageError } from '../../base/errors.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { loadTree, lookAt } from '../../features/comparison.ts';
import { UnknownFeatureError } from '../../features/fingerprint.ts';
import { coverage, filesOf } from '../../features/match.ts';
import { type ProjectRegistry, registryText, worktreeRegistry } from '../../features/registry.ts';
import {
  dropFeature,
  type Editor,
  FeatureHeldError,
  forgetLocal,
  putFeature,
  writeRegistryFile,
} from '../../features/store-feature.ts';
import type { Workspace } from '../../features/workspace.ts';
import { guardedAmong } from '../../gate/pending.ts';
import { agentOf, wasAsked } from '../agreement.ts';
import { type AppContext, openFeatures } from '../context.ts';
import { defined, given } from '../values.ts';

/** The fields of a feature to set; missing ones stay, or get their default. */
export interface FeatureWish {
  readonly files?: readonly string[] | undefined;
  /** The feature has no globs, but every file that counts and belongs to no other feature. */
  readonly rest?: boolean | undefined;
  readonly smoke?: readonly string[] | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly cwd?: string | undefined;
  readonly shared?: boolean | undefined;
  /** Replace an existing feature, which is an error otherwise. */
  readonly replace?: boolean | undefined;
}

export type AddedFeature = Awaited<ReturnType<typeof addFeature>>;

/** Adds a feature. The result has the patterns that match no file; `meant` is one for the files of a named folder. */
export async function addFeature(context: AppContext, name: string, wish: FeatureWish) {
  const { workspace, registry } = await openFeatures(context);
  const before = registry.features.get(name);
  const feature = definition(name, before, wish);
  const shared = wish.shared ?? (before !== undefined && !registry.local.has(name));
  const rests = [...registry.features.values()].flatMap((it) => (it.rest ? it.name : []));
  const names = before === undefined ? rests : [name, ...rests];
  await asAgreed(context, await editorOf(context, workspace, names), (editor) =>
    putFeature(workspace, registry, { feature, shared }, editor),
  );
  const stored = (await worktreeRegistry(workspace)).features.get(name) ?? feature;
  const part = { paths: filesOf(stored).bases, smoke: [] };
  const tree = await loadTree(lookAt(workspace), WORKTREE, part);
  const paths = tree.map(({ path }) => path);
  const { byFeature, unmatched } = coverage([stored], paths);
  return {
    feature,
    shared,
    files: byFeature[0]?.files ?? 0,
    unmatched: unmatched.map(({ pattern }) => {
      const isFolder = paths.some((path) => isWithin(pattern, path));
      return { pattern, ...(isFolder && { meant: `${pattern}/**` }) };
    }),
    replaced: before !== undefined,
  };
}

async function editorOf(
  context: AppContext,
  workspace: Workspace,
  names: readonly string[],
): Promise<Editor> {
  const now = context.now();
  const by = agentOf(context) === undefined ? 'person' : 'agent';
  return { by, now, guarded: await guardedAmong(workspace, names, by, now) };
}

/**
 * Edits the registry. A guarded feature can only be changed if a person was asked about exactly this command; its
 * content may then leave as with a waiver, since its tests no longer run.
 *
 * @throws {FeatureHeldError}
 */
async function asAgreed<T>(
  context: AppContext,
  editor: Editor,
  edit: (editor: Editor) => Promise<T>,
): Promise<T> {
  try {
    return await edit(editor);
  } catch (error) {
    if (!(error instanceof FeatureHeldError) || editor.by === 'person') throw error;
    const { recordWaiver } = await import('./verification.ts');
    if (!(await wasAsked(context))) throw error;
    await recordWaiver(context, error.feature, 'a person agreed to the change of its definition');
    return edit({ ...editor, guarded: new Set() });
  }
}

const WORKTREE = { kind: 'worktree' } as const;

function definition(name: string, before: Feature | undefined, wish: FeatureWish): Feature {
  if (before !== undefined && !wish.replace) {
    throw new UsageError(`there is a feature named \`${name}\` already`, {
      hint: 'add `--replace` to change it',
    });
  }
  const rest = wish.rest ?? (wish.files === undefined && before?.rest === true);
  const files = rest ? [] : (wish.files ?? before?.files);
  if (files === undefined || (rest && wish.files !== undefined)) {
    const fact = rest ? 'either patterns of files or the rest' : 'at least one pattern of files';
    throw new UsageError(`a feature needs ${fact}`, {
      hint: `lanehold feature add ${name} --files 'src/${name}/**' --smoke 'npm test'`,
    });
  }
  return {
    name,
    files,
    ...(rest && { rest }),
    smoke: smokeTests(before?.smoke ?? [], wish),
    dependsOn: wish.dependsOn ?? before?.dependsOn ?? [],
    description: wish.description ?? before?.description ?? '',
  };
}

/** The earlier tests with the given changes; a new command gets the folder and the limit of the first. */
function smokeTests(before: readonly SmokeTest[], wish: FeatureWish): readonly SmokeTest[] {
  const changed = defined({ cwd: given(normalFolder, wish.cwd), timeoutMs: wish.timeoutMs });
  if (wish.smoke === undefined) return before.map((test) => ({ ...test, ...changed }));
  const { cwd: folder = '', timeoutMs: limit = DEFAULT_SMOKE_TIMEOUT_MS } = before[0] ?? {};
  const kept = { cwd: folder, timeoutMs: limit };
  return wish.smoke.map((command) => ({ ...kept, ...changed, command }));
}

/** @throws {FeatureHeldError} if others or a person rely on it and it is not verified. */
export async function removeFeature(context: AppContext, name: string) {
  const { workspace, registry } = await openFeatures(context);
  const editor = await editorOf(context, workspace, [name]);
  const origin = await asAgreed(context, editor, (allowed) =>
    dropFeature(workspace, registry, name, allowed),
  );
  return { removed: name, origin };
}

export type SharedFeatures = Awaited<ReturnType<typeof shareFeatures>>;

/** Moves features of this machine into lanehold.json, and guards `npm publish` if requested. */
export async function shareFeatures(
  context: AppContext,
  names: readonly string[],
  { publishGuard }: { readonly publishGuard: boolean },
) {
  const { workspace, registry } = await openFeatures(context);
  const agent = agentOf(context);
  // An agent could remove it from the file: a feature that a person has added also stays on this machine.
  const isMoved = (name: string) => agent === undefined || registry.byAgent.has(name);
  if (names.length > 0) await moveToFile(workspace, registry, names, isMoved);
  if (!publishGuard) return { shared: names, publishGuard: null };
  const { guardPublish } = await import('../../install/publish-guard.ts');
  return { shared: names, publishGuard: await guardPublish(workspace.place.root) };
}

async function moveToFile(
  workspace: Workspace,
  { features, local }: ProjectRegistry,
  names: readonly string[],
  isMoved: (name: string) => boolean,
): Promise<void> {
  const { setFeature } = await import('../../base/config/files.ts');
  let text = registryText(workspace.place);
  for (const name of names) {
    const feature = features.get(name);
    if (feature === undefined) throw new UnknownFeatureError(name, [...features.keys()]);
    if (!local.has(name)) {
      throw new UsageError(`\`${name}\` is in lanehold.json already`, {
        hint: 'commit the file to share it',
      });
    }
    text = setFeature(text, feature);
  }
  if (text !== undefined) writeRegistryFile(workspace, text);
  for (const name of names.filter(isMoved)) forgetLocal(workspace, name);
}
