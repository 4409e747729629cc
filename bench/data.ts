/** Repositories and homes in which hooks are measured. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoProject } from '../scripts/demo/demo-project.ts';
import type { Env } from '../scripts/demo/run.ts';
import { seededRandom } from '../test/support/seeded-random.ts';

const FEATURES = 20;

/** Files of the commit that a boundary finds unpushed: they belong to two features. */
const CHANGED = ['src/f000/d0/m0.js', 'src/f000/d0/m1.js', 'src/f001/d0/m0.js'];
/** The file whose edit is reported to the hook. */
export const EDITED = 'src/f005/d0/m0.js';

/**
 * Fills the project: the first commit is pushed, a second one waits, ten files are changed and two are new.
 * The remote was added, not cloned, so that it has no `origin/HEAD`.
 */
export async function buildRepository(demo: DemoProject, files: number): Promise<void> {
  const perFeature = Math.ceil(files / FEATURES);
  for (let index = 0; index < files; index += 1) {
    const place = index % perFeature;
    const folder = `src/${featureName(Math.floor(index / perFeature))}/d${Math.floor(place / 50)}`;
    demo.write(`${folder}/m${place % 50}.js`, `export const value = ${index};\n`);
  }
  const registry = Object.fromEntries(
    Array.from({ length: FEATURES }, (_, index) => [featureName(index), feature(index)]),
  );
  demo.write('lanehold.json', `${JSON.stringify({ features: registry }, null, 2)}\n`);
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await demo.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  for (const file of CHANGED) demo.write(file, 'export const value = -1;\n');
  await demo.git('commit', '--quiet', '--all', '--message', 'Change two features');
  // Of features that do not depend on those of the commit.
  for (let index = 5; index < 15; index += 1)
    demo.write(`src/${featureName(index)}/d0/m0.js`, 'export const value = -2;\n');
  for (const index of [15, 16]) demo.write(`src/${featureName(index)}/d0/new.js`, 'new\n');
  // git looks again at what was written in the same step of time as its index.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  await demo.git('status', '--short');
}

function featureName(index: number): string {
  return `f${String(index).padStart(3, '0')}`;
}

/** Every fifth feature stands alone, the others depend on the one before. */
function feature(index: number) {
  const dependsOn = index % 5 === 0 ? [] : [featureName(index - 1)];
  return { files: [`src/${featureName(index)}/**`], smoke: ['true'], dependsOn };
}

/** How an event is answered. */
export type Way = 'warm' | 'cold';

export interface Installation {
  readonly way: Way;
  readonly env: Env;
  /** What an agent starts, by its own name of the event; `''` is the status line. */
  readonly commands: ReadonlyMap<string, string>;
}

/** A home of its own for each way, with hooks as `lanehold install` puts them into an agent's settings. */
export async function install(demo: DemoProject, way: Way): Promise<Installation> {
  const home = join(demo.root, way);
  mkdirSync(join(home, '.claude'), { recursive: true });
  const off = way === 'cold' ? { LANEHOLD_RESIDENT: 'off' } : {};
  const env: Env = { ...demo.env, HOME: home, LANEHOLD_BACKGROUND: 'off', ...off };
  const args = ['install', '--agent', 'claude-code', '--no-git-hook', '--yes'];
  const { code, stderr } = await demo.run('lanehold', args, { env });
  if (code !== 0) throw new Error(`the hooks are not installed: ${stderr}`);
  const settings = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'));
  const hooks = Object.entries<{ hooks: { command: string }[] }[]>(settings.hooks);
  const commands = hooks.map(
    ([event, [entry]]) => [event, entry?.hooks[0]?.command ?? ''] as const,
  );
  return { way, env, commands: new Map([...commands, ['', settings.statusLine?.command ?? '']]) };
}

/** The pid of the process that answers. */
export async function residentOf(demo: DemoProject, { env }: Installation) {
  const { stdout } = await demo.run('lanehold', ['resident', 'status', '--json'], { env });
  const [first] = JSON.parse(stdout).residents as { pid: number; status: object | null }[];
  if (!first?.status) throw new Error('no resident process answers');
  return first.pid;
}

/** The first event starts the process. */
export async function startResident(demo: DemoProject, to: Installation): Promise<void> {
  const line = to.commands.get('SessionEnd') ?? '';
  const input = JSON.stringify({
    hook_event_name: 'SessionEnd',
    session_id: 's',
    cwd: demo.project,
  });
  await demo.run('/bin/sh', ['-c', line], { env: to.env, input });
  for (let look = 0; look < 100; look += 1) {
    if ((await residentOf(demo, to).catch(() => undefined)) !== undefined) return;
  }
  throw new Error('no resident process was started');
}

/** Words as in prose: the rarer, the later. */
const random = seededRandom(3);
const words = (count: number): string =>
  Array.from({ length: count }, () => `word${Math.floor(random() ** 3 * 20_000)}`).join(' ');

/** Adds to what is remembered of the project. */
export async function remember(demo: DemoProject, { env }: Installation, notes: number) {
  const lines = Array.from({ length: notes }, (_, at) =>
    JSON.stringify({ id: `n${notes}-${at}`, kind: 'note', title: words(8), text: words(40) }),
  );
  const found = { id: 'found', kind: 'note', title: REMEMBERED, text: REMEMBERED };
  const input = [JSON.stringify(found), ...lines].join('\n');
  const args = ['recall', 'import', '--jsonl', '-'];
  const { code, stderr } = await demo.run('lanehold', args, { env, input });
  if (code !== 0) throw new Error(`nothing is remembered: ${stderr}`);
}

/** What a prompt has to say so that something is told. */
export const REMEMBERED = 'the checkout service is deployed with the blue cache';
