/** A worker has the environment of whoever asked for the work, not of whoever happens to look. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const SECRET = { DEPLOY_TOKEN: 'tk-4b1f0c93d2a86e57' };

function recording(...lanes: readonly string[]) {
  const steps = (lane: string) => [
    [{ sh: `printf '%s/%s\\n' "$COLOUR" "$DEPLOY_TOKEN" > ${lane}.txt` }],
  ];
  const scenario = { lanes: Object.fromEntries(lanes.map((it) => [it, steps(it)])) };
  const project = laneProject({ env: { COLOUR: 'red', ...SECRET }, scenario });
  return { project, run: laneRun(project) };
}

/** From another shell. */
async function elsewhere(
  project: LaneProject,
  env: Readonly<Record<string, string | undefined>>,
  ...args: readonly string[]
) {
  const place = { cwd: project.repo, env: { ...project.env, ...env } };
  const ran = await runNode(CLI_PROGRAM, ['orchestrate', ...args], place);
  expect(ran).toMatchObject({ exitCode: 0 });
}

const written = (project: LaneProject, lane: string): string =>
  project.git('show', `lanehold/try-lanes/${lane}:${lane}.txt`);

const flags = async (project: LaneProject, lane: string) => {
  const { json } = await project.orchestrate('status');
  return json.lanes.find((it: { key: string }) => it.key === lane).flags;
};

test('the shell that starts a lane by looking gives it nothing of its own', async () => {
  const { project, run } = recording('a');
  await run.init();
  await run.add('a');
  await run.orchestrate('pause');
  await run.spawn();
  const other = { COLOUR: 'blue', DEPLOY_TOKEN: 'tk-99999999aaaaaaaa' };
  await elsewhere(project, other, 'resume');
  await run.reaches('a', 'verified');
  expect(written(project, 'a')).toBe('red/');
  expect(await flags(project, 'a')).toEqual([
    { kind: 'secrets-missing', data: ['DEPLOY_TOKEN'], stops: false, acceptedBy: null },
  ]);
});

test('a secret comes from a shell that has the same one, and is stored nowhere', async () => {
  const { project, run } = recording('a');
  await run.init();
  await run.add('a');
  await run.orchestrate('pause');
  await run.spawn();
  const kept = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile())
      .map((it) => join(it.parentPath, it.name))
      .filter((it) => readFileSync(it, 'latin1').includes(SECRET.DEPLOY_TOKEN));
  expect(kept(project.box.laneholdHome)).toEqual([]);
  await elsewhere(project, { COLOUR: 'blue' }, 'resume');
  await run.reaches('a', 'verified');
  expect(written(project, 'a')).toBe(`red/${SECRET.DEPLOY_TOKEN}`);
  expect(await flags(project, 'a')).toEqual([]);
});

test('a lane that the supervisor of another one starts has its own', async () => {
  const { project, run } = recording('a', 'b');
  await run.init();
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await elsewhere(project, { COLOUR: 'blue' }, 'spawn', 'b');
  await run.spawn('a');
  await run.reaches('b', 'verified');
  expect(written(project, 'a')).toBe(`red/${SECRET.DEPLOY_TOKEN}`);
  expect(written(project, 'b')).toBe(`blue/${SECRET.DEPLOY_TOKEN}`);
});

test('its validation has the same', async () => {
  const { project, run } = recording('a');
  await run.init();
  await run.add('a', { validate: 'grep -q red a.txt && test "$COLOUR" = red' });
  await run.orchestrate('pause');
  await run.spawn();
  await elsewhere(project, { COLOUR: 'blue' }, 'resume');
  await run.reaches('a', 'verified');
});
