import { expect, test } from 'vitest';
import { isDeniedPath } from '../../../src/base/files/denied-paths.ts';

test.each([
  '.env',
  '.ENV',
  'apps/web/.env.production',
  '.env.local',
  '.envrc',
  '.env_backup',
  'certs/server.pem',
  'server.KEY',
  'store.p12',
  'id_rsa',
  'deploy/id_ed25519',
  'id_ed25519_sk.old',
  '.netrc',
  '_netrc',
  '.git-credentials',
  'credentials.json',
  '.credentials.json',
  '.aws/config',
  'home/.ssh/known_hosts',
])('%s never enters', (path) => {
  expect(isDeniedPath(path)).toBe(true);
});

test.each([
  'src/env.ts',
  '.env.example',
  'apps/web/.env.local.sample',
  '.environment/readme.md',
  'id_rsa.pub',
  'src/id_tools.py',
  'src/credentials.ts',
  'key/map.ts',
  'pem',
  'keys.ts',
])('%s may', (path) => {
  expect(isDeniedPath(path)).toBe(false);
});
