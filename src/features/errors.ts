import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';

export class UnknownFeatureError extends UsageError {
  override readonly code = 'UNKNOWN_FEATURE';

  /** @param neededBy the feature whose `dependsOn` names it, if it was not asked for directly. */
  constructor(name: string, known: readonly string[], neededBy?: string) {
    const by = neededBy === undefined ? '' : `, which \`${neededBy}\` depends on`;
    const near = nearest(name, known);
    const hint = near ? `did you mean \`${near}\`?` : 'see `lanehold feature list`';
    super(`no feature named \`${name}\` in this project${by}`, { hint });
  }
}

export class DependencyCycleError extends UsageError {
  override readonly code = 'DEPENDENCY_CYCLE';

  constructor(trail: readonly string[]) {
    const loop = trail.slice(trail.indexOf(trail.at(-1) ?? ''));
    super(`features depend on each other in a loop: ${loop.join(' -> ')}`, {
      hint: `take one of these names out of a \`dependsOn\``,
    });
  }
}
