/** Decides which changed files of a working tree enter its checkpoint. */
import { accessSync, constants, lstatSync, type Stats } from 'node:fs';
import { codeOf } from '../errors.ts';

export interface LeftOut {
  readonly path: string;
  /** `unreadable`: also what is neither file nor link. `repository`: one of its own, untracked. */
  readonly why: 'too-large' | 'unreadable' | 'repository';
}

/** Paths are one character a byte in `take` and `drop`, text for people in the others. */
export interface Triage {
  readonly take: readonly string[];
  /** Gone: the path is a folder now, or one of its parent folders is not a folder any more. */
  readonly drop: readonly string[];
  readonly denied: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

export interface TriageRules {
  readonly root: string;
  readonly denied: (path: string) => boolean;
  readonly maxFileBytes: number;
  /** @param path one character a byte. */
  readonly inBase: (path: string) => Promise<boolean>;
}

type Verdict = 'take' | 'drop' | 'denied' | LeftOut['why'];

/** @param found changed and untracked paths, one character a byte. */
export async function triage(found: readonly string[], rules: TriageRules): Promise<Triage> {
  const take: string[] = [];
  const drop: string[] = [];
  const denied: string[] = [];
  const leftOut: LeftOut[] = [];
  const folders = new Map<string, boolean>([['', true]]);
  for (const path of found) {
    const name = Buffer.from(path, 'latin1').toString('utf8');
    const verdict = await judge(path, name, rules, folders);
    if (verdict === 'take') take.push(path);
    else if (verdict === 'drop') drop.push(path);
    else if (verdict === 'denied') denied.push(name);
    else leftOut.push({ path: name, why: verdict });
  }
  return { take, drop, denied, leftOut };
}

async function judge(
  path: string,
  name: string,
  rules: TriageRules,
  folders: Map<string, boolean>,
): Promise<Verdict> {
  if (path.endsWith('/')) return 'repository';
  if (rules.denied(name)) return 'denied';
  if (!isFolder(rules.root, parentOf(path), folders)) return 'drop';
  const stats = statsOf(rules.root, path);
  // A deleted file is taken: the update removes it.
  if (stats === undefined || stats.isSymbolicLink()) return 'take';
  // A submodule, or a plain folder where a file was: the files in a folder are listed themselves.
  if (stats.isDirectory()) return statsOf(rules.root, `${path}/.git`) ? 'take' : 'drop';
  if (!stats.isFile() || !isReadable(rules.root, path)) return 'unreadable';
  if (stats.size > rules.maxFileBytes && !(await rules.inBase(path))) return 'too-large';
  return 'take';
}

/** False for a link in the place of a folder: files behind it do not belong to this tree. */
function isFolder(root: string, path: string, known: Map<string, boolean>): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  const is = isFolder(root, parentOf(path), known) && statsOf(root, path)?.isDirectory() === true;
  known.set(path, is);
  return is;
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const fileOf = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

/** @param path one character a byte. */
export function statsOf(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(fileOf(root, path), { throwIfNoEntry: false });
  } catch (error) {
    // A file stands where a folder was.
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function isReadable(root: string, path: string): boolean {
  try {
    accessSync(fileOf(root, path), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
