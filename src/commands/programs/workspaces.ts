/** The packages of a workspace, and the words that select some of them. */
import { basename, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import type { Frame } from '../reader.ts';
import { braceWords } from '../shell/braces.ts';
import { matchesGlob } from '../shell/glob.ts';
import { isPattern, pathsMatching } from '../shell/project-files.ts';
import { fileTexts, nearest } from '../shell/redirect.ts';
import { UNKNOWN } from '../shell/unknown.ts';
import { formatOf, parsedAs } from './formats.ts';

const MOST_FOLDERS = 600;

/** Files that name the folders of packages, and the keys where they do. */
const LISTS = [
  ['package.json', ['workspaces', 'packages']],
  ['pnpm-workspace.yaml', ['packages']],
  ['lerna.json', ['packages']],
  ['deno.json', ['workspace']],
  ['nx.json', []],
] as const;
const USUAL_FOLDERS = ['packages/*', 'apps/*', 'libs/*'];

/** The folders of the packages that selectors name; of all packages for `all`. Empty where there is no workspace. */
export function selectedFolders(
  selectors: readonly string[] | 'all',
  frame: Frame,
): readonly string[] {
  const found = workspace(frame);
  if (!found) return [];
  const all = packageFolders(found.root, found.patterns, frame);
  if (selectors === 'all') return all;
  return [...new Set(selectors.flatMap((it) => matching(it, all, found, frame)))];
}

type Workspace = NonNullable<ReturnType<typeof workspace>>;

function workspace(frame: Frame) {
  return nearest(frame, (root) => {
    const lists = LISTS.map(([name, keys]) => listIn(`${root}/${name}`, keys, frame));
    const patterns = lists.find(Boolean);
    return patterns && { root, patterns };
  });
}

function listIn(
  file: string,
  keys: readonly string[],
  frame: Frame,
): readonly string[] | undefined {
  const text = fileTexts(file, frame)?.[0];
  if (text === undefined) return undefined;
  let value: unknown = parsedAs(formatOf(file), text);
  for (const key of keys) if (isJsonObject(value) && key in value) value = value[key];
  if (Array.isArray(value)) return value.filter((it) => typeof it === 'string');
  return keys.length === 0 ? USUAL_FOLDERS : undefined;
}

function packageFolders(
  root: string,
  patterns: readonly string[],
  frame: Frame,
): readonly string[] {
  const included = patterns.flatMap((it) => (it.startsWith('!') ? [] : (braceWords(it) ?? [])));
  const found = included.flatMap((it) =>
    isPattern(it) ? pathsMatching(it.replace(/\/?$/, '/'), root, frame) : [it],
  );
  const folders = [...new Set(found.map((it) => resolve(root, it)))];
  if (folders.length > MOST_FOLDERS || found.includes(UNKNOWN))
    frame.reader.opaque('the workspace has more folders than are read', ['.'], frame);
  return folders
    .slice(0, MOST_FOLDERS)
    .filter((it) => dataIn(`${it}/package.json`, frame) || fileTexts(`${it}/project.json`, frame));
}

function dataIn(file: string, frame: Frame): JsonObject | undefined {
  const text = fileTexts(file, frame)?.[0];
  return text === undefined ? undefined : parsedAs(formatOf(file), text);
}

function matching(
  selector: string,
  all: readonly string[],
  { root, patterns }: Workspace,
  frame: Frame,
): readonly string[] {
  // Which packages depend on others, or were changed, is not worked out.
  if (/\.\.\.|\^|\[|^!/.test(selector)) return all;
  const plain = selector.replace(/^\{|\}$/g, '').replace(/^\.\//, '');
  const named = all.filter((folder) => {
    const name = nameOf(folder, frame);
    const path = folder.slice(root.length + 1);
    return [name, basename(name), path].some((it) => it === plain || matchesGlob(plain, it));
  });
  if (named.length > 0) return named;
  // If folders cannot be read, a package is most likely in the folder of its name.
  const guess = basename(plain);
  return [plain, ...patterns.map((it) => it.replace(/\*+$/, guess))].map((it) => resolve(root, it));
}

function nameOf(folder: string, frame: Frame): string {
  const name =
    dataIn(`${folder}/package.json`, frame)?.name ?? dataIn(`${folder}/project.json`, frame)?.name;
  return typeof name === 'string' ? name : basename(folder);
}
