/** Rules about files, which are shown before an edit, or refuse it. */
import { randomBytes } from 'node:crypto';
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { isUnbalanced, matcher } from '../../features/match.ts';
import { type Guard, guardStore } from '../../store/guards.ts';
import { observationStore } from '../../store/observations.ts';
import { toldStore } from '../../store/told.ts';
import { agreedBy } from '../agreement.ts';
import { type AppContext, openProject } from '../context.ts';

export interface NewGuard {
  /** A path or a glob, relative to the project. */
  readonly files: string;
  readonly rule: string;
  readonly reason?: string | undefined;
  readonly deny?: boolean | undefined;
}

export type GuardView = ReturnType<typeof view>;
export type GuardWithUse = Awaited<ReturnType<typeof listGuards>>['guards'][number];

/**
 * Adds a rule. If it refuses edits and an agent adds it, its person has to agree, because it holds for all agents.
 *
 * @throws {UsageError} if the files are no path or glob in the project, or the rule is empty.
 */
export async function addGuard(context: AppContext, wish: NewGuard): Promise<GuardView> {
  const workspace = await openProject(context);
  const { store, projectId } = workspace;
  const files = wish.files.replace(/^\.\//, '');
  const climbs = files.split('/').includes('..') || files.startsWith('/') || files.startsWith('!');
  if (files === '' || climbs || files.length > 300 || isUnbalanced(files)) {
    throw new UsageError(`\`${wish.files}\` names no files of this project`, {
      hint: 'write a path or a glob relative to its root: migrations/**',
    });
  }
  const rule = redact(wish.rule.trim());
  if (rule === '') {
    throw new UsageError('the rule is empty', { hint: 'say what is to be kept in one line' });
  }
  if (wish.deny === true) await agreedBy(context, workspace, 'rule');
  const guard: Guard = {
    uid: `lg-${randomBytes(3).toString('hex')}`,
    projectId,
    files,
    rule,
    reason: wish.reason === undefined ? null : redact(wish.reason),
    denies: wish.deny === true,
    by: actorOf(context).agent ?? 'person',
    at: context.now(),
  };
  store.write(() => guardStore(store).add(guard));
  return view(guard);
}

/** With how many sessions met each rule, and what came of it the last time. */
export async function listGuards(context: AppContext) {
  const { store, projectId } = await openProject(context);
  const rules = toldStore(store).rules(projectId);
  const met = new Map(rules.map((it) => [it.uid, it]));
  const guards = guardStore(store).list(projectId);
  return {
    guards: guards.map((guard) => {
      const last = met.get(guard.uid);
      if (last === undefined) return { ...view(guard), sessions: 0, last: null };
      const { agent, session, at, times } = last;
      const isFor = matcher([guard.files]).matches;
      const edited = observationStore(store)
        .ofSession(agent, session)
        .some((it) => it.kind === 'edit' && it.at.getTime() >= at && it.files.some(isFor));
      const told = edited ? ('edited' as const) : ('left' as const);
      const effect = guard.denies ? ('refused' as const) : told;
      return {
        ...view(guard),
        sessions: times,
        last: { at: new Date(at).toISOString(), agent, session, effect },
      };
    }),
  };
}

/** Removes a rule; an agent can only remove its own. @throws {UsageError} */
export async function removeGuard(context: AppContext, id: string): Promise<GuardView> {
  const { store, projectId } = await openProject(context);
  const all = guardStore(store).list(projectId);
  const guard = all.find(({ uid }) => uid === id);
  if (guard === undefined) {
    throw new UsageError(`there is no rule \`${id}\` in this project`, {
      code: 'NO_SUCH_GUARD',
      hint: 'see `lanehold guard list`',
    });
  }
  const { agent } = actorOf(context);
  if (agent !== undefined && guard.by !== agent) {
    throw new UsageError(`the rule ${id} was set by ${guard.by}; an agent does not remove it`, {
      hint: `ask the user to run \`lanehold guard remove ${id}\``,
    });
  }
  store.write(() => guardStore(store).remove(projectId, id));
  return view(guard);
}

const view = ({ uid, files, rule, reason, denies, by, at }: Guard) => ({
  id: uid,
  files,
  rule,
  reason,
  denies,
  by,
  at: at.toISOString(),
});
