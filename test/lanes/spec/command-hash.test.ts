import { expect, test } from 'vitest';
import { commandHash } from '../../../src/lanes/spec/spec.ts';

test('command, folder and time limit each change the hash', () => {
  const hashes = [
    commandHash('npm test', '', 1000),
    commandHash('npm test ', '', 1000),
    commandHash('npm test', 'a', 1000),
    commandHash('npm test', '', 2000),
    commandHash('npm test', '', 1000, 'npm ci'),
    commandHash('npm', ' test', 1000),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
});
