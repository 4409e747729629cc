/** `gate.onHold: verify`: the hook has the smoke tests run first, then what was held. */
import { expect, test } from 'vitest';
import { beforeCommand } from '../../support/payloads.ts';
import { runProgram } from '../../support/program.ts';
import { sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

test('a held command runs after its smoke tests, if their last times fit', async () => {
  const box = sandbox();
  const it = shop(box, {
    features: {
      cart: { files: ['src/cart/**'], smoke: ['echo cart tested'] },
      checkout: { files: ['src/checkout/**'], smoke: ['sleep 0.3'] },
    },
  });
  const answer = async (command: string, given: object = {}, env: Record<string, string> = {}) => {
    const payload = beforeCommand(it.repo, command);
    const input = { ...payload.tool_input, ...given };
    const ran = await box.startHook('before-tool', { ...payload, tool_input: input }, { env });
    const said = ran.stdout === '' ? {} : JSON.parse(ran.stdout).hookSpecificOutput;
    return { exitCode: ran.exitCode, ...said };
  };
  const denied = { exitCode: 2, permissionDecision: 'deny' };
  await it.verify('cart', 'checkout');
  it.change('src/cart/add.ts');

  // Off by default, and no repository can switch it on.
  expect(await answer('git push')).toMatchObject(denied);
  expect((await it.lanehold('config', 'set', 'gate.onHold', 'verify')).exitCode).toBe(0);
  const first = await answer('cd src && git push origin main', {
    timeout: 5000,
    description: 'send',
  });
  expect(first).toMatchObject({
    exitCode: 0,
    updatedInput: {
      command: expect.stringMatching(/^cd src && .*feature verify cart && git push origin main$/),
      timeout: 5000,
      description: 'send',
    },
    additionalContext: expect.stringContaining('cart is not verified'),
  });
  // The user's own permissions decide.
  expect(first).not.toHaveProperty('permissionDecision');

  for (const [command, why] of [
    ['git push; echo sent', 'the tests may fail and the rest runs'],
    [
      'if true; then git push; fi',
      'it has no place where a verification would certainly come first',
    ],
    ['git push --no-verify', 'a person decides about that'],
    ['make && git commit -am x && git push', 'what leaves cannot be told'],
  ]) {
    expect({ why, ...(await answer(command ?? '')) }).toMatchObject(denied);
  }
  // The time of the tests, in relation to what the agent gives, or usually gives.
  it.change('src/checkout/pay.ts');
  expect(await answer('git push', { timeout: 400 })).toMatchObject(denied);
  expect(await answer('git push', {}, { BASH_DEFAULT_TIMEOUT_MS: '400' })).toMatchObject(denied);
  const both = await answer('git push', { timeout: 60_000 });
  expect(both.updatedInput.command).toContain('feature verify cart checkout && git push');

  // The agent sees the output of both.
  const ran = await runProgram('sh', ['-c', both.updatedInput.command], {
    cwd: it.repo,
    env: box.env,
  });
  expect(ran.exitCode).toBe(0);
  expect(`${ran.stdout}${ran.stderr}`).toMatch(
    /^cart: echo cart tested passed[\s\S]*main -> main/m,
  );

  it.register({
    cart: { files: ['src/cart/**'], smoke: ['echo never run before'] },
    checkout: { files: ['src/checkout/**'] },
  });
  it.change('src/cart/add.ts', 'three\n');
  expect(await answer('git push')).toMatchObject(denied);
});
