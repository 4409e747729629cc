/** Adds proposed features to those of a project: the draft that a person edits. */
import type { Feature } from '../../config/feature.ts';
import { setFeature } from '../../config/registry-file-edit.ts';
import { type Registry, withDependencies } from '../fingerprint.ts';
import type { ProposedFeature } from './part.ts';

export interface Draft {
  /** Names of the proposals that are new. */
  readonly added: readonly string[];
  /** Names that the project has already; these features stay unchanged. */
  readonly kept: readonly string[];
  /** `lanehold.json` with the new ones in it; `undefined` if there are none. */
  readonly text: string | undefined;
}

/**
 * @param before text of `lanehold.json`, `undefined` when there is none yet.
 * @throws {RegistryFileError} if `before` is no registry.
 * @throws {UnknownFeatureError | DependencyCycleError} if a new feature does not fit those that
 *   are there.
 */
export function draftOf(
  proposals: readonly ProposedFeature[],
  registry: Registry,
  before: string | undefined,
): Draft {
  const isKnown = ({ name }: Feature) => registry.has(name);
  const added = proposals
    .filter((it) => !isKnown(it))
    .map(({ because: _, ...feature }): Feature => feature);
  const whole: Registry = new Map([
    ...registry,
    ...added.map((feature) => [feature.name, feature] as const),
  ]);
  for (const { name } of added) withDependencies(name, whole);
  let text = before;
  for (const feature of added) text = setFeature(text, feature);
  return {
    added: added.map(({ name }) => name),
    kept: proposals.filter(isKnown).map(({ name }) => name),
    text: added.length === 0 ? undefined : text,
  };
}
