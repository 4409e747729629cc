/** Tells stories in demo projects and prints one line for each of their checks. */
import { type DemoProject, withDemoProject } from '../../scripts/demo/demo-project.ts';
import { endAll, processesMarked } from '../support/marked-processes.ts';
import { findClient, NoClientError } from './client.ts';
import type { Driver } from './driver.ts';
import { recallStory } from './recall-story.ts';
import { storiesOf } from './stories.ts';

/** States one fact that has to hold; `detail` is shown if it does not. */
export type Check = (what: string, holds: boolean, detail?: string) => void;

export interface Story {
  readonly name: string;
  run(client: string, demo: DemoProject, check: Check): Promise<void>;
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Tells the stories of a client whose names contain the first argument of this program. */
export async function tellStoriesOf(driver: Driver): Promise<void> {
  const find = () => findClient(driver.client, print);
  await tellStories(driver.script, find, [
    ...storiesOf(driver),
    recallStory(driver),
    ...(driver.stories ?? []),
  ]);
}

/** Where the client cannot be had it says why on its last line, and the program ends with 0. */
export async function tellStories(
  script: string,
  find: () => Promise<string>,
  all: readonly Story[],
): Promise<void> {
  try {
    const client = await find();
    const wanted = process.argv[2] ?? '';
    const results: boolean[] = [];
    for (const story of all.filter(({ name }) => name.includes(wanted))) {
      results.push(...(await tell(story, client)));
    }
    const failed = results.filter((holds) => !holds).length;
    print(`${results.length - failed} checks hold, ${failed} do not`);
    process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof NoClientError)) throw error;
    print(`${script} skipped: ${error.message}`);
  }
}

async function tell(story: Story, client: string): Promise<boolean[]> {
  const results: boolean[] = [];
  const started = performance.now();
  print(`${story.name}:`);
  const check: Check = (what, holds, detail) => {
    results.push(holds);
    print(`  ${holds ? 'ok  ' : 'FAIL'} ${what}`);
    if (!holds && detail) print(detail.trimEnd().replaceAll(/^/gm, '       > '));
  };
  await withDemoProject('e2e', async (demo) => {
    try {
      await story.run(client, demo, check);
    } catch (error) {
      check('the story can be run', false, String((error as Error).stack));
    } finally {
      endAll(() => processesMarked(`HOME=${demo.home}`));
    }
  });
  print(`  (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return results;
}
