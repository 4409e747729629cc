/** Gives an agent the text for a session's start through a file, if its hooks cannot, and updates it at events. */
import type { AgentRules } from '../../agents/definition.ts';
import type { HookEvent, Reply } from '../../agents/types.ts';
import { homeOf } from '../../base/files/home.ts';
import { projectPlace } from '../../base/git/project.ts';
import { hasFeaturesHere } from '../../features/registry.ts';
import { writeRules } from '../../install/rules-files.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { type Caller, orLogged } from './handler.ts';
import { sessionStart } from './session-start.ts';

/** Never throws: the agent gets its answer in any case. */
export async function refreshRules(
  event: HookEvent,
  reply: Reply,
  rules: AgentRules,
  caller: Caller,
): Promise<void> {
  const { agent, env } = caller;
  await orLogged(caller, 'rules file', undefined, async () => {
    const place = projectPlace(event.cwd);
    const home = homeOf(env);
    // A lane's worker gets everything in its prompt.
    if (laneMark(env, event.cwd) !== undefined) return;
    if (place.kind !== 'git' || !hasFeaturesHere(place, await caller.store())) return;
    const { session, cwd } = event;
    const start = { kind: 'session-start', source: 'new', session, cwd } as const;
    const said = event.kind === 'session-start' ? reply : await sessionStart(start, caller);
    const text = said.decision === 'none' ? said.context : undefined;
    writeRules(home, place, { agent, rules }, text);
  });
}
