/** Moves a checked-out branch with its index and files, if no local change is in the way. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../environment.ts';
import { gitIn, UNATTENDED } from '../../git/git.ts';
import { splitNul } from '../../git/paths.ts';
import { readStatus } from '../../git/repository-snapshot.ts';

export type FastForward =
  | { readonly kind: 'moved' }
  /** `files` would be overwritten; if it is empty, `why` is git's message. */
  | { readonly kind: 'blocked'; readonly files: readonly string[]; readonly why: string };

const CHECKOUT_MS = 600_000;

/** git's own rules, without the user's hooks and settings for merging by hand. */
const QUIETLY = [
  ...UNATTENDED,
  ...['-c', 'submodule.recurse=false', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
];
const MERGE = [
  ...['merge', '--ff-only', '--quiet', '--no-stat', '--no-autostash', '--no-verify-signatures'],
  // Ignored files must not be lost either.
  '--no-overwrite-ignore',
];

export async function fastForward(
  path: string,
  to: string,
  env: Environment,
): Promise<FastForward> {
  const git = gitIn(path, env, { timeoutMs: CHECKOUT_MS });
  const differing = splitNul(
    await git.text(['diff', '--name-status', '-z', '--no-renames', 'HEAD', to, '--']),
  );
  const changed = new Map<string, string>();
  for (let at = 0; at + 1 < differing.length; at += 2) {
    changed.set(differing[at + 1] ?? '', differing[at] ?? '');
  }
  const { changes } = await readStatus(git);
  const dirty = changes.filter((it) => changed.has(it.path)).map((it) => it.path);
  const covered = [...changed].flatMap(([name, kind]) =>
    kind === 'A' && lstatSync(join(path, name), { throwIfNoEntry: false }) ? [name] : [],
  );
  const files = [...new Set([...dirty, ...covered])].sort();
  if (files.length > 0) return { kind: 'blocked', files, why: 'local changes would be lost' };
  const { exitCode, stderr } = await git.attempt([...QUIETLY, ...MERGE, to]);
  if (exitCode === 0) return { kind: 'moved' };
  return { kind: 'blocked', files: [], why: wordsOf(stderr) || `exit code ${exitCode}` };
}

function wordsOf(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((it) => !it.startsWith('hint:')) ?? '';
  return line.replace(/^(?:fatal|error): /, '').trim();
}
