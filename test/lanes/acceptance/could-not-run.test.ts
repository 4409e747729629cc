/** A validation that could not run says nothing of the work: it runs again, and no worker is started for it. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('a runner that is not installed: the lane is untested until `verify`; what the work broke has failed', async () => {
  const project = laneProject({
    files: { tool: 'true\n', 'with-tool.sh': 'exec $(cat tool)\n' },
    scenario: {
      lanes: {
        works: [[{ write: { 'a.txt': 'a' } }]],
        breaks: [[{ write: { tool: 'no-such-tool\n' } }]],
        forgets: [[{ write: { 'b.txt': 'b' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('works', { validate: 'runner-of-mine' });
  await run.add('breaks', { validate: 'sh with-tool.sh' });
  // The program would have been the work.
  await run.add('forgets', { validate: './made.sh' });
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ works: 'untested', breaks: 'failed', forgets: 'failed' });
  expect(run.lane('breaks').attempt).toMatchObject({
    end_reason: 'rejected',
    end_detail: '`no-such-tool` was not found; on the base it runs',
  });

  const why = '`runner-of-mine` could not run: `runner-of-mine` was not found';
  const { json: status } = await run.orchestrate('status');
  expect(status.lanes[0]).toMatchObject({
    ...{ state: 'untested', note: why, flags: [] },
    help: [
      'lanehold orchestrate verify works',
      "lanehold orchestrate lane edit works --validate 'COMMAND'",
      'lanehold orchestrate logs works',
    ],
  });
  const shown = await project.lanehold('orchestrate', 'status');
  expect(shown.stdout).toMatch(/works +untested/);
  const handoff = await project.lanehold('orchestrate', 'handoff');
  expect(handoff.stdout).toContain(`**works** untested: ${why}`);
  expect(handoff.stdout).toContain('1 untested');
  const waited = await project.orchestrate('sync', '--wait');
  expect(waited).toMatchObject({ exitCode: 1, json: { notDone: [{ state: 'untested' }, {}, {}] } });
  // Nothing starts a worker for it.
  await run.reconcile();
  expect(project.starts('works')).toHaveLength(1);

  chmodSync(project.box.write(join(project.box.root, 'bin/runner-of-mine'), '#!/bin/sh\n'), 0o755);
  await run.orchestrate('verify', 'works');
  expect([run.lane('works').state, project.starts('works')]).toMatchObject(['verified', [{}]]);
});
