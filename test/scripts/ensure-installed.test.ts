import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '../../scripts');
const PACKAGE = { version: '1.0.0', integrity: 'sha512-one' };
const OTHER_PLATFORM = { version: '2.0.0', integrity: 'sha512-two', optional: true };

let folder = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'lanehold-install-')));
  mkdirSync(join(folder, 'scripts'));
  for (const script of ['checkout.mjs', 'ensure-installed.mjs']) {
    cpSync(join(SCRIPTS, script), join(folder, 'scripts', script));
  }
  write(
    'package-lock.json',
    lockOf({ 'node_modules/a': PACKAGE, 'node_modules/b': OTHER_PLATFORM }),
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a fresh clone is installed, and what happens is said', () => {
  const { status, stderr } = ensureInstalled();
  expect(status).toBe(0);
  expect(stderr).toContain('no node_modules: installing');
  expect(ranNpm()).toBe(true);
});

test('an installation that matches the lock file is left alone, and nothing is said', () => {
  install({ 'node_modules/a': PACKAGE });
  expect(ensureInstalled()).toMatchObject({ status: 0, stderr: '' });
  expect(ranNpm()).toBe(false);
});

test.each([
  ['another version', { ...PACKAGE, version: '1.0.1' }],
  ['other content under the same version', { ...PACKAGE, integrity: 'sha512-other' }],
])('%s in the lock file is installed', (_, wanted) => {
  install({ 'node_modules/a': PACKAGE });
  write('package-lock.json', lockOf({ 'node_modules/a': wanted }));
  expect(ensureInstalled().stderr).toContain('not what package-lock.json names');
  expect(ranNpm()).toBe(true);
});

test('an installation that was cut short is done again', () => {
  install({ 'node_modules/a': PACKAGE });
  rmSync(join(folder, 'node_modules/.package-lock.json'));
  ensureInstalled();
  expect(ranNpm()).toBe(true);
});

test("a node_modules that belongs to another checkout is never npm's to empty", () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  symlinkSync(other, join(folder, 'node_modules'));
  expect(ensureInstalled()).toMatchObject({ status: 0, stderr: '' });
  expect(ranNpm()).toBe(false);
});

test("npm's failure is passed on", () => {
  const { status, stderr } = ensureInstalled({ npmExitsWith: 7 });
  expect(status).toBe(7);
  expect(stderr).toContain('npm ci failed with exit code 7');
});

/** Runs the script with a program named `npm` first on PATH that only notes that it was called. */
function ensureInstalled({ npmExitsWith = 0 } = {}) {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh\necho "$@" > '${folder}/npm-ran'\nexit ${npmExitsWith}\n`,
  );
  chmodSync(join(bin, 'npm'), 0o755);
  const path = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  return spawnSync(process.execPath, [join(folder, 'scripts/ensure-installed.mjs')], {
    encoding: 'utf8',
    env: { PATH: path },
  });
}

function ranNpm(): boolean {
  return existsSync(join(folder, 'npm-ran'));
}

function install(packages: Record<string, object>): void {
  write('node_modules/node/bin/node', '');
  write('node_modules/.package-lock.json', lockOf(packages));
}

function lockOf(packages: Record<string, object>): string {
  return JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'x' }, ...packages } });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
