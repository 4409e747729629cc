/**
 * What makes this package a plugin of agents. Manifests and hooks that stand in the repository are written by
 * `npm run generate`: a client may take a clone. A folder that is a plugin of its own is written by the build.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot, packageVersion } from '../src/base/files/package.ts';
import { installers } from '../src/install/targets.ts';

type Files = Readonly<Record<string, string>>;

/** Texts by their paths below the root of the package. */
export async function pluginFiles(): Promise<{ readonly kept: Files; readonly built: Files }> {
  const shared = globSync(['hooks/{lanehold-plugin,runs-no-release}.sh', 'skills/*/SKILL.md'], {
    cwd: packageRoot(),
  });
  const [kept, built]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const { plugin } of await installers()) {
    if (plugin === undefined) continue;
    const { folder } = plugin;
    const own = plugin.files(packageVersion());
    if (folder === undefined) Object.assign(kept, own);
    else {
      const copied = Object.fromEntries(shared.map((it) => [it, textOf(it)]));
      for (const [path, text] of Object.entries({ ...own, ...copied })) {
        built[join(folder, path)] = text;
      }
    }
  }
  return { kept, built };
}

const textOf = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

if (import.meta.main) {
  for (const [path, text] of Object.entries((await pluginFiles()).kept)) {
    const file = join(packageRoot(), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
