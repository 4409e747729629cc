/** A git that takes hooks from its configuration: the one on PATH, or the one that a variable names. */
import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** What a skipped test says. */
export const NEEDS = 'needs git 2.54 or newer, on PATH or in the folder LANEHOLD_TEST_GIT';

/** PATH with that git first; `undefined` where there is none. */
export function pathWithNewerGit(): string | undefined {
  const { LANEHOLD_TEST_GIT: folder, PATH = '' } = process.env;
  const git = folder === undefined ? 'git' : join(folder, 'git');
  try {
    const [, major, minor] =
      /(\d+)\.(\d+)/.exec(execFileSync(git, ['version'], { encoding: 'utf8' })) ?? [];
    if (Number(major) * 1000 + Number(minor) < 2054) return undefined;
    return folder === undefined ? PATH : [folder, PATH].join(delimiter);
  } catch {
    return undefined;
  }
}
