/** git's own hook, below an agent: whether the agent's hook was asked before the pushing command. */
import { agentAbove } from '../../agents/actor.ts';
import { AGENTS } from '../../agents/registry.ts';
import { programName } from '../../base/files/package.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { sessionStore } from '../../store/sessions.ts';
import { type UnseenCommand, unseenCommandStore } from '../../store/unseen-commands.ts';
import { expectedAgents } from '../watch/expected.ts';
import { lastAsked, type Session } from '../watch/trace.ts';
import { type Caller, orLogged } from './handler.ts';

/** A command may run its tests for a long time before it pushes. */
const LONGEST_MS = 2 * 60 * 60_000;
const DAY_MS = 86_400_000;

interface Surroundings extends Pick<Caller, 'env' | 'now' | 'store' | 'afterwards'> {
  readonly parents: () => Promise<readonly (readonly string[])[]>;
}

/** A line to print if no hook was asked, once a day for each session. Never throws, and decides nothing. */
export async function noteUnseenPush(
  { command, root, projectId }: Pick<UnseenCommand, 'command' | 'projectId'> & { root: string },
  call: Surroundings,
): Promise<string | undefined> {
  const { env, now } = call;
  return orLogged({ ...call, agent: 'git' }, 'pre-push', undefined, async () => {
    const started = await startedBy(call);
    const earliest = now().getTime() - LONGEST_MS;
    if (started.some((it) => (lastAsked(env, it)?.getTime() ?? 0) > earliest)) return undefined;
    const expected = expectedAgents(env, root);
    const [who] = started.filter((it) => expected.some(({ agent }) => agent === it.agent));
    if (who === undefined) return undefined;
    const store = await call.store();
    const found = { ...who, projectId, moment: 'before-tool', foundBy: 'git', at: now() } as const;
    const isNew = store.write(() => {
      unseenCommandStore(store).add({ ...found, command: redact(command) });
      // Many agents do not give their session here.
      const subject = `unseen push ${who.agent}`;
      return sessionStore(store).dueShowing(who.session, subject, DAY_MS, now());
    });
    if (!isNew) return undefined;
    const title = expected.find(({ agent }) => agent === who.agent)?.title;
    return `lanehold: ${title} did not start its hook before this push, only git’s own ran. To see why: ${programName(env)} doctor\n`;
  });
}

/** The agents, by their marks in the environment or, if it is cleaned, by the processes above. */
async function startedBy({ env, parents }: Surroundings): Promise<Session[]> {
  const marked = AGENTS.filter(({ marks }) => marks.present.some((it) => env[it]));
  if (marked.length > 0) {
    const sessionOf = (variable: string | undefined) => (variable && env[variable]) || '';
    return marked.map(({ name, marks }) => ({ agent: name, session: sessionOf(marks.session) }));
  }
  const above = agentAbove(await parents());
  return above === undefined ? [] : [{ agent: above, session: '' }];
}
