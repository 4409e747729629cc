/** Features that are held and that others, or a person, rely on: an agent does not take away from them. */
import { featuresOfOthers } from '../features/comparison.ts';
import { worktreeRegistry } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import { ordinaryComparison } from './compare.ts';
import { pendingNames } from './pending.ts';

/**
 * Of the named features, those that may not be changed freely. Free are features of lanehold.json that are in
 * no base; of this machine, all for a person, and for an agent those that an agent has added.
 *
 * @param names other words may be among them; one that is unknown may be any name.
 */
export async function guardedAmong(
  workspace: Workspace,
  names: readonly (string | undefined)[],
  by: 'agent' | 'person',
  now: Date,
): Promise<ReadonlySet<string>> {
  const { features, local, byAgent } = await worktreeRegistry(workspace);
  const isOwn = (name: string): boolean =>
    local.has(name) && (by === 'person' || byAgent.has(name));
  const meant = names.includes(undefined) ? [...features.keys()] : names;
  const foreign = meant.filter((it) => it !== undefined && features.has(it) && !isOwn(it));
  if (foreign.length === 0) return new Set();
  const pending = await pendingNames(workspace, now);
  const held = foreign.flatMap((name) => (name !== undefined && pending.has(name) ? name : []));
  if (held.length === 0) return new Set();
  const others = await featuresOfOthers(
    workspace,
    await ordinaryComparison(workspace.git, { kind: 'worktree' }),
  );
  return new Set(held.filter((name) => local.has(name) || others.has(name)));
}
