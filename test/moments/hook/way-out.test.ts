/** The command that a denial names runs in the agent's shell, whatever is on its PATH. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { beforeCommand } from '../../support/payloads.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { FEATURES, shop } from '../../support/shop.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/lanehold.js');
const SYSTEM = '/usr/local/bin:/usr/bin:/bin';

function executable(box: Sandbox, path: string, text: string): string {
  const file = box.write(path, text);
  chmodSync(file, 0o755);
  return dirname(file);
}

function linked(box: Sandbox): string {
  const folder = join(box.root, 'linked');
  mkdirSync(folder);
  symlinkSync(PROGRAM, join(folder, 'lanehold'));
  return folder;
}

const OTHER = '#!/bin/sh\necho "not the program that holds" >&2\nexit 9\n';

test.each<[string, (box: Sandbox) => string[], RegExp]>([
  [
    'no lanehold',
    () => [],
    /^Verify: \S+\/node \S+\/bin\/lanehold\.js feature verify cart && git push$/m,
  ],
  [
    'another program of that name',
    (box) => [executable(box, 'other/lanehold', OTHER), dirname(process.execPath)],
    /^Verify: \S+\/node \S+\/bin\/lanehold\.js feature verify cart && git push$/m,
  ],
  [
    'a node that does not start',
    (box) => [executable(box, 'old/node', OTHER)],
    /^Verify: \S+\/node \S+\/bin\/lanehold\.js feature verify cart && git push$/m,
  ],
  [
    'a relative folder that may have another lanehold first',
    (box) => ['.', linked(box), dirname(process.execPath)],
    /^Verify: \S+\/node \S+\/bin\/lanehold\.js feature verify cart && git push$/m,
  ],
  [
    'lanehold and its Node',
    (box) => [linked(box), dirname(process.execPath)],
    /^Verify: lanehold feature verify cart && git push$/m,
  ],
])('with %s on PATH', async (_, folders, way) => {
  const box = sandbox();
  const project = shop(box, { features: { cart: FEATURES.cart } });
  project.write('src/cart/total.txt', 'changed\n');
  box.commit(project.repo);
  const env = { ...box.env, PATH: [...folders(box), SYSTEM].join(delimiter) };
  const payload = beforeCommand(project.repo, 'git push');
  const { stdout } = await box.hook('before-tool', payload, { env });
  const reason: string = JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;
  expect(reason).toMatch(way);
  const [, command = ''] = /^Verify: (.*) && git push$/m.exec(reason) ?? [];
  execFileSync('/bin/sh', ['-c', command], { cwd: project.repo, env, stdio: 'pipe' });
  expect(await box.hook('before-tool', payload, { env })).toMatchObject({
    exitCode: 0,
    stdout: '',
  });
});
