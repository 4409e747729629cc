import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');
const SCRIPT = join(PACKAGE, 'scripts/on-path.mjs');
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

test.each([[], ['.local/bin']])(
  'the line that `npm start` prints gives the command lanehold, with %j on PATH',
  (...own) => {
    const { home } = sandbox();
    const bin = join(home, '.local/bin');
    const env = {
      HOME: home,
      PATH: [...own.map((it) => join(home, it)), process.env.PATH].join(':'),
    };
    const printed = (PATH: string) =>
      execFileSync(process.execPath, [SCRIPT], { env: { ...env, PATH }, encoding: 'utf8' });
    const line = printed(env.PATH).match(/^ {2}(mkdir .*)$/m)?.[1] ?? '';
    expect(line.includes('export PATH')).toBe(own.length === 0);
    const pasted = `${line} && ${line} && lanehold --version`;
    const said = execFileSync('sh', ['-c', pasted], { env, encoding: 'utf8' });
    expect(said.trim()).toBe(version);
    expect(printed(`${bin}:${env.PATH}`)).not.toContain('mkdir');
  },
);
