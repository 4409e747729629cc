/** What a worker prints does not fill the disk, and its last word counts. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const MB = 1024 * 1024;
const TOKEN = `ghp_${'A1b2'.repeat(9)}`;

test('the head and the tail of a long output are kept', async () => {
  const flood = { bytes: 70 * MB };
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { say: `the first word, and ${TOKEN}` },
            { flood },
            { flood: { ...flood, stream: 'stderr' } },
            { write: { 'a.txt': 'a' } },
            { say: 'the last word' },
          ],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'verified');
  const dir = run.lane('a').attempt?.dir ?? '';
  for (const name of ['stdout.log', 'stderr.log']) {
    expect(statSync(join(dir, name)).size).toBeLessThan(16 * MB);
    expect(readFileSync(join(dir, name), 'latin1')).toMatch(/^\[lanehold: \d+ bytes left out\]$/m);
  }
  const said = readFileSync(join(dir, 'stdout.log'), 'latin1');
  expect(said.indexOf('the first word')).toBeLessThan(MB);
  expect(said.indexOf('the last word')).toBeGreaterThan(MB);
  // Once the attempt has ended, the files that the worker has written have no secrets either.
  expect(said).not.toContain(TOKEN);
  for (const how of [[], ['--raw']]) {
    const { stdout } = await project.lanehold('orchestrate', 'logs', 'a', ...how);
    expect(stdout).toContain('the last word');
    expect(stdout).not.toContain(TOKEN);
  }
  expect(run.lane('a').attempt?.usage).toMatchObject({ turns: 3 });
});
