/**
 * The features of a project: those of `lanehold.json`, and those that only this machine knows. A
 * shared feature replaces a local one of the same name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EvidencePolicy,
  type Feature,
  REGISTRY_FILE,
  type RegistryFile,
  type VerifySettings,
} from '../base/config/feature.ts';
import { type GatePolicy, type PolicySettings, policyOf } from '../base/config/policy.ts';
import type { WrittenLanes } from '../base/config/schema-lanes.ts';
import { attempt, codeOf, ExplainedError } from '../base/errors.ts';
import { textIfThere } from '../base/files/text-if-there.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import type { Store } from '../store/open.ts';
import { localFeatureStore, projectStore, registryFileStore } from '../store/projects.ts';
import type { Registry } from './fingerprint.ts';
import { withOthers } from './match.ts';
import { formerProject, type Workspace } from './workspace.ts';

export interface ProjectRegistry {
  readonly features: Registry;
  readonly local: ReadonlySet<string>;
  /** Names of features that an agent has added on this machine, so that it may take them back. */
  readonly byAgent: ReadonlySet<string>;
  /** The gate's policy, from this file and the user's own settings. */
  readonly policy: GatePolicy;
  /** The settings of the file only, without defaults. */
  readonly evidence: Partial<EvidencePolicy>;
  readonly verify: VerifySettings;
  readonly lanes: WrittenLanes;
}

const NO_FILE: RegistryFile = { features: [], gate: {}, evidence: {} };

/** The parts of a registry that come from this machine: the same for every tree of a project. */
interface Own {
  readonly features: readonly Feature[];
  readonly byAgent: ReadonlySet<string>;
  readonly settings: PolicySettings;
}

export interface LocalDefinition extends Omit<Feature, 'name'> {
  /** Who added the feature; absent: a person. */
  readonly by?: 'agent';
}

/**
 * The registry of the working tree.
 *
 * @throws {RegistryFileError | UserConfigError} if `lanehold.json`, or the user's `config.json`,
 *   cannot be understood.
 */
export async function worktreeRegistry(workspace: Workspace): Promise<ProjectRegistry> {
  return (await registryReader(workspace)).worktree();
}

/**
 * Reads the registries of several trees of a project; what this machine adds is read once.
 *
 * @throws {UserConfigError}
 */
export async function registryReader(workspace: Workspace) {
  const { store, projectId } = workspace;
  const rows = localFeatureStore(store).all(projectId);
  const definitions = rows.map(({ name, definition }) => {
    return { name, ...(JSON.parse(definition) as LocalDefinition) };
  });
  const own: Own = {
    features: definitions.map(({ by: _, ...feature }) => feature),
    byAgent: new Set(definitions.flatMap(({ name, by }) => (by === 'agent' ? name : []))),
    settings: await userSettings(workspace),
  };

  const { root } = workspace.place;
  const [here, base] = [root, `${root} (base)`];
  /** @param kept the key under which a valid text is kept. */
  async function read(text: string | undefined, name?: string, kept?: string) {
    if (text === undefined) return merge(NO_FILE, own);
    const parse = async (): Promise<RegistryFile> => {
      const { parseRegistryFile } = await import('../base/config/files.ts');
      return parseRegistryFile(text, name);
    };
    return merge(await validOnce(store, text, { keys: [here, base], kept, parse }), own);
  }

  return {
    worktree: (): Promise<ProjectRegistry> => read(registryText(workspace.place), undefined, here),
    /**
     * The registry that a commit, or the index, carries.
     *
     * @throws {RegistryFileError}
     */
    revision: (text: string | undefined, name: string): Promise<ProjectRegistry> =>
      read(text, name),
    /**
     * The registry of a base. One that cannot be read holds nothing: others have it already, and the change at hand may
     * repair it. Without a file in the base, its user's settings and the defaults count.
     */
    async base(text: string | undefined): Promise<ProjectRegistry> {
      try {
        // The next push is compared with the same text.
        return await read(text, 'lanehold.json in the base', base);
      } catch (error) {
        // The error is recognised by its code, since importing its class would load the parser.
        if (!(error instanceof ExplainedError && error.code === 'REGISTRY_FILE')) throw error;
        return merge(NO_FILE, own);
      }
    },
  };
}

/** The user's settings of the gate. @throws {UserConfigError} if the file is not valid; no part of it is then used. */
export async function userSettings({ store }: { readonly store: Store }): Promise<PolicySettings> {
  const { config } = store.home;
  const text = textIfThere(config);
  if (text === undefined) return {};
  const parse = async (): Promise<PolicySettings> => {
    const { parseUserConfig } = await import('../base/config/files.ts');
    return parseUserConfig(text, config);
  };
  return validOnce(store, text, { keys: [config], kept: config, parse });
}

interface Validation<T> {
  /** The keys under which a text may have been kept, and the key under which it is kept now. */
  readonly keys: readonly string[];
  readonly kept: string | undefined;
  readonly parse: () => Promise<T>;
}

/** Validates a text only once, because validation takes too long for a hook. */
async function validOnce<T>(
  store: Store,
  text: string,
  { keys, kept, parse }: Validation<T>,
): Promise<T> {
  const files = registryFileStore(store);
  for (const key of keys) {
    const known = files.find(key, text);
    if (known !== undefined) return JSON.parse(known);
  }
  const value = await parse();
  // A text that cannot be kept is validated again the next time.
  if (kept !== undefined) {
    const keep = () => files.put(kept, text, JSON.stringify(value));
    attempt(() => store.writeApart(keep));
  }
  return value;
}

/** `undefined` if the working tree has none. */
export function registryText({ root, kind }: ProjectPlace): string | undefined {
  if (kind === 'bare') return undefined;
  try {
    return readFileSync(join(root, REGISTRY_FILE), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the working tree has a registry, or this machine has the project's features, also from before a move. */
export function hasFeaturesHere(place: ProjectPlace, store: Store | undefined): boolean {
  if (registryText(place) !== undefined) return true;
  if (store === undefined) return false;
  const projectId = projectStore(store).find(place.identity);
  const former = formerProject(store, place.identity, projectId);
  const ids = [projectId, former.kind === 'moved' ? former.project.id : undefined];
  return ids.some((it) => it !== undefined && localFeatureStore(store).all(it).length > 0);
}

function merge(file: RegistryFile, own: Own): ProjectRegistry {
  const policy = policyOf(own.settings, file.gate);
  const shared = new Set(file.features.map((feature) => feature.name));
  const local = own.features.filter((feature) => !shared.has(feature.name));
  const { always } = policy;
  // Features that only this machine knows take nothing out of a rest that everybody has.
  const features = withOthers([...withOthers(file.features), ...local]).map((feature) =>
    always.length === 0 ? feature : { ...feature, always },
  );
  return {
    features: new Map(features.map((feature) => [feature.name, feature])),
    local: new Set(local.map((feature) => feature.name)),
    byAgent: own.byAgent,
    policy,
    // Files that an earlier version stored have no such settings.
    evidence: { ...file.evidence },
    verify: { ...file.verify },
    lanes: { ...file.lanes },
  };
}
