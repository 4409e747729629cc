/**
 * A made-up agent is added to a copy of this package with one folder and one line. The programs that
 * are built from it then know all of the agent.
 */
import { appendFileSync, chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ran, runNode } from '../support/program.ts';
import { sandbox } from '../support/sandbox.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');
const FIXTURE = resolve(import.meta.dirname, '../fixtures/agents/quill');
const LINE = "export { quill } from './quill/agent.ts';\n";
/** Says its version, or works: it changes a file and reports that it is done. */
const PROGRAM = `#!/bin/sh
if [ "$1" = --version ]; then echo 'quill 1.9.0'; exit; fi
cat >/dev/null
echo written by \${QUILL_RUN:-a worker} >src/page.txt
echo '{"done":true}'
`;

const box = sandbox(afterAll);
const copy = join(box.root, 'package');
const env = { ...box.env, PATH: `${join(box.root, 'bin')}${delimiter}${box.env.PATH}` };
const settings = join(box.home, '.quill/quill.json');
let repo: string;

beforeAll(async () => {
  for (const it of [
    'hooks/lanehold-hook.sh',
    'hooks/runs-no-release.sh',
    'src',
    'scripts',
    'bin',
    'migrations',
    'page',
    'tsconfig.json',
    'package.json',
  ]) {
    cpSync(join(PACKAGE, it), join(copy, it), { recursive: true });
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'));
  const folder = join(copy, 'src/agents/quill');
  for (const it of ['agent', 'hooks', 'install', 'worker']) {
    // The fixture is checked where it is; in the copy it stands among the other agents.
    const text = readFileSync(join(FIXTURE, `${it}.ts`), 'utf8');
    box.write(join(folder, `${it}.ts`), text.replaceAll('../../../../src/', '../../'));
  }
  appendFileSync(join(copy, 'src/agents/all.ts'), LINE);
  const built = await runNode(join(copy, 'scripts/build.mjs'), [], { cwd: copy, env: process.env });
  expect(built).toMatchObject({ exitCode: 0, stderr: '' });

  chmodSync(box.write('bin/quill', PROGRAM), 0o755);
  box.git(box.root, 'init', '--quiet', '--bare', 'remote.git');
  repo = box.repo();
  box.write('repo/src/page.txt', 'one\n');
  const core = { files: ['src/**'], smoke: ['true'] };
  box.write(
    'repo/lanehold.json',
    JSON.stringify({ features: { core }, lanes: { baseline: 'when-needed' } }),
  );
  box.commit(repo);
  box.git(repo, 'remote', 'add', 'origin', '../remote.git');
});

const lanehold = (args: readonly string[], more: Record<string, string> = {}): Promise<Ran> =>
  runNode(join(copy, 'bin/lanehold.js'), args, { cwd: repo, env: { ...env, ...more } });

async function hook(payload: object) {
  const ran = await runNode(
    join(copy, 'hooks/lanehold-hook.cjs'),
    ['before-tool', '--agent', 'quill'],
    { cwd: repo, env, input: JSON.stringify({ talk: '1', at: repo, ...payload }) },
  );
  return { ...ran, said: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) };
}

test('its hook denies a push, in its own form', async () => {
  expect(await hook({ command: 'git push origin main' })).toMatchObject({
    exitCode: 7,
    stderr: '',
    said: { verdict: 'deny', because: expect.stringContaining('core') },
  });
  expect(await hook({ command: 'git status' })).toMatchObject({ exitCode: 0, said: undefined });
});

test('hooks are installed for it, checked by doctor, and taken out again', async () => {
  box.write(settings, '{\n  "pen": "goose"\n}\n');
  const before = readFileSync(settings, 'utf8');
  expect(await lanehold(['install', '--agent', 'quill'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('installed the 1 hook for quill'),
  });
  expect(JSON.parse(readFileSync(settings, 'utf8')).hooks.beforeLine).toHaveLength(1);

  const doctor = await lanehold(['doctor', '--json']);
  const facts = JSON.parse(doctor.stdout).findings.map((it: { fact: string }) => it.fact);
  expect(facts).toContain(`1 hook in ${settings}`);
  expect(facts).toContain('the beforeLine hook answers');
  expect(facts).toContain('Quill 1.9.0 forgets its hooks');
  expect(doctor.exitCode).toBe(0);

  expect(await lanehold(['uninstall'])).toMatchObject({ exitCode: 0 });
  expect(readFileSync(settings, 'utf8')).toBe(before);
});

test.each([
  ['an edit of its settings', () => ({ page: settings }), 'settings that run lanehold'],
  [
    'a command that writes them',
    () => ({ command: `rm ${settings}` }),
    'settings that run lanehold',
  ],
  ['a pattern for them', () => ({ command: 'rm ~/.quil*/q*.json' }), 'settings that run lanehold'],
  ['its flag', () => ({ command: 'quill write --no-hooks' }), '--no-hooks'],
  ['its setting', () => ({ command: 'quill --set hooksOff=1' }), 'hooksOff'],
  ['its variable', () => ({ command: 'QUILL_BARE=1 quill write' }), 'QUILL_BARE'],
])('a person is asked about %s', async (_, payload, because) => {
  expect(await hook(payload())).toMatchObject({
    exitCode: 0,
    said: { verdict: 'ask', because: expect.stringContaining(because) },
  });
});

test('it is named as the one who verified', async () => {
  const marks = { QUILL_RUN: '1', QUILL_SESSION: 'talk-7' };
  expect(await lanehold(['feature', 'verify', 'core'], marks)).toMatchObject({ exitCode: 0 });
  const { stdout } = await lanehold(['feature', 'history', 'core', '--json']);
  expect(stdout).toContain('"agent quill"');
});

test('it works on a lane, without the marks of the session that started it', async () => {
  const marks = { QUILL_RUN: 'a session', QUILL_SESSION: 'talk-7' };
  await lanehold(['config', 'set', 'lanes.workers.scribe', '{"adapter": "quill"}']);
  const orchestrate = async (...args: string[]) => {
    const ran = await lanehold(['orchestrate', ...args], marks);
    expect(ran).toMatchObject({ exitCode: 0 });
    return ran.stdout;
  };
  await orchestrate('init', 'Write');
  const validate = ['--validate', "grep -q 'written by a worker' src/page.txt"];
  await orchestrate('lane', 'add', 'page', '--desc', 'Write it', '--agent', 'scribe', ...validate);
  expect(await orchestrate('spawn', 'page', '--wait')).toBe('page: verified\n');
  expect(existsSync(join(repo, '.quill'))).toBe(false);
});
