/** Hooks of other makers around ours, and what reached them. */
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { command } from '../support/command.ts';
import { push } from '../support/pushing.ts';
import type { Sandbox } from '../support/sandbox.ts';
import type { Shop } from '../support/shop.ts';

/** Writes an executable file. */
export function hook(box: Sandbox, file: string, text: string): string {
  const path = box.write(file, text);
  chmodSync(path, 0o755);
  return path;
}

export async function gitHook(
  box: Sandbox,
  directory: string,
  name: 'install' | 'remove' | 'status',
) {
  const { exitCode, stdout, stderr } = await command(box, directory, ['git-hook', name, '--json']);
  return { exitCode, stderr, ...JSON.parse(stdout) };
}

/** Name, mode and content of everything in a folder. */
export function contents(folder: string): object {
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const file = join(folder, name);
      const { mode } = lstatSync(file);
      const isLink = lstatSync(file).isSymbolicLink();
      return [name, [mode, isLink ? readlinkSync(file) : readFileSync(file, 'latin1')]];
    }),
  );
}

/** Says in a file what reached it, and exits as the file `fail` says. */
export const RECORDER = `#!/bin/sh
{ echo "args $*"; cat; } >> "$GIT_WITNESS"
[ ! -f "$GIT_WITNESS.fail" ] || exit 3
`;

export interface Witness {
  readonly env: Readonly<Record<string, string>>;
  said(): string;
  /** From now on the hook that reports to it fails. */
  fail(): void;
}

export function witness(box: Sandbox): Witness {
  const file = join(box.root, 'witness');
  return {
    env: { GIT_WITNESS: file },
    said: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    fail: () => box.write('witness.fail', ''),
  };
}

export const linesFor = (it: Shop): string =>
  `args origin ${it.remote}\nrefs/heads/main ${it.git('rev-parse', 'HEAD')} refs/heads/main ` +
  `${it.git('rev-parse', 'HEAD~1')}\n`;

/** A hook from before runs on all that git gave, and only once ours has let the push through. */
export async function expectBothRun(box: Sandbox, it: Shop, seen: Witness): Promise<void> {
  const options = { env: seen.env };
  it.change('src/cart/add.ts', `${Math.random()}\n`);
  expect(await push(box, it, [], options)).toMatchObject({ verdict: 'held', held: ['cart'] });
  expect(seen.said()).toBe('');
  const lines = linesFor(it);
  await it.verify('cart');
  expect((await push(box, it, [], options)).verdict).toBe('pushed');
  expect(seen.said()).toBe(lines);
  it.change('README.md', 'fails\n');
  seen.fail();
  const failed = await push(box, it, [], options);
  expect(failed).toMatchObject({ verdict: 'refused', held: [] });
}
