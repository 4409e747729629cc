/** Evidence status: the newest record about exactly this content decides. */
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Features, type Shop, shop } from '../support/shop.ts';

const START = new Date('2026-03-01T12:00:00Z');
const later = (hours: number) => new Date(START.getTime() + hours * 3_600_000);

/** A shop whose cart was changed and committed; `at` runs a command at some time. */
function changedShop(features?: Features, gate?: object) {
  const box = sandbox();
  const project = shop(box, { ...(features && { features }), ...(gate && { gate }) });
  project.change('src/cart/add.ts');
  return { box, project, at: clock(box, project) };
}

function clock(box: Sandbox, { repo }: Shop) {
  return (now: Date, ...argv: string[]) => command(box, repo, argv, { now });
}

describe('a waiver', () => {
  test('lets exactly the present content leave, for as long as it says', async () => {
    const { at } = changedShop();
    const run = await at(
      START,
      'feature',
      'waive',
      'cart',
      '--reason',
      'hotfix',
      '--expires',
      '24h',
    );
    expect(run).toMatchObject({
      exitCode: 0,
      stdout:
        'Waived cart for exactly the present content, and not after 2026-03-02T12:00:00.000Z\n',
    });
    expect((await at(later(23), 'gate', '--command', 'git push')).exitCode).toBe(0);
    const expired = await at(later(26), 'gate', '--command', 'git push');
    expect(expired.exitCode).toBe(3);
    expect(expired.stdout).toContain('- cart: its waiver expired 2 hours ago\n');
  });

  test('without an end stands until the next edit', async () => {
    const { at, project } = changedShop();
    await at(START, 'feature', 'waive', 'cart', '--reason', 'tested by hand');
    expect((await at(later(9999), 'gate', '--command', 'git push')).exitCode).toBe(0);
    project.change('src/cart/add.ts', 'one byte more\n');
    const held = await at(later(9999), 'gate', '--command', 'git push');
    expect(held.exitCode).toBe(3);
    expect(held.stdout).toContain('changed since it was waived 416 days ago: src/cart/add.ts');
  });

  test('of the working tree does not cover another commit; --at does', async () => {
    const { at, project } = changedShop();
    project.write('src/cart/add.ts', 'not committed\n');
    await at(START, 'feature', 'waive', 'cart', '--reason', 'x');
    expect((await at(START, 'gate', '--command', 'git push')).exitCode).toBe(3);
    await at(START, 'feature', 'waive', 'cart', '--at', 'HEAD', '--reason', 'x');
    expect((await at(START, 'gate', '--command', 'git push')).exitCode).toBe(0);
  });

  test('that has expired gives way to the pass that stood before it', async () => {
    const { at } = changedShop();
    await at(START, 'feature', 'verify', 'cart');
    await at(later(1), 'feature', 'waive', 'cart', '--reason', 'x', '--expires', '1h');
    expect((await at(later(5), 'gate', '--command', 'git push')).exitCode).toBe(0);
  });

  test('that has expired does not hide a failure that came before it', async () => {
    const features: Features = { cart: { files: ['src/cart/**'], smoke: ['exit 4'] } };
    const { at } = changedShop(features);
    await at(START, 'feature', 'verify', 'cart');
    await at(later(1), 'feature', 'waive', 'cart', '--reason', 'x', '--expires', '1h');
    expect((await at(later(1), 'gate', '--command', 'git push')).exitCode).toBe(0);
    const held = await at(later(5), 'gate', '--command', 'git push');
    expect(held.stdout).toContain('- cart: `exit 4` failed with exit code 4');
  });

  test('keeps no secret of its reason', async () => {
    const { at } = changedShop();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    await at(START, 'feature', 'waive', 'cart', '--reason', `see ${secret}`);
    expect((await at(START, 'feature', 'history', 'cart', '--json')).stdout).not.toContain(secret);
  });

  test('by an agent has to be agreed to by a person', async () => {
    const { project } = changedShop();
    const { decision, reason } = await project.judge("lanehold feature waive cart --reason 'x'");
    expect(decision).toBe('ask');
    expect(reason).toContain('it would lift a hold without running its tests.');
    expect(reason).toContain('lanehold feature waive cart --reason x');
  });
});

describe('a later record supersedes an earlier one', () => {
  test('a failure a pass, and a pass a failure', async () => {
    const { at, box, project } = changedShop({
      cart: { files: ['src/cart/**'], smoke: ['test -e ../works'] },
    });
    expect((await at(START, 'feature', 'verify', 'cart')).exitCode).toBe(1);
    expect((await at(START, 'gate', '--command', 'git push')).exitCode).toBe(3);
    box.write('works', '');
    await project.verify('cart');
    expect((await at(later(1), 'gate', '--command', 'git push')).exitCode).toBe(0);
    const { rmSync } = await import('node:fs');
    rmSync(`${box.root}/works`);
    expect((await at(later(2), 'feature', 'verify', 'cart')).exitCode).toBe(1);
    expect((await at(later(2), 'gate', '--command', 'git push')).stdout).toContain(
      '- cart: `test -e ../works` failed with exit code 1',
    );
  });

  test('records are never removed: the history lists all, newest first', async () => {
    const { at, project } = changedShop();
    await at(START, 'feature', 'verify', 'cart');
    await at(later(1), 'feature', 'waive', 'cart', '--reason', 'why', '--expires', '2h');
    project.change('src/cart/add.ts', 'three\n');
    await at(later(3), 'feature', 'verify', 'cart');
    const { stdout } = await at(later(4), 'feature', 'history', 'cart');
    const kinds = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s{2,}/));
    expect(kinds).toMatchObject([
      ['passed', '1 hour ago', expect.any(String), 'true'],
      ['waived', '3 hours ago', expect.any(String), 'why (until 2026-03-01T15:00:00.000Z)'],
      ['passed', '4 hours ago', expect.any(String), 'true'],
    ]);
    const one = await at(later(4), 'feature', 'history', 'cart', '--limit', '1', '--json');
    expect(JSON.parse(one.stdout).records).toHaveLength(1);
  });
});

describe('an attestation', () => {
  const features: Features = {
    cart: { files: ['src/cart/**'] },
    checkout: { files: ['src/checkout/**'], smoke: ['true'] },
  };
  const attest = ['feature', 'verify', '--attest', '--notes', 'read it'] as const;

  test('is for features without a smoke test', async () => {
    const { at, project } = changedShop(features);
    const plain = await at(START, 'feature', 'verify', 'cart');
    expect(plain.exitCode).toBe(1);
    expect(plain.stdout).toContain('cart: has no smoke test');
    expect(plain.stdout).toContain("verify cart --attest --notes 'NOTES'");
    expect(await at(START, ...attest, 'cart')).toMatchObject({
      exitCode: 0,
      stdout: 'Attested cart\n',
    });
    expect((await at(START, 'gate', '--command', 'git push')).exitCode).toBe(0);
    project.change('src/cart/add.ts', 'three\n');
    expect((await at(START, 'gate', '--command', 'git push')).exitCode).toBe(3);
  });

  test('does not stand in for a smoke test, unless the policy says so', async () => {
    const { at } = changedShop(features);
    const refused = await at(START, ...attest, 'cart', 'checkout');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('`checkout` has a smoke test, so it has to be run');
    const none = await at(START, 'feature', 'history', 'cart', '--json');
    expect(JSON.parse(none.stdout).records).toEqual([]);

    const free = changedShop(features, { attest: 'any' });
    expect((await free.at(START, ...attest, 'cart', 'checkout')).exitCode).toBe(0);
  });

  test('is not decided by a local change of the policy', async () => {
    const { at, project } = changedShop(features);
    project.register(features, { attest: 'any' });
    expect((await at(START, ...attest, 'checkout')).exitCode).toBe(2);
    project.change('README.md');
    expect((await at(START, ...attest, 'checkout')).exitCode).toBe(2);
    await at(START, ...attest, 'cart');
    project.git('push', '--quiet');
    expect((await at(START, ...attest, 'checkout')).exitCode).toBe(0);
  });

  test.each([[[]], [['--notes', '   ']]])('needs notes: %j', async (notes) => {
    const { at } = changedShop(features);
    const run = await at(START, 'feature', 'verify', 'cart', '--attest', ...notes);
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: "error: an attestation needs notes\nhint: --notes 'what was checked'\n",
    });
  });
});

describe('the registry while a feature is held', () => {
  const AGENT = { LANEHOLD_AGENT: 'codex' };

  /** @param by who adds the feature. */
  async function localShop(by: Readonly<Record<string, string>> = {}) {
    const held = changedShop({});
    const { box, project } = held;
    const as = (env: typeof by, ...argv: string[]) =>
      command(box, project.repo, ['feature', ...argv], { env, now: START });
    await as(by, 'add', 'cart', '--files', 'src/cart/**', '--smoke', 'true');
    return { ...held, as };
  }

  const less: readonly (readonly [what: string, argv: string[], action: string])[] = [
    ['remove it', ['remove', 'cart'], 'removing it'],
    ['narrow it', ['add', 'cart', '--replace', '--files', 'src/cart/x.ts'], 'narrowing it'],
    ['exclude', ['add', 'cart', '--replace', '--files', 'src/cart/**', '!**/add.ts'], 'narrowing'],
    ['prove it otherwise', ['add', 'cart', '--replace', '--smoke', 'echo'], 'narrowing it'],
    ['run it elsewhere', ['add', 'cart', '--replace', '--smoke', 'true', '--cwd', 'src'], 'narrow'],
    ['narrow it for all', ['add', 'cart', '--shared', '--replace', '--files', 'x'], 'narrowing it'],
  ];

  test.each(less)('refuses an agent to %s, if a person has added it', async (_, argv, action) => {
    const { at, as } = await localShop();
    const before = (await at(START, 'feature', 'list', '--json')).stdout;
    const run = await as(AGENT, ...argv);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain(`error: \`cart\` is not verified; ${action}`);
    expect(run.stderr).toContain('hint: run `lanehold feature verify cart` first');
    expect((await at(START, 'feature', 'list', '--json')).stdout).toBe(before);

    // Once it is verified, it may do that.
    await at(START, 'feature', 'verify', 'cart');
    expect((await as(AGENT, ...argv)).exitCode).toBe(0);
  });

  test.each(less)('allows to %s who has added it, and its user', async (_, argv) => {
    for (const who of [AGENT, {}]) {
      const { as, project } = await localShop(who);
      expect((await as(who, ...argv)).exitCode).toBe(0);
      expect((await project.judge('git push')).reason).not.toContain('as defined before');
    }
  });

  test.each(less)('lets anybody %s, if no base has it yet', async (_, argv) => {
    const { box, project } = changedShop({});
    project.register({ cart: { files: ['src/cart/**'], smoke: ['true'] } });
    project.commit('register');
    const run = await command(box, project.repo, ['feature', ...argv], { env: AGENT });
    expect(run.exitCode).toBe(0);
    project.commit('again');
    expect((await project.judge('git push')).reason).not.toContain('as defined before');
  });

  test('an agent that shares what a person has added does not get rid of it so', async () => {
    const { as, project } = await localShop();
    await as(AGENT, 'share', 'cart');
    await as(AGENT, 'remove', 'cart');
    expect((await project.judge('git push')).held).toEqual(['cart']);
  });

  test('allows to make it wider, and to describe it', async () => {
    const { at } = await localShop();
    const more = ['--files', 'src/cart/**', 'lib/**', '--description', 'goods', '--timeout', '5m'];
    expect((await at(START, 'feature', 'add', 'cart', '--replace', ...more)).exitCode).toBe(0);
  });

  test('allows to share it: it stays held', async () => {
    const { at, project } = await localShop();
    const run = await at(START, 'feature', 'share', 'cart');
    expect(run).toMatchObject({
      exitCode: 0,
      stdout: 'Shared cart in lanehold.json\nhint: commit lanehold.json\n',
    });
    project.commit('share');
    expect((await project.judge('git push')).held).toEqual(['cart']);
    const list = JSON.parse((await at(START, 'feature', 'list', '--json')).stdout).features;
    expect(list).toMatchObject([{ name: 'cart', origin: 'shared' }]);
  });
});
