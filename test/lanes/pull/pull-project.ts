/** A project whose remote is a forge on the loopback, with a run in it. */
import { join } from 'node:path';
import type { Files, Scenario } from '../../support/fake-worker.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { standInForge } from '../../support/stand-in-forge.ts';

export async function pullProject(scenario: Scenario, files: Files = {}) {
  const project = laneProject({ scenario, files });
  const forge = await standInForge(project.box, project.repo);
  Object.assign(project.env, forge.env);
  const lanes = { baseline: 'when-needed', pullEvery: 0.3, pullRounds: 1 };
  project.box.write(join(project.box.laneholdHome, 'config.json'), JSON.stringify({ lanes }));
  const run = laneRun(project);
  await run.init('Mend the shop');
  return { project, forge, run };
}
