/** A project with features and a bare remote that has its first commit: where gates are tried. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Boundary, Finding } from '../../src/commands/finding.ts';
import { type CommandRun, command } from './command.ts';
import type { Sandbox } from './sandbox.ts';
import { copyTemplate } from './template.ts';

/** A feature as `lanehold.json` writes it. */
export interface Written {
  readonly files: readonly string[];
  readonly smoke?: readonly (string | object)[];
  readonly dependsOn?: readonly string[];
  readonly description?: string;
}

/** It has the files that no other feature has. */
export interface WrittenRest extends Omit<Written, 'files'> {
  readonly rest: true;
}

export type Features = Readonly<Record<string, Written | WrittenRest>>;

/** Two features that know nothing of each other; their smoke tests pass. */
export const FEATURES = {
  cart: { files: ['src/cart/**'], smoke: ['true'] },
  checkout: { files: ['src/checkout/**'], smoke: ['true'] },
} satisfies Features;

export interface Judgement {
  readonly decision: 'none' | 'pass' | 'deny' | 'ask';
  /** Names of the features that the reason lists, in its order. */
  readonly held: readonly string[];
  readonly reason: string;
  /** Why it passes, where that has to be said. */
  readonly undecided: string;
  readonly exitCode: number;
  readonly boundaries: readonly Boundary[];
}

interface Options {
  readonly features?: Features;
  readonly gate?: object;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export function shop(box: Sandbox, { features = FEATURES, gate, env = {} }: Options = {}) {
  const remote = join(box.root, 'remote.git');
  const repo = join(box.root, 'shop');
  const write = (path: string, content: string) => box.write(join(repo, path), content);

  const registry = (next: Features, policy: object | undefined): string =>
    JSON.stringify({ features: next, ...(policy === undefined ? {} : { gate: policy }) }, null, 2);

  function register(next: Features, policy: object | undefined = gate): void {
    write('lanehold.json', registry(next, policy));
  }

  const first = registry(features, gate);
  copyTemplate(first, box.root, (folder) => makeShop(box, folder, first));
  box.write(
    join(repo, '.git/config'),
    readFileSync(join(repo, '.git/config'), 'utf8').replace(/url = .*/, `url = ${remote}`),
  );
  // A copied index knows other files by their numbers.
  box.git(repo, 'update-index', '--refresh');

  const lanehold = (...argv: string[]): Promise<CommandRun> => command(box, repo, argv, { env });

  return {
    repo,
    remote,
    write,
    register,
    lanehold,
    git: (...args: string[]) => box.git(repo, ...args),
    commit: (message?: string) => box.commit(repo, message),
    /** Writes a file and commits it; returns the commit's id. */
    change(path: string, content = `${path} changed\n`): string {
      write(path, content);
      return box.commit(repo, `change ${path}`);
    },
    /** What the gate says to a command that an agent is about to run. */
    async judge(text: string, cwd = repo): Promise<Judgement> {
      const run = await command(box, cwd, ['gate', '--command', text, '--json'], { env });
      const said = JSON.parse(run.stdout);
      return {
        decision: said.decision,
        held: heldIn(said.reason ?? ''),
        reason: said.reason ?? '',
        undecided: said.undecided ?? '',
        exitCode: run.exitCode,
        boundaries: (said.findings as Finding[]).filter((it) => it.verdict === 'boundary'),
      };
    },
    /** As its author would do it by hand; fails the test if the feature does not pass. */
    async verify(...args: string[]): Promise<void> {
      const { exitCode, stdout, stderr } = await lanehold('feature', 'verify', ...args);
      if (exitCode !== 0) throw new Error(`not verified: ${stdout}${stderr}`);
    },
  };
}

export type Shop = ReturnType<typeof shop>;

function makeShop(box: Sandbox, folder: string, registry: string): void {
  const remote = box.repo(join(folder, 'remote.git'), '--bare');
  const repo = box.repo(join(folder, 'shop'));
  const files = {
    'lanehold.json': registry,
    'src/cart/add.ts': 'one\n',
    'src/checkout/pay.ts': 'one\n',
    'README.md': 'one\n',
  };
  for (const [path, text] of Object.entries(files)) box.write(join(repo, path), text);
  box.commit(repo, 'first');
  box.git(repo, 'remote', 'add', 'origin', remote);
  box.git(repo, 'push', '--quiet', '--set-upstream', 'origin', 'main');
}

function heldIn(reason: string): string[] {
  return [...reason.matchAll(/^- (\S+)(?: \(as defined before this change\))?: /gm)].map(
    ([, name = '']) => name,
  );
}
