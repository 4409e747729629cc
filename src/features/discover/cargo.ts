/** Crates of a Cargo workspace, and of a repository that is one crate. */
import { DEFAULT_SMOKE_TIMEOUT_MS, type SmokeTest } from '../../config/feature.ts';
import {
  asObject,
  asText,
  asTexts,
  type JsonObject,
  type ReadFile,
  tomlManifest,
} from './manifest.ts';
import type { Package } from './part.ts';
import { baseName, everythingIn, type SourceTree, within } from './source-tree.ts';
import { workspaceFolders } from './workspace-globs.ts';

export function crates(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  if (!tree.files('').includes('Cargo.toml')) return [];
  const { members, exclude } = asObject(tomlManifest(readFile, 'Cargo.toml').workspace);
  const globs = [...asTexts(members), ...asTexts(exclude).map((glob) => `!${glob}`)];
  return workspaceFolders(tree, globs, 'Cargo.toml').map((folder) =>
    crate(folder, tomlManifest(readFile, within(folder, 'Cargo.toml'))),
  );
}

const DEPENDENCIES = ['dependencies', 'dev-dependencies', 'build-dependencies'] as const;

function crate(folder: string, manifest: JsonObject): Package {
  const name = asText(asObject(manifest.package).name) || baseName(folder);
  const needs = DEPENDENCIES.flatMap((table) => Object.keys(asObject(manifest[table])));
  return {
    folder,
    names: [name, baseName(folder), folder],
    files: [everythingIn(folder)],
    smoke: isCrateName(name) ? [cargoTest(`cargo test -p ${name}`)] : [],
    ids: [`cargo:${name}`],
    needs: needs.map((it) => `cargo:${it}`),
    because: `member \`${folder}\` of the Cargo workspace`,
  };
}

const isCrateName = (name: string): boolean => /^[A-Za-z][\w-]*$/.test(name);

const cargoTest = (command: string): SmokeTest => ({
  command,
  timeoutMs: DEFAULT_SMOKE_TIMEOUT_MS,
  cwd: '',
});
