/** Adds the lanes of a plan, and reports those that conflict with one another. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { addLanes, assertNeeds } from '../../lanes/spec/edit.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { assertName } from '../../lanes/spec/names.ts';
import { clash } from '../../lanes/spec/spec.ts';
import { type LaneSpec, laneStore } from '../../store/lanes.ts';
import type { AppContext } from '../context.ts';
import { specFor, startBaselines } from './lanes.ts';
import { openRun } from './open-run.ts';
import { readPlan } from './plan-file.ts';
import type { RunWish } from './runs.ts';
import { specOf } from './written-spec.ts';

/**
 * Adds the lanes and starts none.
 *
 * @param wish `file`: its path; `text`: the input in its place.
 * @throws {UsageError} if one is not valid; then none is added.
 */
export async function planLanes(
  context: AppContext,
  wish: RunWish & { readonly file: string; readonly text?: string; readonly dryRun: boolean },
) {
  const open = await openRun(context, wish.run);
  const { laneContext, run } = open;
  const there = laneStore(laneContext.store).ofRun(run.id);
  const content = wish.text ?? contentOf(resolve(context.cwd, wish.file));
  const lanes = readPlan(
    content,
    there.map(({ key }) => key),
  );
  const specs: { key: string; spec: LaneSpec; priority: number }[] = [];
  for (const { key, line, spec: written } of lanes) {
    try {
      assertName('lane', key);
      const { spec, priority = 0 } = specOf(written);
      specs.push({ key, priority, spec: await specFor(context, open, spec) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const where = line === undefined ? `lane ${key}` : `line ${line}: lane ${key}`;
      throw new UsageError(`${where}: ${error.message}`, { hint: error.hint ?? '' });
    }
  }
  assertNeeds(specs, there);
  const ahead = there.filter(({ state }) => !is('over', state));
  const all = [...ahead.map(({ key, spec }) => ({ key, spec })), ...specs];
  // These pairs would write the same files at the same time, so one waits for the other.
  const overlaps = all.flatMap((one, at) =>
    all
      .slice(Math.max(at + 1, ahead.length))
      .filter((other) => !inTurn(one.key, other.key, all) && clash(one.spec, other.spec))
      .map((other) => [one.key, other.key] as const),
  );
  if (!wish.dryRun) {
    const by = actorOf(context).name;
    const wishes = specs.map((it) => ({ ...it, by }));
    await startBaselines(open, addLanes(laneContext, run, wishes));
  }
  const read = lanes.map(({ key, spec }) => ({ key, spec }));
  return { lanes: read, specs, overlaps, added: !wish.dryRun };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`cannot read ${file}`, { hint: 'name the file of the plan', cause });
  }
}

/** Whether one starts from the other's work. */
function inTurn(one: string, other: string, lanes: readonly { key: string; spec: LaneSpec }[]) {
  const needs = (key: string, wanted: string): boolean =>
    lanes
      .find((it) => it.key === key)
      ?.spec.needs.some((it) => it === wanted || needs(it, wanted)) === true;
  return needs(one, other) || needs(other, one);
}
