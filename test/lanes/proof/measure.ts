/** Runs the lanes of the proof's table as a coordinator would, and says what became of each. */
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { PROJECTS, type Runner, type TriedLane } from './project.ts';

export const MODULES = resolve(import.meta.dirname, '../../../node_modules');
/** Jest is not installed with this project: a folder `node_modules` that has it. */
export const JEST_MODULES = process.env.LANEHOLD_JEST_MODULES;

export interface Outcome {
  readonly lane: TriedLane;
  /** `told` is verified with a flag that nobody has to look at. */
  readonly kind: 'verified' | 'told' | 'stopped' | 'failed';
  /** Why, in lanehold's own words. */
  readonly why: string;
}

/** What tells whether a runner is there. */
const ASKED: Partial<Record<Runner, readonly [program: string, ...args: string[]]>> = {
  go: ['go', 'version'],
  cargo: ['cargo', 'version'],
  pytest: ['python3', '-m', 'pytest', '--version'],
};

/** Why the lanes of a runner cannot be tried here. */
export function whyNotTried(runner: Runner): string | undefined {
  const asked = ASKED[runner];
  if (asked !== undefined && spawnSync(asked[0], asked.slice(1)).status !== 0) {
    return `no \`${runner}\``;
  }
  if (runner !== 'jest') return undefined;
  if (JEST_MODULES === undefined) return 'no Jest: LANEHOLD_JEST_MODULES names no `node_modules`';
  return existsSync(JEST_MODULES) ? undefined : `no ${JEST_MODULES}`;
}

/** All of one runner. @param cleanUp registers what removes the project. */
export async function outcomesOf(
  runner: Runner,
  lanes: readonly TriedLane[],
  cleanUp?: (remove: () => void) => void,
): Promise<Outcome[]> {
  const { files, validate } = PROJECTS[runner];
  const keyed = lanes.map((lane, at) => ({ key: `l${at}`, lane }));
  const project = laneProject({
    files,
    scenario: { lanes: Object.fromEntries(keyed.map(({ key, lane }) => [key, [lane.steps]])) },
    ...(cleanUp && { cleanUp }),
  });
  // Packages are found from every checkout upwards.
  const modules = runner === 'jest' ? JEST_MODULES : MODULES;
  if (modules !== undefined) symlinkSync(modules, join(project.box.root, 'node_modules'));
  const run = laneRun(project);
  await run.init();
  for (const { key, lane } of keyed) {
    const more = lane.changesBehaviour ? ['--changes-behaviour', lane.changesBehaviour] : [];
    await run.add(key, { validate: lane.validate ?? validate, more });
  }
  await run.spawn();
  await run.settled(lanes.length * 60_000);
  const { json } = await run.orchestrate('status');
  const shown = new Map<string, Shown>(json.lanes.map((it: Shown) => [it.key, it]));
  return keyed.map(({ key, lane }) => outcomeOf(lane, shown.get(key), run.lane(key).attempt));
}

interface Shown {
  readonly key: string;
  readonly state: string;
  readonly flags: readonly { readonly kind: string; readonly stops: boolean }[];
}

function outcomeOf(
  lane: TriedLane,
  shown: Shown | undefined,
  attempt: { readonly end_detail: string | null } | undefined,
): Outcome {
  const { state = 'gone', flags = [] } = shown ?? {};
  const why = [state, ...flags.map((it) => it.kind), attempt?.end_detail ?? ''].join(', ');
  if (state !== 'verified') return { lane, kind: 'failed', why };
  if (flags.some(({ stops }) => stops)) return { lane, kind: 'stopped', why };
  return { lane, kind: flags.length > 0 ? 'told' : 'verified', why };
}
