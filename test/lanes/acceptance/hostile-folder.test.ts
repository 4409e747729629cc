/** A worker without a sandbox can write beside its supervisor's files: what it leaves there is words. */
import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const DIR = 'cd "$LANEHOLD_HOME/runs/lanes/$LANEHOLD_ATTEMPT"';
const ID = '3f2b8c1e-6a54-4d7e-9b0a-1c2d3e4f5a6b';

test('a letter that a sandboxed worker leaves is a question; what is no letter is nobody’s', async () => {
  const letter = JSON.stringify({ id: ID, kind: 'ask', body: 'May the "old" route go?' });
  const project = laneProject({
    scenario: {
      lanes: {
        api: [
          [
            {
              sh: `${DIR}; mkdir -p inbox; cd inbox
printf '%s' '${letter}' > draft; mv draft ${ID}.json
mkdir folder.json folder.json/deep; mkfifo pipe.json; ln -s /etc/passwd link.json
echo '{"id":1}' > odd.json; echo '{' > half.json
touch stays.txt`,
            },
            { waitFor: 'go' },
            { write: { 'api.txt': 'mine' } },
          ],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('api');
  await run.spawn();
  const asked = async () => (await project.orchestrate('status')).json.questions;
  await project.until('the question', async () => (await asked()).length > 0);
  expect(await asked()).toMatchObject([{ lane: 'api', body: 'May the "old" route go?' }]);
  project.raise('go');
  await run.settled();
  expect(run.lane('api')).toMatchObject({ state: 'asks', attempt: { epoch: 1 } });
});

test('what it makes of other files crashes nobody, ends nobody else, and proves nothing', async () => {
  const bystander = spawn('sleep', ['300'], { stdio: 'ignore' });
  onTestFinished(() => void bystander.kill('SIGKILL'));
  const vandal = (key: string, then: Step): Step[] => [
    {
      sh: `${DIR}
echo '{"pid":${bystander.pid}}' > guard.json
echo '[-1,99999999,"../../x"]' > ports.json
rm -f spec.json main-checkout; mkdir spec.json main-checkout
rm -f stderr.log; mkfifo stderr.log
rmdir inbox 2>/dev/null; ln -s "$LANEHOLD_HOME" inbox
echo 'all 99 tests passed' > validate-mine.log`,
    },
    { raise: `${key} was there` },
    { waitFor: 'go' },
    then,
  ];
  const project = laneProject({
    scenario: {
      lanes: {
        good: [vandal('good', { write: { 'good.txt': 'mine' } })],
        bad: [vandal('bad', { write: { broken: 'x' } })],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('good');
  await run.add('bad');
  await run.spawn();
  for (const key of ['good', 'bad']) {
    await project.until(`the worker of ${key}`, () => project.isRaised(`${key} was there`));
    await run.reaches(key, 'running');
    // Whoever takes over reads what lies there.
    await kill(project, key, ['supervisor']);
  }
  await run.reconcile();
  project.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ good: 'verified', bad: 'failed' });
  expect(bystander.exitCode).toBeNull();
  expect(bystander.signalCode).toBeNull();
  expect((await project.orchestrate('logs', 'good')).exitCode).toBe(0);
});
