/** A waiver or an attestation of an agent needs the record that a person was asked about exactly it. */
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { beforeCommand } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';
import { FEATURES, shop } from '../support/shop.ts';

const AGENT = { CLAUDECODE: '1' };
const WAIVE = ['feature', 'waive', 'cart', '--reason', 'the sandbox is down'];
const WAIVE_TEXT = "lanehold feature waive cart --reason 'the sandbox is down'";

function changed(gate?: object) {
  const box = sandbox();
  const features = { cart: FEATURES.cart, notes: { files: ['notes/**'] } };
  const project = shop(box, { features, ...(gate ? { gate } : {}) });
  project.change('src/cart/add.ts');
  const run = (argv: readonly string[], options?: Parameters<typeof command>[3]) =>
    command(box, project.repo, argv, options);
  const ask = async (text: string) => {
    const { stdout } = await box.hook('before-tool', beforeCommand(project.repo, text));
    return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
  };
  return { ...project, box, run, ask };
}

test('once, after the hook has asked, and only with the same words', async () => {
  const { run, ask } = changed();
  const refused = await run(WAIVE, { env: AGENT });
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain(
    'no person was asked about exactly this waiver\nhint: run it as a',
  );

  // The hook of this one can have nobody asked.
  const other = await run(WAIVE, { env: { CODEX_CI: '1' } });
  expect(other.stderr).toMatch(/hint: a person runs this in a terminal of their own: lanehold \S/);

  expect(await ask(`cd src && ${WAIVE_TEXT}`)).toBe('ask');
  expect(await ask(WAIVE_TEXT)).toBe('ask');
  const others = [...WAIVE.slice(0, -1), 'another reason'];
  expect((await run(others, { env: AGENT })).exitCode).toBe(1);
  expect((await run(WAIVE, { env: AGENT, program: '/tmp/renamed.js' })).exitCode).toBe(1);
  const late = new Date(Date.now() + 11 * 60_000);
  expect((await run(WAIVE, { env: AGENT, now: late })).exitCode).toBe(1);
  expect((await run(WAIVE, { env: AGENT })).exitCode).toBe(0);
  await ask('true');
  expect((await run(WAIVE, { env: AGENT })).exitCode).toBe(0);
  expect((await run(WAIVE, { env: AGENT })).exitCode).toBe(1);
});

describe('an agent is known', () => {
  test.each<[string, readonly string[], boolean]>([
    ['by its program', ['/usr/local/bin/claude', '-p', 'x'], true],
    ['by its package', ['node', '/lib/node_modules/@anthropic-ai/claude-code/cli.js'], true],
    ['by its script', ['node', '/usr/bin/codex'], true],
    ['not by a folder', ['vi', '/home/ada/claude-code/notes.md'], false],
    ['not by a shell', ['-bash'], false],
    ['not by an editor', ['/usr/share/cursor/cursor', '--no-sandbox'], false],
    ['a smoke test', ['node', '/x/bin/lanehold.js', 'feature', 'verify', 'cart'], true],
    ['a test that is measured', ['node', '/x/bin/lanehold.js', 'feature', 'learn'], true],
    ['a test of a proposal', ['node', '/x/bin/lanehold.js', 'init', '--yes'], true],
    ['a test that is tried', ['/x/lanehold', 'feature', 'discover', '--try'], true],
    ['not by a list of features', ['/x/lanehold', 'feature', 'list'], false],
  ])('%s among the processes above', async (_, words, isRefused) => {
    const { run } = changed();
    const { exitCode } = await run(WAIVE, { parents: [['sh', '-c', 'x'], words, ['init']] });
    expect(exitCode).toBe(isRefused ? 1 : 0);
  });
});

test('words that only running would tell cannot be agreed to', async () => {
  const { ask, judge } = changed();
  expect(await ask('lanehold feature waive cart --reason "$(cat why)"')).toBe('deny');
  expect((await judge('lanehold feature waive "$(cat x)" --reason y')).reason).toContain(
    'write all of it',
  );
});

test('`gate.waive: agent` allows waivers, not attestations', async () => {
  const { run, git, repo, box, ask } = changed({ waive: 'agent' });
  git('push', '--quiet', 'origin', 'HEAD~1:main');
  box.write(`${repo}/notes/one.md`, 'one\n');
  expect((await run(WAIVE, { env: AGENT })).exitCode).toBe(0);
  const attest = ['feature', 'verify', 'notes', '--attest', '--notes', 'read'];
  expect((await run(attest, { env: AGENT })).exitCode).toBe(1);
  expect(await ask('lanehold feature verify notes --attest --notes read')).toBe('ask');
  expect((await run(attest, { env: AGENT })).exitCode).toBe(0);
});

describe('to take away from a feature that others have', () => {
  test.each<[what: string, argv: string[], held: string[]]>([
    ['removing it', ['remove', 'cart'], []],
    ['narrowing it', ['add', 'cart', '--replace', '--files', 'src/cart/x.ts'], []],
    ['proving it otherwise', ['add', 'cart', '--replace', '--smoke', 'true x'], ['cart']],
  ])('%s: a person is asked, and then it counts', async (_, argv, held) => {
    const { run, ask, judge, commit } = changed();
    const command = ['feature', ...argv];
    expect(await run(command, { env: AGENT })).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await ask(`lanehold ${command.join(' ').replace('true x', "'true x'")}`)).toBe('ask');
    expect((await run(command, { env: AGENT })).exitCode).toBe(0);
    commit('less');
    // Only the new definition is left to be verified, if it has the changed file at all.
    const said = await judge('git push');
    expect(said.held).toEqual(held);
    expect(said.reason).not.toContain('as defined before');
  });

  test('nobody is asked where nothing is lifted', async () => {
    const { run, ask, register, verify } = changed();
    for (const text of [
      'lanehold feature remove notes',
      'lanehold feature remove nothing',
      "lanehold feature add cart --replace --description 'goods'",
      "lanehold feature add new --files 'x' --smoke 'y'",
    ]) {
      expect(await ask(text), text).toBeUndefined();
    }
    await verify('cart');
    expect(await ask('lanehold feature remove cart')).toBeUndefined();
    register({ cart: FEATURES.cart, mine: { files: ['src/cart/**'], smoke: ['false'] } });
    expect(await ask('lanehold feature remove mine')).toBeUndefined();
    expect((await run(['feature', 'remove', 'mine'], { env: AGENT })).exitCode).toBe(0);
  });
});
