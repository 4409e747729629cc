/** Writes the registry: the local one in the store, the shared one in `lanehold.json`. */
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURE_NAME, type Feature, REGISTRY_FILE } from '../base/config/feature.ts';
import { ExitCode, ExplainedError, UsageError } from '../base/errors.ts';
import { replaceUserFile } from '../base/files/replace-file.ts';
import { localFeatureStore, noteLocalProjects } from '../store/projects.ts';
import { coversAtLeast } from './affected.ts';
import { type Registry, UnknownFeatureError, withDependencies } from './fingerprint.ts';
import { isUnbalanced } from './match.ts';
import { type LocalDefinition, type ProjectRegistry, registryText } from './registry.ts';
import type { Workspace } from './workspace.ts';

/** Thrown if a held feature, which others or a person rely on, would be removed or narrowed. */
export class FeatureHeldError extends ExplainedError {
  override readonly code = 'FEATURE_HELD';

  readonly feature: string;

  constructor(feature: string, action: string) {
    super(`\`${feature}\` is not verified; ${action} would lift its hold`, {
      hint: `run \`lanehold feature verify ${feature}\` first, or a person may agree to \`lanehold feature waive ${feature} --reason 'REASON'\``,
      exitCode: ExitCode.held,
    });
    this.feature = feature;
  }
}

/** Who edits the registry, and which features may not be narrowed or removed. */
export interface Editor {
  readonly by: 'agent' | 'person';
  /** Names of features that are held and not the editor's own. */
  readonly guarded: ReadonlySet<string>;
  readonly now: Date;
}

/**
 * Adds a feature, or replaces the one of the same name.
 *
 * @throws {UsageError} if the name is invalid, or a dependency is unknown or cyclic.
 * @throws {FeatureHeldError} if one that is guarded would be narrowed.
 */
export async function putFeature(
  workspace: Workspace,
  registry: ProjectRegistry,
  { feature, shared }: { readonly feature: Feature; readonly shared: boolean },
  { by, guarded, now }: Editor,
): Promise<void> {
  const { name, ...definition } = feature;
  if (!FEATURE_NAME.test(name)) {
    throw new UsageError(`\`${name}\` cannot be the name of a feature`, {
      hint: 'lower-case letters, digits, `.`, `_`, `-` and `/`, starting with a letter or a digit',
    });
  }
  await requireValid(feature);
  requireFolders(workspace, feature);
  const next: Registry = new Map([...registry.features, [name, feature]]);
  withDependencies(name, next);
  const before = registry.features.get(name);
  if (before !== undefined && guarded.has(name) && !coversAtLeast(feature, before)) {
    throw new FeatureHeldError(name, 'narrowing it');
  }
  requireRest(registry, { feature, shared }, guarded);
  const isOwn = before === undefined || registry.byAgent.has(name);
  if (shared) {
    const { setFeature } = await import('../base/config/files.ts');
    writeRegistryFile(workspace, setFeature(registryText(workspace.place), feature));
    if (registry.local.has(name) && (by === 'person' || isOwn)) forgetLocal(workspace, name);
    return;
  }
  const stored: LocalDefinition = {
    ...definition,
    ...(by === 'agent' && isOwn ? { by } : {}),
  };
  const { store, projectId } = workspace;
  const local = localFeatureStore(store);
  store.write(() => {
    local.put(projectId, name, JSON.stringify(stored), now);
    noteLocalProjects(store);
  });
}

/**
 * @throws {UnknownFeatureError}
 * @throws {FeatureHeldError} if it is guarded.
 * @throws {UsageError} if another feature depends on it.
 */
export async function dropFeature(
  workspace: Workspace,
  registry: ProjectRegistry,
  name: string,
  { guarded }: Pick<Editor, 'guarded'>,
): Promise<'local' | 'shared'> {
  if (!registry.features.has(name))
    throw new UnknownFeatureError(name, [...registry.features.keys()]);
  if (guarded.has(name)) throw new FeatureHeldError(name, 'removing it');
  const dependent = [...registry.features.values()].find((it) => it.dependsOn.includes(name));
  if (dependent !== undefined) {
    throw new UsageError(`\`${dependent.name}\` depends on \`${name}\``, {
      hint: `take it out of the \`dependsOn\` of \`${dependent.name}\` first`,
    });
  }
  if (registry.local.has(name)) {
    forgetLocal(workspace, name);
    return 'local';
  }
  const { removeFeature } = await import('../base/config/files.ts');
  writeRegistryFile(workspace, removeFeature(registryText(workspace.place) ?? '{}', name));
  return 'shared';
}

export function forgetLocal({ store, projectId }: Workspace, name: string): void {
  const local = localFeatureStore(store);
  store.write(() => {
    local.remove(projectId, name);
    noteLocalProjects(store);
  });
}

/** Requires that a local feature follows the rules of lanehold.json, and that no feature has a broken glob. */
async function requireValid(feature: Feature): Promise<void> {
  const { setFeature, RegistryFileError } = await import('../base/config/files.ts');
  try {
    setFeature(undefined, feature);
  } catch (error) {
    if (!(error instanceof RegistryFileError)) throw error;
    throw new UsageError(error.problem.message, { hint: error.hint });
  }
  const broken = feature.files.find(isUnbalanced);
  if (broken === undefined) return;
  throw new UsageError(`\`${broken}\` opens a bracket that it does not close, or the reverse`, {
    hint: 'complete it, or put `\\` before a bracket that is part of a name',
  });
}

/** Requires that one feature has the rest, and that its files are not taken away while it is guarded. */
function requireRest(
  { features, local }: ProjectRegistry,
  { feature, shared }: { readonly feature: Feature; readonly shared: boolean },
  guarded: Editor['guarded'],
): void {
  const before = features.get(feature.name)?.files;
  for (const rest of features.values()) {
    if (!rest.rest || rest.name === feature.name) continue;
    if (feature.rest) {
      throw new UsageError(`\`${rest.name}\` has the rest already`, {
        hint: `\`lanehold feature add ${rest.name} --replace\` changes it`,
      });
    }
    const isLeft = shared || local.has(rest.name);
    const others = [...(rest.others ?? []).filter((it) => it !== before), feature.files];
    if (isLeft && guarded.has(rest.name) && !coversAtLeast({ ...rest, others }, rest))
      throw new FeatureHeldError(rest.name, `giving files of it to \`${feature.name}\``);
  }
}

/** Requires that the folders of smoke tests exist: otherwise the tests would fail to start later. */
function requireFolders({ place }: Workspace, { smoke }: Feature): void {
  if (place.kind === 'bare') return;
  for (const { cwd } of smoke) {
    const stats = statSync(join(place.root, cwd), { throwIfNoEntry: false });
    if (stats?.isDirectory()) continue;
    const fact = stats === undefined ? 'there is no folder' : 'a file and no folder is at';
    throw new UsageError(`${fact} \`${cwd}\` in this project`, {
      hint: 'write it relative to the repository root, such as `--cwd packages/a`',
    });
  }
}

/** @throws {UsageError} in a bare repository. @throws {ExplainedError} if it cannot be written. */
export function writeRegistryFile({ place }: Workspace, text: string): void {
  if (place.kind === 'bare') {
    throw new UsageError('a bare repository has no working tree for a lanehold.json', {
      hint: 'add the feature in a clone of it',
    });
  }
  const file = join(place.root, REGISTRY_FILE);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const to = readlinkSync(file);
    throw new UsageError(`${REGISTRY_FILE} is a link to ${to}, which lanehold does not replace`, {
      hint: 'put a file of its own in its place: git keeps only the link',
    });
  }
  replaceUserFile(file, text, { hint: 'make the folder writable, or leave out `--shared`' });
}
