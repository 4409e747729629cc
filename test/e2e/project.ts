/** The project of the stories: a port, a feature that guards it, and a remote that has both. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';

export const FEATURE = 'port-config';
export const SOURCE = 'src/port/port.js';
export const PUSH = 'git push origin main';
export const commit = (message: string): string =>
  `git commit --quiet --all --message '${message}'`;

/**
 * With LANEHOLD_RESIDENT=off each hook of the stories starts a Node of its own.
 *
 * @returns the commit that everything starts from.
 */
export async function setUpProject(demo: DemoProject): Promise<string> {
  // Workers of lanes do not get the variable that names this file otherwise.
  copyFileSync(join(demo.root, 'gitconfig'), join(demo.home, '.gitconfig'));
  // One client keeps every configuration but the repository's from its shell.
  await demo.git('config', 'user.name', 'Dev');
  await demo.git('config', 'user.email', 'dev@example.com');
  if (process.env.LANEHOLD_RESIDENT === 'off')
    await succeed(demo, 'lanehold', ['config', 'set', 'hooks.resident', 'off']);
  demo.write(SOURCE, 'export const port = 3000;\n');
  demo.write('package.json', '{ "name": "server", "private": true, "type": "module" }\n');
  const smoke = `node -e "import('./${SOURCE}').then(({ port }) => process.exit(port > 1023 ? 0 : 1))"`;
  const add = ['feature', 'add', FEATURE, '--files', 'src/port/**', '--smoke', smoke];
  return publish(demo, [...add, '--shared']);
}

/** Adds a feature, commits all and pushes it. Returns the commit. */
export async function publish(demo: DemoProject, addFeature: readonly string[]): Promise<string> {
  await succeed(demo, 'lanehold', addFeature);
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await demo.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  return demo.git('rev-parse', 'HEAD');
}

/** @returns what it printed. */
export async function succeed(
  demo: DemoProject,
  program: string,
  args: readonly string[],
): Promise<string> {
  const { code, stdout, stderr } = await demo.run(program, args);
  if (code === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
}
