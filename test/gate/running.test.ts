/** A push while a verification runs is told to wait for it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { openStore } from '../../src/store/open.ts';
import { runningVerificationStore } from '../../src/store/running-verifications.ts';
import { sandbox } from '../support/sandbox.ts';
import { FEATURES, shop } from '../support/shop.ts';
import { until } from '../support/until.ts';

test('while it runs, and no longer: not of a process that is gone either', async () => {
  const box = sandbox();
  const begun = join(box.root, 'begun');
  const smoke = [`touch ${begun}; while test ! -e ${begun}.go; do sleep 0.05; done`];
  const project = shop(box, { features: { ...FEATURES, cart: { ...FEATURES.cart, smoke } } });
  const { change, judge, lanehold } = project;
  change('src/cart/add.ts');
  const running = lanehold('feature', 'verify', 'cart');
  await until('the smoke test', () => existsSync(begun));
  const wait = /^Verify: a verification of cart runs since [\d.]+ s: wait for it/m;
  const { decision, reason } = await judge('git push');
  expect(decision).toBe('deny');
  expect(reason).toMatch(wait);
  expect(reason).toContain('wait for it, then run the command again.');
  project.write('src/checkout/pay.ts', 'two\n');
  project.commit();
  expect((await judge('git push')).reason).toMatch(
    /wait for it\nVerify, then run the command again: lanehold feature verify checkout$/m,
  );
  box.write(`${begun}.go`, '');
  await running;

  const store = await openStore(homeOf(box.env));
  const left = { feature: 'checkout', pid: 2 ** 22, start: '1', bootId: 'x', at: new Date() };
  store.write(() => runningVerificationStore(store).put({ projectId: 1, ...left }));
  store.close();
  expect((await judge('git push')).reason).not.toContain('wait for it');
});
