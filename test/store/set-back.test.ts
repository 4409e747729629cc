/** The order of records is that of writing, even if the clock was set back in between. */
import { expect, test } from 'vitest';
import { lastRefusal } from '../../src/lanes/spec/outcomes.ts';
import { attemptStore } from '../../src/store/attempts.ts';
import { breakerStore } from '../../src/store/breakers.ts';
import { type AuditPosition, auditStore, decisionStore } from '../../src/store/decisions.ts';
import { handoffStore } from '../../src/store/handoffs.ts';
import { newId } from '../../src/store/ids.ts';
import { integrationStore } from '../../src/store/integrations.ts';
import { laneStore, runStore } from '../../src/store/lanes.ts';
import { observationStore } from '../../src/store/observations.ts';
import { sessionTaskStore } from '../../src/store/session-tasks.ts';
import { sessionStore } from '../../src/store/sessions.ts';
import { boardRows } from '../support/board-rows.ts';
import { sandbox } from '../support/sandbox.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

test('the last handoff of a run is the one that knows most', async () => {
  const { store, run, context, later } = await boardRows(sandbox());
  const handoffs = handoffStore(store);
  const give = (id: string, cursor: number): void => {
    const facts = { runId: run.id, agent: 'claude-code', session: 's', lines: [] };
    store.write(() => handoffs.add({ ...facts, id, cursor, at: context.now() }));
  };
  give('first', 1);
  later(-DAY_MS);
  for (let n = 2; n <= 60; n += 1) give(`handoff ${n}`, n);
  expect(handoffs.last(run.id)?.id).toBe('handoff 60');
  expect(handoffs.byId('first')).toBeUndefined();
});

test('a handoff that was given with no news since the last one is the last one', async () => {
  const { store, run, context, later } = await boardRows(sandbox());
  const handoffs = handoffStore(store);
  for (const id of ['first', 'second']) {
    const facts = { runId: run.id, agent: 'claude-code', session: 's', lines: [], cursor: 1 };
    store.write(() => handoffs.add({ ...facts, id, at: context.now() }));
    later(-DAY_MS);
  }
  expect(handoffs.last(run.id)?.id).toBe('second');
});

test('a worker is shown why the commit was refused that was queued last', async () => {
  const rows = await boardRows(sandbox());
  const { store, run, context, later } = rows;
  const { id: laneId } = rows.lane('api');
  const queue = integrationStore(store);
  const refuse = (laneSha: string, path: string): void =>
    store.write(() => {
      const known = queue.ofCommit(laneId, laneSha);
      const id = known?.id ?? newId(context.now());
      if (known !== undefined) queue.requeue(id, context.now());
      else queue.add({ id, runId: run.id, laneId, laneSha }, context.now());
      const detail = JSON.stringify({ paths: [path] });
      queue.note(queue.byId(id) ?? { id, epoch: 0 }, { state: 'conflict', detail });
    });
  const shown = () => lastRefusal(context, run, { id: laneId })?.detail.paths;
  refuse('one', 'src/first.ts');
  later(-DAY_MS);
  refuse('two', 'src/second.ts');
  expect(shown()).toEqual(['src/second.ts']);
  later(-DAY_MS);
  refuse('one', 'src/third.ts');
  expect(shown()).toEqual(['src/third.ts']);
});

test('the run that was begun last is the last one, and has the tree that both adopted', async () => {
  const rows = await boardRows(sandbox());
  const { store, run, context, later } = rows;
  const adopted = rows.lane('api', {}, { worktree: '/trees/api', adopted: true });
  later(-DAY_MS);
  store.write(() => {
    runStore(store).setIntent(run.id, 'closed', null);
    const again = { ...run, id: newId(context.now()), createdAt: context.now() };
    runStore(store).add(again);
    laneStore(store).add({ ...adopted, id: 'again', runId: again.id }, 'ada');
  });
  expect(runStore(store).byName(run.projectId, run.name)?.intent).toBe('active');
  expect(runStore(store).newest(run.projectId)?.intent).toBe('active');
  expect(laneStore(store).byWorktree('/trees/api')?.id).toBe('again');
});

test('a question from outside of an attempt is open until the lane is worked on again', async () => {
  const rows = await boardRows(sandbox());
  const lane = rows.lane('api');
  rows.attempt(lane, { through: ['exited', 'ended'], note: { endReason: 'lost' } });
  rows.later(-DAY_MS);
  rows.ask(lane, 'Which currency?');
  expect(rows.fresh(lane).state).toBe('asks');
  rows.later(-DAY_MS);
  rows.attempt(lane, { through: ['exited', 'ended'], note: { endReason: 'lost' } });
  expect(rows.fresh(lane).state).toBe('failed');
});

test('the list of tasks that was changed last is the first, and so is the session that was seen', async () => {
  const { store, run, context, later } = await boardRows(sandbox());
  const { projectId } = run;
  for (const id of ['first', 'second']) {
    const session = { agent: 'codex', session: id, projectId };
    store.write(() => {
      const seen = { agent: 'codex', id, projectId, worktree: '/tree', head: undefined };
      sessionStore(store).seen(seen, context.now());
      observationStore(store).add({ ...EDIT, projectId, session: id, at: context.now() });
      const task = { id: '1', title: 'a task', status: 'pending' } as const;
      sessionTaskStore(store).put(session, task, context.now());
    });
    later(-HOUR_MS);
  }
  const lists = sessionTaskStore(store).ofCoordinators(projectId, new Date(0));
  expect(lists.map(({ session }) => session)).toEqual(['second', 'first']);
  const sessions = sessionStore(store).lastAtWork(projectId, 5);
  expect(sessions.map(({ session }) => session)).toEqual(['second', 'first']);
});

const EDIT = {
  ...({ agent: 'codex', kind: 'edit', name: null, category: null, text: null } as const),
  ...{ rules: null, files: [], outcome: null, outputBytes: null, source: null },
};

test('the last answers of the gate are those that it gave last', async () => {
  const { store, run, context, later } = await boardRows(sandbox());
  const audit = auditStore(store);
  const answer = (reason: string): void => {
    const facts = { agent: 'codex', session: 's', rule: 'git push', command: 'git push', reason };
    const decision = { ...facts, projectId: run.projectId, decision: 'deny' } as const;
    store.write(() => decisionStore(store).add({ ...decision, at: context.now() }));
  };
  const read = (after: AuditPosition, limit: number): string[] => {
    const wish = { projectId: run.projectId, since: new Date(0), events: ['deny'] as const };
    const upTo = audit.newest();
    return audit.entries({ ...wish, after, upTo, limit }).map(({ reason }) => reason);
  };
  answer('first');
  later(-DAY_MS);
  answer('second');
  const seen = audit.newest();
  expect(read({ decisions: 0, evidence: 0 }, 1)).toEqual(['second']);
  // In the same millisecond.
  answer('third');
  answer('fourth');
  expect(read(seen, -1)).toEqual(['third', 'fourth']);
});

test('a limit that is told today counts more than one of a clock that was ahead', async () => {
  const { store, context, later } = await boardRows(sandbox());
  const breakers = breakerStore(store);
  const limited = (hours: number): void => {
    const until = new Date(context.now().getTime() + hours * HOUR_MS);
    store.write(() => breakers.open('claude-code', until, 'a limit', context.now()));
  };
  const hoursLeft = (): number =>
    ((breakers.get('claude-code')?.resumeAt.getTime() ?? 0) - context.now().getTime()) / HOUR_MS;
  limited(5);
  later(HOUR_MS);
  // Of two that were told by one clock the later one.
  limited(3);
  expect(hoursLeft()).toBe(4);
  later(-DAY_MS);
  limited(3);
  expect(hoursLeft()).toBe(3);
});

test('a supervisor is launched once in a while by a clock that goes, jumps and is set back', async () => {
  const rows = await boardRows(sandbox());
  const { store, context, later } = rows;
  const { id } = rows.attempt(rows.lane('api'));
  const claim = (): boolean =>
    store.write(() => attemptStore(store).claimLaunch(id, 1_500, context.now()));
  expect([claim(), claim()]).toEqual([true, false]);
  later(1_600);
  expect([claim(), claim()]).toEqual([true, false]);
  later(3 * DAY_MS);
  expect([claim(), claim()]).toEqual([true, false]);
  later(-5 * DAY_MS);
  expect([claim(), claim()]).toEqual([true, false]);
});
