/** The templates for CI, executed as CI would: their own lines, in their own shell. */
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../support/program.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from '../support/sandbox.ts';
import { sshKey, team } from '../support/team.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');

interface Step {
  readonly name: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The steps of `action.yml`: as much of YAML as it uses. */
function actionSteps(): Step[] {
  const text = readFileSync(join(PACKAGE, 'action/action.yml'), 'utf8');
  return text
    .split(/^ {4}- name: /m)
    .slice(1)
    .map((step) => {
      const [name = ''] = step.split('\n', 1);
      const run = /^ {6}run: (?:\|\n((?: {8}.*\n|\n)+)|(.*)$)/m.exec(step);
      const env = /^ {6}env:\n((?: {8}\S.*\n)+)/m.exec(step)?.[1] ?? '';
      const pairs = [...env.matchAll(/^ {8}(\w+): (.*)$/gm)].map(([, key = '', value = '']) => [
        key,
        value,
      ]);
      return { name, run: run?.[1] ?? run?.[2] ?? '', env: Object.fromEntries(pairs) };
    });
}

function gitlabScript(): string {
  const text = readFileSync(join(PACKAGE, 'docs/ci/gitlab.yml'), 'utf8');
  const [, script = ''] = text.split(/^ {2}script:\n/m);
  return script.replaceAll(/^ {4}- (?:\|$)?/gm, '').replaceAll(/^ {6}/gm, '');
}

/** Cart is changed on a branch, verified and, if wanted, vouched for; CI has a clone of it. */
async function proposal(box: Sandbox, { vouched }: { readonly vouched: boolean }) {
  const key = sshKey(box, 'ada');
  const { member, remote } = team(box, {
    evidence: { require: 'signed' },
    signers: [`ada@example.org ${key.publicKey}`],
  });
  const ada = member('ada', key);
  const commit = ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  if (vouched) await ada.done('evidence', 'push');
  const clone = join(box.root, 'ci');
  box.git(box.root, 'clone', '--quiet', '--branch', 'change', remote, clone);
  return { commit, clone };
}

/** A machine of CI: with an `npm` that installs the program of this checkout, and no store. */
function machine(box: Sandbox) {
  const bin = join(box.root, 'bin');
  const npm = [
    '#!/bin/sh',
    `echo "$@" >> '${box.root}/npm-calls'`,
    'while [ "$1" != --prefix ]; do shift; done',
    'mkdir -p "$2/bin"',
    `printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' '${process.execPath}' '${CLI_PROGRAM}' > "$2/bin/lanehold"`,
    'chmod +x "$2/bin/lanehold"',
  ];
  chmodSync(box.write(join(bin, 'npm'), `${npm.join('\n')}\n`), 0o755);
  const temp = join(box.root, 'runner-temp');
  mkdirSync(temp);
  return { temp, env: { ...box.env, LANEHOLD_HOME: undefined, PATH: `${bin}:${box.env.PATH}` } };
}

async function runAction(box: Sandbox, clone: string, inputs: Readonly<Record<string, string>>) {
  const { temp, env } = machine(box);
  const summary = join(temp, 'summary.md');
  const values: Record<string, string> = {
    remote: 'origin',
    'allowed-signers': '',
    package: 'lanehold@1.2.3',
    ...inputs,
  };
  const filled = (text: string) =>
    text
      .replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => values[name] ?? '')
      .replaceAll(/\$\{\{ runner\.temp \}\}/g, temp);
  const steps = actionSteps();
  let last = { exitCode: null as number | null, stdout: '', stderr: '' };
  for (const step of steps) {
    const own = Object.fromEntries(Object.entries(step.env).map(([key, it]) => [key, filled(it)]));
    const github = { RUNNER_TEMP: temp, GITHUB_STEP_SUMMARY: summary, CI: 'true' };
    last = await runProgram('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: clone,
      env: { ...env, ...github, ...own },
    });
    if (last.exitCode !== 0) break;
  }
  return { ...last, steps: steps.map(({ name }) => name), summary };
}

test('no input stands in a script, where a shell would run it', () => {
  const scripts = actionSteps().map(({ run }) => run);
  expect(scripts).toHaveLength(3);
  expect(scripts.join('\n')).not.toContain('${{');
});

test('the action lets through what evidence covers, and says so on the page of the run', async () => {
  const box = sandbox();
  const { clone, commit } = await proposal(box, { vouched: true });
  const run = await runAction(box, clone, { base: 'origin/main', head: commit });
  expect(run).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^::notice title=lanehold::Pass: cart verified/),
    stderr: '',
  });
  expect(readFileSync(run.summary, 'utf8')).toContain('### ✅ Pass: cart verified');
  expect(readFileSync(join(box.root, 'npm-calls'), 'utf8')).toMatch(/ -- lanehold@1\.2\.3\n$/);
});

test('the action holds what no evidence covers', async () => {
  const box = sandbox();
  const { clone, commit } = await proposal(box, { vouched: false });
  const run = await runAction(box, clone, { base: 'origin/main', head: commit });
  expect(run).toMatchObject({ exitCode: 3, stdout: expect.stringMatching(/^::error title=/) });
  const summary = readFileSync(run.summary, 'utf8');
  expect(summary).toMatch(/^### ❌ lanehold holds .*\n\n- cart: never verified\n/);
});

test('the action fails for what it cannot tell', async () => {
  const box = sandbox();
  const { clone, commit } = await proposal(box, { vouched: true });
  const run = await runAction(box, clone, { base: 'no-such-branch', head: commit });
  expect(run).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('::error title=') });
  expect(readFileSync(run.summary, 'utf8')).toContain('### ❌ lanehold cannot tell');
});

test('the action takes a new default branch as it is', async () => {
  const box = sandbox();
  const { clone, commit } = await proposal(box, { vouched: true });
  const run = await runAction(box, clone, { base: '0'.repeat(40), head: commit });
  expect(run.exitCode).not.toBe(2);
});

test('an input with shell in it is only a name', async () => {
  const box = sandbox();
  const { clone } = await proposal(box, { vouched: true });
  const head = `$(touch ${box.root}/owned)`;
  const run = await runAction(box, clone, { base: 'origin/main', head });
  expect(run).toMatchObject({ exitCode: 2 });
  expect(existsSync(join(box.root, 'owned'))).toBe(false);
});

test.each([
  { vouched: true, exitCode: 0 },
  { vouched: false, exitCode: 3 },
])(
  'the job for GitLab ends with $exitCode if vouched is $vouched',
  async ({ vouched, exitCode }) => {
    const box = sandbox();
    const { clone, commit } = await proposal(box, { vouched });
    const { temp, env } = machine(box);
    const run = await runProgram('bash', ['-eo', 'pipefail', '-c', gitlabScript()], {
      cwd: clone,
      env: {
        ...env,
        CI: 'true',
        CI_COMMIT_SHA: commit,
        CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
        LANEHOLD_PACKAGE: 'lanehold@1.2.3',
        LANEHOLD_PREFIX: join(temp, 'lanehold'),
        LANEHOLD_HOME: join(temp, 'home'),
      },
    });
    expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({ exitCode, stderr: '' });
  },
);
