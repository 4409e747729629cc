/**
 * `npm run e2e:claude [-- <part of a story's name>]`: proves the hold with the real Claude Code,
 * against a model server on this machine. Prints one line per check. Where the client cannot be had
 * it says why on its last line and ends with 0. `LANEHOLD_E2E_CLAUDE` names a client to use instead
 * of installing one.
 */
import { withDemoProject } from '../../scripts/demo/demo-project.ts';
import { findClient, NoClientError } from './client.ts';
import { type Check, STORIES, type Story } from './stories.ts';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

try {
  const client = await findClient(print);
  const wanted = process.argv[2] ?? '';
  const stories = STORIES.filter(({ name }) => name.includes(wanted));
  const results: boolean[] = [];
  for (const story of stories) results.push(...(await tell(story, client)));
  const failed = results.filter((holds) => !holds).length;
  print(`${results.length - failed} checks hold, ${failed} do not`);
  process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof NoClientError)) throw error;
  print(`e2e:claude skipped: ${error.message}`);
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
  try {
    await withDemoProject('e2e', (demo) => story.run(client, demo, check));
  } catch (error) {
    check('the story can be run', false, String((error as Error).stack));
  }
  print(`  (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return results;
}
