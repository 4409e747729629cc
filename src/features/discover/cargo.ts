/** Crates of a Cargo workspace, and of a repository that is one crate. */
import { DEFAULT_SMOKE_TIMEOUT_MS, type SmokeTest } from '../../config/feature.ts';
import {
  type ReadFile,
  readManifest,
  tomlKeys,
  tomlTable,
  tomlText,
  tomlTexts,
} from './manifest.ts';
import type { Package } from './part.ts';
import { baseName, everythingIn, type SourceTree, within } from './source-tree.ts';
import { workspaceFolders } from './workspace-globs.ts';

export function crates(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  if (!tree.files('').includes('Cargo.toml')) return [];
  const workspace = tomlTable(readManifest(readFile, 'Cargo.toml'), 'workspace');
  const exclude = tomlTexts(workspace, 'exclude').map((glob) => `!${glob}`);
  const globs = [...tomlTexts(workspace, 'members'), ...exclude];
  return workspaceFolders(tree, globs, 'Cargo.toml').map((folder) =>
    crate(folder, readManifest(readFile, within(folder, 'Cargo.toml'))),
  );
}

function crate(folder: string, manifest: string): Package {
  const name = tomlText(tomlTable(manifest, 'package'), 'name') || baseName(folder);
  const tables = ['dependencies', 'dev-dependencies', 'build-dependencies'];
  const listed = tables.flatMap((table) => tomlKeys(tomlTable(manifest, table)));
  const headed = Array.from(
    manifest.matchAll(/^[ \t]*\[(?:dev-|build-)?dependencies\.([\w-]+)\]/gm),
    ([, dependency]) => dependency ?? '',
  );
  return {
    folder,
    names: [name, baseName(folder), folder],
    files: [everythingIn(folder)],
    smoke: isCrateName(name) ? [cargoTest(`cargo test -p ${name}`)] : [],
    ids: [`cargo:${name}`],
    needs: [...listed, ...headed].map((it) => `cargo:${it}`),
    because: `member \`${folder}\` of the Cargo workspace`,
  };
}

const isCrateName = (name: string): boolean => /^[A-Za-z][\w-]*$/.test(name);

const cargoTest = (command: string): SmokeTest => ({
  command,
  timeoutMs: DEFAULT_SMOKE_TIMEOUT_MS,
  cwd: '',
});
