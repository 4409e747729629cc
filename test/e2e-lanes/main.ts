/**
 * `npm run e2e:lanes`: the real Claude Code coordinates lanes that the real Codex and the real
 * Claude Code work on, against model servers on this machine. Prints one line per check. Where a client
 * cannot be had it says why on its last line and ends with 0.
 */
import { withDemoProject } from '../../scripts/demo/demo-project.ts';
import { NoClientError } from '../e2e/client.ts';
import { endAll, processesMarked } from '../support/marked-processes.ts';
import { type Clients, findClients } from './clients.ts';
import { runStory } from './story.ts';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

try {
  const { held, failed } = await tell(await findClients(print));
  print(`${held} checks hold, ${failed} do not`);
  process.exitCode = failed > 0 || held === 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof NoClientError)) throw error;
  print(`e2e:lanes skipped: ${error.message}`);
}

async function tell(clients: Clients): Promise<{ held: number; failed: number }> {
  const results: boolean[] = [];
  const started = performance.now();
  const check = (what: string, holds: boolean, detail = ''): void => {
    results.push(holds);
    print(`  ${holds ? 'ok  ' : 'FAIL'} ${what}`);
    if (!holds && detail) print(detail.trimEnd().replaceAll(/^/gm, '       > '));
  };
  await withDemoProject('e2e-lanes', async (demo) => {
    try {
      await runStory(demo, clients, check);
    } catch (error) {
      check('the story can be run', false, String((error as Error).stack));
    } finally {
      endAll(() => processesMarked(`HOME=${demo.home}`));
    }
  });
  print(`  (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  const held = results.filter((holds) => holds).length;
  return { held, failed: results.length - held };
}
