/** What a lane's tree needs to run is there: ignored files, installed things, ports of its own. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('what .worktreeinclude names is there, and enters no commit', async () => {
  const project = laneProject({
    files: { '.gitignore': '.env\nlocal/\n', '.worktreeinclude': '.env\nlocal/\n' },
    scenario: { lanes: { a: [[{ sh: 'cp .env seen.txt && cat local/db >> seen.txt' }]] } },
  });
  project.box.write(`${project.repo}/.env`, 'TOKEN=1\n');
  project.box.write(`${project.repo}/local/db`, 'rows\n');
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'grep -q TOKEN .env' });
  await run.spawn();
  await run.settled();
  const { head_sha, state } = run.lane('a');
  expect(state).toBe('verified');
  expect(project.git('show', `${head_sha}:seen.txt`)).toBe('TOKEN=1\nrows');
  expect(project.git('ls-tree', '-r', '--name-only', head_sha ?? '')).not.toMatch(/\.env|local/);
});

test('the set-up runs before the worker, once for the same lock file, and again for another', async () => {
  const project = laneProject({
    files: {
      'packages.lock': 'one\n',
      '.gitignore': 'installed\n',
      'lanehold.json': JSON.stringify({
        lanes: { setup: 'fake-check install', setupCache: ['packages.lock'] },
      }),
    },
    scenario: {
      lanes: {
        a: [[{ sh: 'test -e installed' }, { write: { 'a.txt': 'a' } }], [{ write: { b: 'b' } }]],
        c: [[{ write: { 'packages.lock': 'two\n' } }]],
      },
      checks: { install: [[{ write: { installed: 'yes' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'test -e installed' });
  await run.spawn();
  await run.settled();
  const installs = () => project.journal().filter((it) => it.event === 'check').length;
  expect([run.lane('a').state, installs()]).toEqual(['verified', 1]);
  await run.orchestrate('retry', 'a');
  await run.settled();
  expect([run.lane('a').attempts.length, installs()]).toEqual([2, 1]);
  const before = installs();
  await run.add('c', { validate: 'test -e installed' });
  await run.spawn('c');
  await run.settled();
  // For its own lock file once more than for the one that it started with.
  expect(run.lane('c').state).toBe('verified');
  expect(installs()).toBeGreaterThan(before);
  expect(project.journal().filter((it) => it.event === 'failed')).toEqual([]);
});

test('without a set-up the dependencies of the main checkout are there, for the base, too', async () => {
  const lock = JSON.stringify({ packages: { 'node_modules/lib': { version: '1.0.0' } } });
  const project = laneProject({
    files: {
      'package-lock.json': lock,
      '.gitignore': 'node_modules/\n',
      // Fails in the base as in the lane, as far as its library is there.
      'check.sh': 'cat node_modules/lib/index.js && printf "1..1\\nnot ok 1 - old\\n"; exit 1\n',
    },
    scenario: { lanes: { a: [[{ sh: 'cp node_modules/lib/index.js seen.txt' }]] } },
  });
  project.box.write(`${project.repo}/node_modules/.package-lock.json`, lock);
  project.box.write(`${project.repo}/node_modules/lib/index.js`, 'a library\n');
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'sh check.sh' });
  await run.spawn();
  await run.settled();
  const { head_sha, state } = run.lane('a');
  expect(state).toBe('verified');
  expect(project.git('show', `${head_sha}:seen.txt`)).toBe('a library');
});

test('a set-up that fails ends the attempt with its last words, and no worker starts', async () => {
  const project = laneProject({
    scenario: { checks: { install: [[{ stderr: 'no such package\n' }, { exit: 1 }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { more: ['--setup', 'fake-check install'] });
  await run.spawn();
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'failed', attempt: { end_reason: 'crashed' } });
  expect(run.lane('a').attempt?.end_detail).toContain('no such package');
  expect(project.starts()).toEqual([]);
});

test('lanes at work at the same time have ports of their own, in worker and validation alike', async () => {
  const project = laneProject({
    scenario: {
      lanes: { '*': [[{ write: { 'x.txt': 'x' } }, { waitFor: 'go' }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['a', 'b']) {
    await run.add(key, {
      validate: `echo "$LANEHOLD_PORT_0 $LANEHOLD_PORT_1" > "$LANEHOLD_HOME/${key}.ports"`,
      more: ['--ports', '2'],
    });
  }
  await run.spawn();
  await project.until('both', () => project.starts().length === 2);
  project.raise('go');
  await run.settled();
  const ports = project
    .starts()
    .flatMap(({ env }) => [env.LANEHOLD_PORT_0, env.LANEHOLD_PORT_1].map(Number));
  expect(new Set(ports).size).toBe(4);
  for (const { lane, env } of project.starts()) {
    const file = `${project.env.LANEHOLD_HOME}/${lane}.ports`;
    expect(existsSync(file) ? readFileSync(file, 'utf8').trim() : '').toBe(
      `${env.LANEHOLD_PORT_0} ${env.LANEHOLD_PORT_1}`,
    );
  }
});

test('a listed link that leads out of the checkout is not made, and named', async () => {
  const files = { '.gitignore': 'node_modules\n', '.worktreeinclude': 'node_modules\n' };
  const project = laneProject({
    files,
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } },
  });
  symlinkSync(project.box.home, join(project.repo, 'node_modules'));
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'verified');
  const { json } = await project.orchestrate('status');
  const reason = 'node_modules (a link that leads out of the checkout)';
  expect(json.lanes[0].flags).toMatchObject([
    { kind: 'not-included', data: [reason], stops: false },
  ]);
});
