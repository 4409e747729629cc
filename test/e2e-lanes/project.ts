/** The project of the story: two files, a test, a feature that guards its pushes, and settings. */
import type { DemoProject } from '../../scripts/demo/demo-project.ts';

export const VALIDATE = 'node --test';
export const FEATURE = 'server';

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { port } from '../src/port.js';
import { title } from '../src/title.js';

test('the port needs no privileges', () => assert.ok(port > 1023));
test('there is a title', () => assert.notEqual(title, ''));
`;

/** @returns the commit that everything starts from. */
export async function setUpProject(demo: DemoProject): Promise<string> {
  demo.write('package.json', '{ "name": "server", "private": true, "type": "module" }\n');
  demo.write('src/port.js', 'export const port = 3000;\n');
  demo.write('src/title.js', "export const title = 'Server';\n");
  demo.write('test/server.test.js', TEST);
  const feature = ['feature', 'add', FEATURE, '--files', 'src/**', '--smoke', VALIDATE, '--shared'];
  const { code, stdout, stderr } = await demo.run('lanehold', feature);
  if (code !== 0) throw new Error(`no feature: ${stdout}${stderr}`);
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await demo.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  return demo.git('rev-parse', 'HEAD');
}
