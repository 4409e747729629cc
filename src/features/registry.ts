/**
 * Which features a project has: those of `lanehold.json` and those that only this machine knows.
 * A shared feature wins over a local one of the same name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EvidencePolicy,
  type Feature,
  REGISTRY_FILE,
  type RegistryFile,
} from '../config/feature.ts';
import { type GatePolicy, policyOf } from '../config/policy.ts';
import type { WrittenLanes } from '../config/schema-lanes.ts';
import { userSettings } from '../config/user-config.ts';
import type { ProjectPlace } from '../git/project.ts';
import { localFeatureStore } from '../store/local-features.ts';
import { registryFileStore } from '../store/registry-files.ts';
import type { Registry } from './fingerprint.ts';
import type { Workspace } from './workspace.ts';

export interface ProjectRegistry {
  readonly features: Registry;
  /** Names of the features that only this machine knows. */
  readonly local: ReadonlySet<string>;
  /** What this file and the user's own settings ask for. */
  readonly policy: GatePolicy;
  /** Only what the file sets. */
  readonly evidence: Partial<EvidencePolicy>;
  /** Only what the file sets. */
  readonly lanes: WrittenLanes;
}

const NOTHING: RegistryFile = { features: [], gate: {}, evidence: {} };

/**
 * The registry as it stands in the working tree.
 *
 * @throws {RegistryFileError} if `lanehold.json` cannot be understood.
 */
export async function worktreeRegistry(workspace: Workspace): Promise<ProjectRegistry> {
  const text = registryText(workspace.place);
  const file = text === undefined ? NOTHING : await parsedOnce(workspace, text);
  return merge(file, workspace);
}

/** The registry that a commit, or the index (`''`), carries; local features count with each. */
export async function revisionRegistry(
  workspace: Workspace,
  text: string | undefined,
  name: string,
): Promise<ProjectRegistry> {
  if (text === undefined) return merge(NOTHING, workspace);
  const known = knownFile(workspace, text);
  if (known !== undefined) return merge(known, workspace);
  const { parseRegistryFile } = await import('../config/registry-file.ts');
  return merge(parseRegistryFile(text, name), workspace);
}

/** `undefined` if the working tree has none. */
export function registryText({ root, kind }: ProjectPlace): string | undefined {
  if (kind === 'bare') return undefined;
  try {
    return readFileSync(join(root, REGISTRY_FILE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Validation costs more than a hook may take: what was valid before, to the byte, is valid. */
async function parsedOnce(workspace: Workspace, text: string): Promise<RegistryFile> {
  const known = knownFile(workspace, text);
  if (known !== undefined) return known;
  const { parseRegistryFile } = await import('../config/registry-file.ts');
  const file = parseRegistryFile(text);
  const { store, place } = workspace;
  store.write(() => registryFileStore(store).put(place.root, text, JSON.stringify(file)));
  return file;
}

function knownFile({ store, place }: Workspace, text: string): RegistryFile | undefined {
  const normalised = registryFileStore(store).find(place.root, text);
  return normalised === undefined ? undefined : JSON.parse(normalised);
}

function localFeatures({ store, projectId }: Workspace): Feature[] {
  const rows = localFeatureStore(store).all(projectId);
  return rows.map(({ name, definition }) => ({ ...JSON.parse(definition), name }));
}

/** @throws {UserConfigError} */
async function merge(file: RegistryFile, workspace: Workspace): Promise<ProjectRegistry> {
  const policy = policyOf(await userSettings(workspace), file.gate);
  const shared = new Set(file.features.map((feature) => feature.name));
  const own = localFeatures(workspace).filter((feature) => !shared.has(feature.name));
  const features = [...file.features, ...own].map((feature) => withAlways(feature, policy));
  return {
    features: new Map(features.map((feature) => [feature.name, feature])),
    local: new Set(own.map((feature) => feature.name)),
    policy,
    // Kept by an earlier version it is not there.
    evidence: { ...file.evidence },
    lanes: { ...file.lanes },
  };
}

function withAlways(feature: Feature, { always }: GatePolicy): Feature {
  return always.length === 0 ? feature : { ...feature, always };
}
