/** Go modules below the root; the packages of a module at the root are found as folders. */
import { DEFAULT_SMOKE_TIMEOUT_MS } from '../../config/feature.ts';
import { type ReadFile, readManifest } from './manifest.ts';
import type { Package } from './part.ts';
import { baseName, everythingIn, parent, type SourceTree } from './source-tree.ts';

const MAX_MODULES = 200;

export function goModules(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  return tree
    .allFolders()
    .filter((folder) => folder !== '' && tree.files(folder).includes(`${folder}/go.mod`))
    .filter((folder) => tree.isOwn(folder) && tree.hasSource(folder))
    .slice(0, MAX_MODULES)
    .map((folder) => goModule(folder, readManifest(readFile, `${folder}/go.mod`)));
}

function goModule(folder: string, manifest: string): Package {
  const name = moduleName(manifest);
  const needs = Array.from(
    manifest.matchAll(/^[ \t]*(?:require[ \t]+)?([\w.~-]+\.[\w.~/-]+)[ \t]+v[0-9]/gm),
    ([, module]) => `go:${module}`,
  );
  return {
    folder,
    names: [baseName(folder), folder, baseName(parent(folder))],
    files: [everythingIn(folder)],
    smoke: [{ command: 'go test ./...', timeoutMs: DEFAULT_SMOKE_TIMEOUT_MS, cwd: folder }],
    ids: [`go:${name}`],
    needs,
    because: `Go module in \`${folder}\``,
  };
}

export const moduleName = (manifest: string): string =>
  /^module[ \t]+"?([^\s"]+)/m.exec(manifest)?.[1] ?? '';
