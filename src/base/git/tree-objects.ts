/** Trees as git stores them, a folder at a time: what is the same or not asked for is not read. */
import { boundedCache } from '../bounded-cache.ts';
import { mapInTurns } from '../turns.ts';
import { type Git, GitError } from './git.ts';
import { textOf } from './paths.ts';
import { isOid, type TreeEntry, type TreePaths, upwards, withinAny } from './tree-entry.ts';

/** By name, with a character for each of its bytes. */
type Folder = ReadonlyMap<string, { readonly mode: string; readonly oid: string }>;

const FOLDER = '040000';
const NONE: Folder = new Map();

/** @param revision an oid, or anything git resolves to a tree. @throws {GitError} */
export async function treeAt(git: Git, revision: string, scope: TreePaths): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const isWanted = withinAny(scope);
  const above = new Set(scope.flatMap((it) => [...upwards(it)]));
  const entries: TreeEntry[] = [];
  await walk(git, [`${revision}^{tree}`], ([folder = NONE], parent) => {
    const isInside = isWanted(parent);
    return [...folder].flatMap(([name, { mode, oid }]) => {
      const path = pathOf(parent, name);
      const isOne = isInside || isWanted(path);
      if (mode === FOLDER) return isOne || above.has(path) ? { names: [oid], path } : [];
      if (isOne) entries.push({ mode, oid, path });
      return [];
    });
  });
  return entries;
}

/** Paths whose content or mode differs between two trees; a rename gives both its sides. @throws {GitError} */
export async function changedBetween(git: Git, from: string, to: string): Promise<string[]> {
  const known = differences.find(`${from} ${to}`);
  if (known !== undefined) return [...known];
  const changed: string[] = [];
  await walk(git, [`${from}^{tree}`, `${to}^{tree}`], ([before = NONE, after = NONE], parent) =>
    [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
      const sides = [before.get(name), after.get(name)];
      const [old, now] = sides;
      if (old?.oid === now?.oid && old?.mode === now?.mode) return [];
      const path = pathOf(parent, name);
      if (sides.some((it) => it !== undefined && it.mode !== FOLDER)) changed.push(path);
      const names = sides.map((it) => (it?.mode === FOLDER ? it.oid : ''));
      return names.some(Boolean) ? { names, path } : [];
    }),
  );
  if (isOid(from) && isOid(to)) differences.keep(`${from} ${to}`, [...changed]);
  return changed;
}

/** Paths by two trees, which never change. */
const differences = boundedCache<readonly string[]>(8 * 1024 * 1024, (paths) =>
  paths.reduce((sum, it) => sum + it.length, 0),
);

/** Folders at one path, in one or more trees; `''` is none. */
interface Place {
  readonly names: readonly string[];
  readonly path: string;
}

/** A tree can name one folder again and again, so that a few objects stand for endless paths. */
const MOST_FOLDERS = 500_000;
const MOST_ITEMS = 5_000_000;

/** @param visit tells what lies below and is to be visited, too. */
async function walk(
  git: Git,
  names: readonly string[],
  visit: (folders: Folder[], path: string) => Place[],
): Promise<void> {
  let level: Place[] = [{ names, path: '' }];
  let folders = 0;
  let items = 0;
  while (level.length > 0) {
    const known = await readFolders(git, new Set(level.flatMap((it) => it.names)));
    const below = await mapInTurns(level, (it) => {
      const found = it.names.map((name) => known.get(name) ?? NONE);
      folders += 1;
      items += Math.max(...found.map(({ size }) => size));
      if (folders > MOST_FOLDERS || items > MOST_ITEMS)
        throw new GitError(['cat-file'], 'the tree is too large');
      return visit(found, it.path);
    });
    level = below.flat();
  }
}

async function readFolders(git: Git, names: ReadonlySet<string>): Promise<Map<string, Folder>> {
  const asked = [...names].filter(Boolean);
  const objects = await git.objects(asked);
  const folders = await mapInTurns(asked, (name, at): [string, Folder] => {
    const object = objects[at];
    if (object?.type !== 'tree') throw new GitError(['cat-file'], `there is no tree ${name}`);
    return [name, folderIn(object.content, object.oid.length / 2)];
  });
  return new Map(folders);
}

/** Each item is `<mode> <name>`, a NUL and the oid as bytes. */
function folderIn(content: Buffer, oidBytes: number): Folder {
  const items = new Map<string, { mode: string; oid: string }>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const next = end + 1 + oidBytes;
    const name = content.toString('latin1', space + 1, end);
    // git writes no such tree; which of the two would be checked out is not certain.
    if (items.has(name)) throw new GitError(['cat-file'], `a tree has ${name} twice`);
    const mode = content.toString('latin1', at, space).padStart(6, '0');
    items.set(name, { mode, oid: content.toString('hex', end + 1, next) });
    at = next;
  }
  return items;
}

function pathOf(parent: string, name: string): string {
  const text = /^[ -~]*$/.test(name) ? name : textOf(Buffer.from(name, 'latin1'));
  return parent === '' ? text : `${parent}/${text}`;
}
