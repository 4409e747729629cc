/** Folders with lanehold in them that a client can take as a plugin. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';

/** As the commands of clients take it. */
export const PLUGIN_ID = 'lanehold@lanehold';

const PACKAGE = join(import.meta.dirname, '../..');

/** The package as npm installs it for all projects. */
export function packageFolder(demo: DemoProject): string {
  const folder = join(demo.root, 'lib/node_modules/lanehold');
  const { files } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  copyAll(folder, ['package.json', 'README.md', 'LICENSE', ...files]);
  // Its packages as a link: a copy would have those of the checkout for development.
  symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What a clone of the repository has of a plugin. */
export function cloneFolder(demo: DemoProject): string {
  const folder = join(demo.root, 'clone');
  copyAll(folder, [
    ...['package.json', '.claude-plugin', '.codex-plugin', 'skills'],
    ...['hooks/hooks.json', 'hooks/codex-hooks.json', 'hooks/lanehold-plugin.sh'],
    'hooks/runs-no-release.sh',
  ]);
  return folder;
}

/** What a client takes as an extension: the build has put it there. */
export function extensionFolder(demo: DemoProject): string {
  const folder = join(demo.root, 'clone');
  copyAll(folder, ['gemini-extension']);
  return join(folder, 'gemini-extension');
}

function copyAll(folder: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
  }
}
