/** Python projects below the root, and whether a repository runs pytest. */
import { DEFAULT_SMOKE_TIMEOUT_MS } from '../../config/feature.ts';
import {
  asObject,
  asText,
  asTexts,
  type JsonObject,
  type ReadFile,
  readManifest,
  tomlManifest,
} from './manifest.ts';
import type { Package } from './part.ts';
import { baseName, everythingIn, type SourceTree, within } from './source-tree.ts';

const MAX_PROJECTS = 200;

export function pythonProjects(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  return tree
    .allFolders()
    .filter((folder) => folder !== '' && tree.files(folder).includes(`${folder}/pyproject.toml`))
    .filter((folder) => tree.isOwn(folder) && tree.hasSource(folder))
    .slice(0, MAX_PROJECTS)
    .map((folder) => {
      const project = asObject(tomlManifest(readFile, `${folder}/pyproject.toml`).project);
      const name = asText(project.name) || baseName(folder);
      return {
        folder,
        names: [name, baseName(folder), folder],
        files: [everythingIn(folder)],
        smoke: usesPytest(tree, readFile, folder)
          ? [{ command: 'python -m pytest', timeoutMs: DEFAULT_SMOKE_TIMEOUT_MS, cwd: folder }]
          : [],
        ids: [`python:${canonical(name)}`],
        needs: requirements(project).map((it) => `python:${canonical(it)}`),
        because: `Python project in \`${folder}\``,
      };
    });
}

/** Different spellings can name the same distribution. */
const canonical = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

/** Names of the distributions in lists of requirements such as `acme-a[fast]>=1`. */
function requirements(project: JsonObject): readonly string[] {
  const extras = Object.values(asObject(project['optional-dependencies']));
  return [project.dependencies, ...extras]
    .flatMap(asTexts)
    .flatMap((requirement) => /^[A-Za-z0-9][\w.-]*/.exec(requirement.trim())?.[0] ?? []);
}

const EVIDENCE = [
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'requirements-dev.txt',
  'requirements.txt',
  'noxfile.py',
];

export function usesPytest(tree: SourceTree, readFile: ReadFile, folder: string): boolean {
  const present = new Set(tree.files(folder).map(baseName));
  if (present.has('pytest.ini') || present.has('conftest.py')) return true;
  if (
    tree.has(within(folder, 'tests')) &&
    tree.files(within(folder, 'tests')).some((path) => path.endsWith('/conftest.py'))
  ) {
    return true;
  }
  return EVIDENCE.some(
    (name) => present.has(name) && /\bpytest\b/.test(readManifest(readFile, within(folder, name))),
  );
}

export function pythonName(readFile: ReadFile): string {
  const { project, tool } = tomlManifest(readFile, 'pyproject.toml');
  return asText(asObject(project).name) || asText(asObject(asObject(tool).poetry).name);
}
