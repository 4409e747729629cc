import { expect, test } from 'vitest';
import { commandHash, environmentHash } from '../../../src/lanes/spec/command-hash.ts';

test('command, folder and time limit each change the hash', () => {
  const hashes = [
    commandHash('npm test', '', 1000),
    commandHash('npm test ', '', 1000),
    commandHash('npm test', 'a', 1000),
    commandHash('npm test', '', 2000),
    commandHash('npm', ' test', 1000),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
});

test('variables that affect tests change the hash', () => {
  const hash = environmentHash({ PATH: '/bin', TZ: 'UTC' });
  expect(environmentHash({ TZ: 'UTC', PATH: '/bin' })).toBe(hash);
  expect(environmentHash({ PATH: '/bin', TZ: 'UTC', SHLVL: '3', LANEHOLD_PORT_0: '4711' })).toBe(
    hash,
  );
  expect(environmentHash({ PATH: '/bin', TZ: 'CET' })).not.toBe(hash);
  expect(environmentHash({ PATH: '/bin', TZ: 'UTC', CI: '1' })).not.toBe(hash);
  expect(environmentHash({ PATH: '/bin', TZ: 'UTC', CI: undefined })).toBe(hash);
});

test('values of secrets are not hashed', () => {
  const withToken = (value: string) => environmentHash({ CARGO_REGISTRY_TOKEN: value });
  expect(withToken('a')).toBe(withToken('b'));
});
