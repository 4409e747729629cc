/**
 * What a person does with the work at the end: brings it home, with commands that are killed on the way, while
 * the branch is amended, reset or moved. Then everything that has to be true of the branch.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LaneProject } from '../support/lane-project.ts';
import type { laneRun } from '../support/lane-run.ts';
import { CLI_PROGRAM } from '../support/sandbox.ts';

const ACTS = ['none', 'moved', 'amended', 'amended late', 'reset'] as const;
export type PersonAct = (typeof ACTS)[number];
export const PERSON_ACTS: readonly PersonAct[] = ACTS;

/** A file of the run's base, which the person takes out of it. */
export const KEY = 'key.txt';

/** Of the run, which may be closed by a command that is killed. */
const NAME = 'try-lanes';

export interface Person {
  readonly project: LaneProject;
  readonly run: ReturnType<typeof laneRun>;
  readonly random: () => number;
  readonly wrong: string[];
}

/** Adds to `wrong` what should not be. */
export async function act(what: PersonAct, it: Person): Promise<void> {
  const { project } = it;
  const base = project.git('rev-parse', 'main');
  await DOES[what](it, base);
  const files = filesOf(it);
  if (!files.includes('piece-0.txt')) it.wrong.push('the work of a is not on main');
  for (const key of ['a', 'b']) {
    const lands = count(it, `^(?:Merge l|L)ane ${key} of`);
    if (lands > 1) it.wrong.push(`${key} is on main ${lands} times`);
  }
}

const DOES: Readonly<Record<PersonAct, (it: Person, base: string) => Promise<void>>> = {
  async none(it) {
    await ends(it, 0, 'integrate');
    await ends(it, 0, 'land');
  },
  async moved(it) {
    await ends(it, 0, 'integrate');
    it.project.box.write(join(it.project.repo, 'mine.txt'), 'mine\n');
    it.project.box.commit(it.project.repo, 'mine');
    await ends(it, 3, 'land');
    await ends(it, 0, 'integrate');
    await ends(it, 0, 'land');
    if (!filesOf(it).includes('mine.txt')) it.wrong.push('the commit of the person is gone');
  },
  amended: (it, base) => amended(it, base),
  async 'amended late'(it, base) {
    await ends(it, 0, 'integrate');
    await amended(it, base);
  },
  async reset(it, base) {
    await ends(it, 0, 'integrate');
    await ends(it, 0, 'land');
    it.project.git('reset', '--quiet', '--hard', base);
    await it.project.orchestrate('status', '--run', NAME);
    expectState(it, 'a', 'taken-back');
    await it.run.spawn('b');
    await it.run.settled(120_000);
    await ends(it, 0, 'integrate');
    await ends(it, 0, 'land');
    expectState(it, 'b', 'landed');
    expectState(it, 'a', 'taken-back');
    if (filesOf(it).includes('piece-0.txt')) it.wrong.push('what was taken back has come back');
    await ends(it, 0, 'integrate', '--lane', 'a');
    await ends(it, 0, 'land');
    expectState(it, 'a', 'landed');
    if (!filesOf(it).includes('b.txt')) it.wrong.push('the work of b is gone');
  },
};

async function amended(it: Person, base: string): Promise<void> {
  const { git } = it.project;
  git('rm', '--quiet', KEY);
  git('commit', '--quiet', '--amend', '--message', 'second, without the key');
  const now = git('rev-parse', 'main');
  await ends(it, 3, 'integrate');
  await ends(it, 3, 'land');
  if (git('rev-parse', 'main') !== now) it.wrong.push('main has moved');
  await ends(it, 0, 'integrate', '--rebase');
  await ends(it, 0, 'land');
  const commits = git('rev-list', 'main').split('\n');
  if (commits.includes(base) || filesOf(it).includes(KEY)) it.wrong.push('the key is back');
  if (!commits.includes(now)) it.wrong.push('the commit of the person is gone');
}

/** Each second time it is killed first, at a moment that the seed chooses. */
export async function ends(
  it: Person,
  exitCode: number,
  ...args: readonly string[]
): Promise<void> {
  const words = [...args, '--run', NAME];
  const wasKilled = it.random() < 0.5;
  if (wasKilled) await killed(it, words);
  const { project, wrong } = it;
  const ran = await project.orchestrate(...words);
  // What was killed may have done it all.
  const nothing = wasKilled && args[0] === 'land' && ran.json?.reason === 'nothing';
  if (ran.exitCode === exitCode || nothing) return;
  wrong.push(`${args.join(' ')} ended with ${ran.exitCode}: ${ran.stdout}${ran.stderr}`);
}

export async function killed({ project, random }: Person, args: readonly string[]): Promise<void> {
  const { repo: cwd, env } = project;
  const words = [CLI_PROGRAM, 'orchestrate', ...args];
  const child = spawn(process.execPath, words, { cwd, env: { ...env }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await Promise.race([sleep(random() * 2_500), ended]);
  child.kill('SIGKILL');
  await ended;
}

function expectState({ run, wrong }: Person, key: string, state: string): void {
  const found = run.lane(key).state;
  if (found !== state) wrong.push(`${key} is ${found}, not ${state}`);
}

export const filesOf = ({ project }: Person, branch = 'main'): string[] =>
  project.git('ls-tree', '-r', '--name-only', branch).split('\n');

const count = ({ project }: Person, pattern: string): number =>
  project
    .git('log', '--format=%s', 'main')
    .split('\n')
    .filter((subject) => new RegExp(pattern).test(subject)).length;
