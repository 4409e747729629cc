/** C11: however many runs and repositories a user has, validations share the machine's slots. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import type { Note } from '../../support/fake-worker.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { signal, statOf } from '../../support/marked-processes.ts';

const KEYS = ['a', 'b', 'c'];

const scenario = {
  lanes: Object.fromEntries(KEYS.map((key) => [key, [[{ write: { [`${key}.txt`]: key } }]]])),
  checks: { slow: [[{ waitFor: 'go' }, { sleep: 200 }]] },
};

/** Two projects of one user, whose validations have two slots. */
async function twoRepositories() {
  const first = laneProject({ scenario });
  const second = laneProject({ scenario, beside: first });
  const settings = {
    lanes: { baseline: 'when-needed', slots: { validate: 2, worker: 6, setup: 2 } },
  };
  first.box.write(join(first.env.LANEHOLD_HOME ?? '', 'config.json'), JSON.stringify(settings));
  for (const project of [first, second]) {
    const run = laneRun(project);
    await run.init();
    for (const key of KEYS) await run.add(key, { validate: 'fake-check slow' });
    await run.spawn();
  }
  return [first, second] as const;
}

type Check = Extract<Note, { event: 'check' }>;

/** Validations of all lanes share one folder, so an attempt tells whose each is. */
function laneOf(project: LaneProject, check: Check | undefined): string {
  const worker = project.starts().find(({ env }) => env.LANEHOLD_ATTEMPT === check?.attempt);
  if (worker === undefined) throw new Error('nobody runs that check');
  return worker.lane;
}

const running = (projects: readonly LaneProject[]): Check[] =>
  projects
    .flatMap((project) => project.journal())
    .filter((it) => it.event === 'check')
    .filter((it) => it.stage === 'validate' && statOf(it.pid)?.start === it.start);

test('C11: six lanes in two repositories never validate more than two at a time', async () => {
  const projects = await twoRepositories();
  await projects[0].until('two validations', () => running(projects).length === 2);
  let most = running(projects).length;
  for (const project of projects) project.raise('go');
  await projects[0].until('all lanes to be verified', () => {
    most = Math.max(most, running(projects).length);
    const states = projects.flatMap((project) => Object.values(laneRun(project).states()));
    return states.every((state) => state === 'verified');
  });
  expect(most).toBe(2);
});

test('C11: the slot of who is killed is free at once, of who stands still it is not', async () => {
  const projects = await twoRepositories();
  const [first] = projects;
  await first.until('two validations', () => running(projects).length === 2);
  const [one, two] = running(projects);
  const worldOf = (check: Check | undefined): LaneProject => {
    const found = projects.find((project) => project.journal().some((it) => it.pid === check?.pid));
    if (found === undefined) throw new Error('nobody runs that check');
    return found;
  };
  await kill(worldOf(one), laneOf(worldOf(one), one), ['supervisor'], 'SIGSTOP');
  await kill(worldOf(two), laneOf(worldOf(two), two), ['supervisor']);
  if (two?.start !== undefined) signal({ pid: two.pid, start: two.start }, 'SIGKILL');
  await first.until('the next validation', () =>
    running(projects).some(({ pid }) => pid !== one?.pid && pid !== two?.pid),
  );
  expect(running(projects).some(({ pid }) => pid === one?.pid)).toBe(true);
  expect(running(projects).length).toBeLessThanOrEqual(2);
});

test('C11: whoever came first is first, and who matters more comes before', async () => {
  const keys = ['first', 'second', 'third', 'urgent'];
  const project = laneProject({
    scenario: {
      lanes: Object.fromEntries(
        keys.map((key) => [key, [[{ write: { [key]: 'x' } }, { waitFor: `end ${key}` }]]]),
      ),
      checks: { slow: [[{ waitFor: 'go' }]] },
    },
  });
  const home = project.env.LANEHOLD_HOME ?? '';
  const settings = {
    lanes: { baseline: 'when-needed', slots: { validate: 1, worker: 4, setup: 1 } },
  };
  project.box.write(join(home, 'config.json'), JSON.stringify(settings));
  const run = laneRun(project);
  await run.init('Queue', '--parallel', '4');
  for (const key of keys) {
    const more = key === 'urgent' ? ['--priority', '5'] : [];
    await run.add(key, { validate: 'fake-check slow', more });
  }
  await run.spawn();
  await project.until('all at work', () => project.starts().length === keys.length);
  const checks = (): Check[] => project.journal().filter((it) => it.event === 'check');
  const queue = join(home, 'locks/slots/queue');
  const waiting = (): number =>
    existsSync(queue) ? readdirSync(queue).filter((it) => it.startsWith('validate.')).length : 0;
  for (const [n, key] of keys.entries()) {
    project.raise(`end ${key}`);
    await project.until(`${key} in the queue`, () =>
      n === 0 ? checks().length === 1 : waiting() === n,
    );
  }
  project.raise('go');
  await run.settled();
  // The first one that passes has the base run as well.
  const lanes = new Set(checks().map((it) => laneOf(project, it)));
  expect([...lanes]).toEqual(['first', 'urgent', 'second', 'third']);
  expect(project.processesLeft()).toEqual([]);
});
