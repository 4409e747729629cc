/** What a person is told while supervisors, and the processes that tell it, are killed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const QUESTIONS = ['Q0?', 'Q1?', 'Q2?', 'Q3?', 'Q4?'];

/** Long enough to be at work when its parent is killed. */
const NOTER = `read -r json
sleep 0.2
printf '%s\\n' "$json" >> "$1"
`;

test('each question is told once, whatever is killed', async () => {
  const asked = QUESTIONS.flatMap((it) => [
    { lanehold: ['orchestrate', 'ask', it] as const },
    { sleep: 500 },
  ]);
  const project = laneProject({ scenario: { lanes: { a: [[...asked, { waitFor: 'go' }]] } } });
  const { box } = project;
  const out = join(box.root, 'noted');
  writeFileSync(out, '');
  const command = ['sh', box.write('noter.sh', NOTER), out];
  const lanes = { baseline: 'when-needed', notify: { command } };
  box.write(join(box.laneholdHome, 'config.json'), JSON.stringify({ lanes }));
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  const noted = () => readFileSync(out, 'utf8').match(/Q\d\?/g) ?? [];
  let kills = 0;
  while (kills < 6) {
    await delay(200 + kills * 100);
    for (const it of project.processes().filter((one) => /supervisor\.cjs/.test(one.command))) {
      if (project.signal(it, 'SIGKILL')) kills += 1;
    }
    await run.reconcile();
  }
  const all = () => new Set(noted()).size === QUESTIONS.length;
  await run.looksUntil(() => `all to be told: ${noted()}`, all);
  // Whoever would tell something again, would do it now.
  await run.reconcile();
  await project.until('nobody to tell anything', () =>
    project.processes().every((it) => !/--notify|noter/.test(it.command)),
  );
  expect(noted().toSorted()).toEqual(QUESTIONS);
});
