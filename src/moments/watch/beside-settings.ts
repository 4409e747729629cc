/**
 * An agent may have lanehold's hooks through a plugin and in its settings. The plugin's hooks then leave each event to
 * the others, so that it is judged once.
 */
import { readFileSync } from 'node:fs';
import type { HookEvent } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { projectPlace } from '../../base/git/project.ts';
import { expectedAgents } from './expected.ts';
import { hasEntries } from './gaps.ts';
import { BY_PLUGIN, tracesOf } from './trace.ts';

/**
 * Whether the hooks in the settings judge this event of a session: they are there now, and ran when the session began,
 * because a running agent may not know newer ones. If that is uncertain, the event is judged twice.
 */
export function areJudgedBySettings(
  { kind, session, cwd }: HookEvent,
  agent: string,
  env: NodeJS.ProcessEnv,
): boolean {
  const { root } = projectPlace(cwd);
  const stand = expectedAgents(env, root).some(
    (it) =>
      it.agent === agent &&
      it.file !== undefined &&
      hasEntries(attempt(() => readFileSync(it.file ?? '', 'utf8')) ?? ''),
  );
  if (!stand || kind === 'session-start') return stand;
  return tracesOf(env, { agent, session }).some(
    ({ moment, detail }) => moment === 'session-start' && detail !== BY_PLUGIN,
  );
}
