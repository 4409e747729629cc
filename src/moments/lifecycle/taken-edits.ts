/** Edits that were let pass without Node: what they make pending is noted when they are taken in. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import { homeOf } from '../../base/files/home.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { affectedFeatures } from '../../features/affected.ts';
import { noteTouched } from '../../features/pending.ts';
import { worktreeRegistry } from '../../features/registry.ts';
import { announcePending } from './activity.ts';
import { editsByProject } from './edits-by-project.ts';
import type { Caller } from './handler.ts';
import { workspaceAt } from './workspace-at.ts';

/** @param files absolute, in the order of the edits. */
export async function takeEdits(
  files: readonly string[],
  session: string,
  caller: Caller,
): Promise<void> {
  const { agent, env, now } = caller;
  for (const { place, paths } of editsByProject(files)) {
    if (!mayHaveFeatures(place, caller)) continue;
    const workspace = await workspaceAt(place, caller);
    const { features } = await worktreeRegistry(workspace);
    const of = new Map(
      [...new Set(paths)].map((path) => [path, affectedFeatures(features, [path]).features]),
    );
    const by = { cause: 'edit', command: null, agent, session } as const;
    const added = workspace.store.write(() =>
      paths.flatMap((path) => noteTouched(workspace, of.get(path) ?? new Map(), by, now())),
    );
    // The session was told of none of these.
    if (added.length > 0) announcePending(env);
  }
}

/** Without a shared registry, and a database for a local one, there are none. */
export const mayHaveFeatures = ({ root }: ProjectPlace, { env }: Caller): boolean =>
  existsSync(join(root, REGISTRY_FILE)) || existsSync(homeOf(env).database);
