import { expect, test } from 'vitest';
import { clash, judgedSpecHash, specHash } from '../../../src/lanes/spec/spec.ts';
import type { LaneSpec } from '../../../src/store/lanes.ts';

const BARE: LaneSpec = {
  desc: 'Work',
  notes: '',
  touches: ['src/**'],
  reads: [],
  needs: [],
  agent: 'claude-code',
  validateCwd: '',
  validateTimeoutS: 60,
  timeoutS: 60,
  budget: {},
  ports: 0,
  overlaps: 'never',
  removesTests: 'no',
};

test('a verdict is on the spec that the attempt began with, and on the present `touches`', () => {
  const wider = { ...BARE, touches: ['src/**', 'docs/**'] };
  const other = { ...BARE, desc: 'Other work' };
  const judged = (present: LaneSpec) => judgedSpecHash(specHash(BARE), present, [BARE, present]);
  expect(judged(BARE)).toBe(specHash(BARE));
  expect(judged(wider)).toBe(specHash(wider));
  expect(judged(other)).not.toBe(specHash(other));
});

test('agent and limits do not change the hash of a spec', () => {
  expect(specHash({ ...BARE, agent: 'codex', budget: { turns: 5 }, ports: 3 })).toBe(
    specHash(BARE),
  );
  expect(specHash({ ...BARE, touches: ['a', 'b'] })).toBe(
    specHash({ ...BARE, touches: ['b', 'a'] }),
  );
});

test('lanes clash over files that both may touch, unless one of them allows it', () => {
  const same = { ...BARE, touches: ['src/*.ts'] };
  expect(clash(BARE, same)).toBe(true);
  expect(clash(BARE, { ...same, overlaps: 'allowed' })).toBe(false);
  expect(clash({ ...BARE, overlaps: 'allowed' }, same)).toBe(false);
  expect(clash(BARE, { ...BARE, touches: ['docs/**'] })).toBe(false);
  expect(clash(BARE, { ...BARE, touches: [] })).toBe(false);
});
