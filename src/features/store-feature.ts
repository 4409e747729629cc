/** Writes the registry: the local one in the store, the shared one in `lanehold.json`. */
import { join } from 'node:path';
import { FEATURE_NAME, type Feature, REGISTRY_FILE } from '../config/feature.ts';
import { ExitCode, ExplainedError, UsageError } from '../errors.ts';
import { replaceUserFile } from '../files/replace-file.ts';
import { localFeatureStore } from '../store/projects.ts';
import { coversAtLeast } from './affected.ts';
import { type Registry, UnknownFeatureError, withDependencies } from './fingerprint.ts';
import { type ProjectRegistry, registryText } from './registry.ts';
import type { Workspace } from './workspace.ts';

/** A feature that is held cannot be removed or narrowed, because that would lift the hold. */
export class FeatureHeldError extends ExplainedError {
  override readonly code = 'FEATURE_HELD';

  constructor(name: string, action: string) {
    super(`\`${name}\` is not verified; ${action} would lift its hold`, {
      hint: `run \`lanehold feature verify ${name}\` first, or waive it with a reason`,
      exitCode: ExitCode.held,
    });
  }
}

export interface FeatureEdit {
  readonly feature: Feature;
  readonly shared: boolean;
  /** Names of the features that are held now. */
  readonly held: ReadonlySet<string>;
  readonly now: Date;
}

/**
 * Adds a feature, or replaces the one of the same name.
 *
 * @throws {UsageError} if the name is invalid, or a dependency is unknown or cyclic.
 * @throws {FeatureHeldError} if a local feature that is held would be narrowed.
 */
export async function putFeature(
  workspace: Workspace,
  registry: ProjectRegistry,
  { feature, shared, held, now }: FeatureEdit,
): Promise<void> {
  if (!FEATURE_NAME.test(feature.name)) {
    throw new UsageError(`\`${feature.name}\` cannot be the name of a feature`, {
      hint: 'lower-case letters, digits, `.`, `_`, `-` and `/`, starting with a letter or a digit',
    });
  }
  await requireValid(feature);
  const next: Registry = new Map([...registry.features, [feature.name, feature]]);
  withDependencies(feature.name, next);
  const before = registry.features.get(feature.name);
  if (before !== undefined && held.has(feature.name) && !coversAtLeast(feature, before)) {
    throw new FeatureHeldError(feature.name, 'narrowing it');
  }
  if (!shared) {
    const { name, ...definition } = feature;
    const { store, projectId } = workspace;
    const local = localFeatureStore(store);
    store.write(() => local.put(projectId, name, JSON.stringify(definition), now));
    return;
  }
  const { setFeature } = await import('../config/files.ts');
  writeRegistryFile(workspace, setFeature(registryText(workspace.place), feature));
}

/**
 * @throws {UnknownFeatureError}
 * @throws {FeatureHeldError} if it is held.
 * @throws {UsageError} if another feature depends on it.
 */
export async function dropFeature(
  workspace: Workspace,
  registry: ProjectRegistry,
  name: string,
  held: ReadonlySet<string>,
): Promise<'local' | 'shared'> {
  if (!registry.features.has(name))
    throw new UnknownFeatureError(name, [...registry.features.keys()]);
  if (held.has(name)) throw new FeatureHeldError(name, 'removing it');
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
  const { removeFeature } = await import('../config/files.ts');
  writeRegistryFile(workspace, removeFeature(registryText(workspace.place) ?? '{}', name));
  return 'shared';
}

/** Removes the local definition. */
export function forgetLocal({ store, projectId }: Workspace, name: string): void {
  const local = localFeatureStore(store);
  store.write(() => local.remove(projectId, name));
}

/** Local features are validated by the rules of lanehold.json. */
async function requireValid(feature: Feature): Promise<void> {
  const [{ setFeature }, { RegistryFileError }] = await Promise.all([
    import('../config/files.ts'),
    import('../config/files.ts'),
  ]);
  try {
    setFeature(undefined, feature);
  } catch (error) {
    if (!(error instanceof RegistryFileError)) throw error;
    const [{ message, hint }] = error.problems;
    throw new UsageError(message, hint === undefined ? {} : { hint });
  }
}

/** @throws {UsageError} in a bare repository. @throws {ExplainedError} if it cannot be written. */
export function writeRegistryFile({ place }: Workspace, text: string): void {
  if (place.kind === 'bare') {
    throw new UsageError('a bare repository has no working tree for a lanehold.json', {
      hint: 'add the feature in a clone of it',
    });
  }
  const hint = 'make the folder writable, or leave out `--shared`';
  replaceUserFile(join(place.root, REGISTRY_FILE), text, { hint });
}
