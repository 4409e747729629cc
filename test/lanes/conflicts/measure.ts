/** Resolves each case as an integration does: a way counts if both sides' promises hold; then the hidden ones are asked. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { commitMerge, type Sides } from '../../../src/base/git/merge.ts';
import { mergeTrees } from '../../../src/base/git/plumbing.ts';
import { BY_GIT, mergeOrResolve } from '../../../src/lanes/fit/resolve.ts';
import { type Case, type Edit, type Language, libraryOf } from './cases.ts';

export interface Outcome {
  readonly case: Case;
  readonly kind: 'resolved' | 'wrong' | 'left';
  readonly way: string;
  /** Results that were validated. */
  readonly tries: number;
}

/** How a tip is made of two sides; `undefined` ends the tries. `refused` are labels of those that did not pass. */
type Resolver = (
  sides: Sides,
  refused: Set<string>,
) => Promise<{ readonly commit: string; readonly way: string } | undefined>;

export const RESOLVERS = ['git', 'union', 'lanehold'] as const;

export async function outcomesOf(
  cases: readonly Case[],
  which: (typeof RESOLVERS)[number] = 'lanehold',
): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-conflicts-'));
  try {
    const resolver = resolversIn(folder)[which];
    importCases(folder, cases);
    const found: Outcome[] = [];
    for (const [at, it] of cases.entries()) found.push(await outcome(folder, it, at, resolver));
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolved ways of a case are few: more would not end. */
const MOST_TRIES = 9;

async function outcome(folder: string, it: Case, at: number, resolve: Resolver): Promise<Outcome> {
  const oidOf = (name: string): string =>
    execFileSync('git', ['rev-parse', `case/${at}/${name}`], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();
  const sides = { ours: oidOf('ours'), theirs: oidOf('theirs'), message: 'merge' };
  const refused = new Set<string>();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const found = await resolve(sides, refused);
    if (found === undefined) return { case: it, kind: 'left', way: '', tries };
    const root = join(folder, 'out');
    checkOut(folder, found.commit, root);
    if (holds(it.language, root, [...it.ours.checks, ...it.theirs.checks])) {
      const isRight = it.hidden !== 'none' && holds(it.language, root, it.hidden);
      return { case: it, kind: isRight ? 'resolved' : 'wrong', way: found.way, tries: tries + 1 };
    }
    refused.add(found.way);
  }
  return { case: it, kind: 'left', way: '', tries: MOST_TRIES };
}

function resolversIn(folder: string): Readonly<Record<(typeof RESOLVERS)[number], Resolver>> {
  const git = gitIn(folder, process.env);
  const merged = async (sides: Sides, refused: Set<string>, way: string, config: string[]) => {
    if (refused.has(way)) return undefined;
    const { tree, conflicts } = await mergeTrees(git, sides.ours, sides.theirs, config);
    const commit = conflicts.length === 0 && (await commitMerge(git, tree, sides));
    return commit ? { commit, way } : undefined;
  };
  const union = join(folder, 'union');
  return {
    git: (sides, refused) => merged(sides, refused, BY_GIT, []),
    union: (sides, refused) => {
      writeFileSync(union, '* merge=union\n');
      return merged(sides, refused, 'union', ['-c', `core.attributesFile=${union}`]);
    },
    async lanehold(sides, refused) {
      const found = await mergeOrResolve(git, process.env, sides, refused);
      if (found.kind === 'conflict') return undefined;
      const way = found.resolution?.way ?? BY_GIT;
      return refused.has(way) ? undefined : { commit: found.commit, way };
    },
  };
}

/** One commit for each base and each side, in one stream: git starts once. */
function importCases(folder: string, cases: readonly Case[]): void {
  execFileSync('git', ['init', '--quiet', '--bare', folder]);
  const lines: string[] = [];
  let mark = 0;
  const commit = (ref: string, files: Readonly<Record<string, string>>, from?: number): number => {
    mark += 1;
    lines.push(`commit refs/heads/${ref}`, `mark :${mark}`, 'committer A <a@example.com> 0 +0000');
    lines.push('data 1', '.');
    if (from !== undefined) lines.push(`from :${from}`, 'deleteall');
    for (const [path, content] of Object.entries(files)) {
      lines.push(`M 100644 inline ${path}`, `data ${Buffer.byteLength(content)}`, content);
    }
    return mark;
  };
  for (const [at, { base, ours, theirs, language }] of cases.entries()) {
    const fork = commit(`case/${at}/base`, base);
    commit(`case/${at}/ours`, edited(base, ours.edits, language), fork);
    commit(`case/${at}/theirs`, edited(base, theirs.edits, language), fork);
  }
  const input = `${lines.join('\n')}\n`;
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input });
}

function edited(base: Case['base'], edits: readonly Edit[], language: Language) {
  const files = { ...base };
  for (const [from, to, path = libraryOf(language)] of edits) {
    const before = files[path] ?? '';
    const isNew = from === '' && files[path] === undefined;
    // What the edit of a name does to one place, it does to all.
    if (!isNew && !before.includes(from)) throw new Error(`${path} has no ${JSON.stringify(from)}`);
    files[path] = isNew ? to : before.replace(from, () => to);
  }
  return files;
}

function checkOut(folder: string, commit: string, root: string): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  const tar = execFileSync('git', ['archive', commit], { cwd: folder });
  execFileSync('tar', ['-x', '-C', root], { input: tar });
}

const NODE_CHECKS = (library: string, checks: readonly string[]): string => `
import { existsSync, readFileSync } from 'node:fs';
const read = (path) => readFileSync(path, 'utf8');
const load = (path) => import(new URL(path, import.meta.url).href);
const throws = (f) => { try { f(); return false; } catch { return true; } };
const m = existsSync('${library}') ? await load('${library}') : {};
const checks = [${checks.map((it) => `async () => ${it}`).join(',\n')}];
for (const check of checks) if ((await check()) !== true) throw new Error(String(check));
`;
const PYTHON_CHECKS = (checks: readonly string[]): string => `
def throws(f):
    try:
        f()
        return False
    except Exception:
        return True

from lib import *
${checks.map((it) => `assert ${it}`).join('\n')}
`;
const GO_CHECKS = (checks: readonly string[]): string =>
  `package main\n\nfunc main() {\n${checks.map((it) => `\tif !(${it}) {\n\t\tpanic(1)\n\t}\n`).join('')}}\n`;
const RUST_CHECKS = (checks: readonly string[]): string =>
  `#![allow(warnings)]\nmod lib;\nuse lib::*;\nfn main() {\n${checks.map((it) => `assert!(${it});\n`).join('')}}\n`;

type Runner = (checks: readonly string[]) => {
  readonly file: string;
  readonly content: string;
  readonly commands: readonly (readonly [program: string, ...args: string[]])[];
};

const RUNNERS: Readonly<Record<Language, Runner>> = {
  js: (checks) => node(libraryOf('js'), checks),
  ts: (checks) => node(libraryOf('ts'), checks),
  text: (checks) => node('none', checks),
  py: (checks) => {
    const content = PYTHON_CHECKS(checks);
    return { file: 'checks.py', content, commands: [['python3', '-B', 'checks.py']] };
  },
  go: (checks) => {
    const content = GO_CHECKS(checks);
    return { file: 'checks.go', content, commands: [['go', 'run', 'lib.go', 'checks.go']] };
  },
  rs: (checks) => {
    const commands = [['rustc', '-o', 'checks', 'checks.rs'] as const, ['./checks'] as const];
    return { file: 'checks.rs', content: RUST_CHECKS(checks), commands };
  },
};

function node(library: string, checks: readonly string[]) {
  const content = NODE_CHECKS(library, checks);
  return { file: 'checks.mjs', content, commands: [[process.execPath, 'checks.mjs'] as const] };
}

function holds(language: Language, root: string, checks: readonly string[]): boolean {
  const { file, content, commands } = RUNNERS[language](checks);
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
  return commands.every(([program, ...args]) => {
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'ignore' });
    return status === 0;
  });
}

const PROGRAMS: Readonly<Partial<Record<Language, string>>> = {
  py: 'python3',
  go: 'go',
  rs: 'rustc',
};

/** Why cases of a language are not tried here. */
export function whyNotTried(language: Language): string | undefined {
  const program = PROGRAMS[language];
  // Without a toolchain of its user, Cargo is there and does nothing; `go` takes the word without dashes.
  const asked = program === 'go' ? 'version' : '--version';
  if (program === undefined || spawnSync(program, [asked]).status === 0) return undefined;
  return `${program} does not run here`;
}
