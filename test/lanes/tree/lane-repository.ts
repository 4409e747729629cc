/** A repository, and the wish for a worktree of a lane in it. */
import { join } from 'node:path';
import { projectPlace } from '../../../src/base/git/project.ts';
import type { WorktreeWish } from '../../../src/lanes/tree/create.ts';
import { worktreePlace } from '../../../src/lanes/tree/place.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

export interface LaneRepository {
  readonly box: Sandbox;
  readonly repo: string;
  readonly start: string;
  readonly root: string;
  wish(lane?: string, changes?: Partial<WorktreeWish>): WorktreeWish;
}

export function laneRepository(name = 'repo'): LaneRepository {
  const box = sandbox();
  const repo = box.repo(name);
  box.write(`${name}/a.txt`, 'a\n');
  box.write(`${name}/src/b.txt`, 'b\n');
  box.write(`${name}/.gitignore`, 'ignored/\n*.log\n.env\n');
  const start = box.commit(repo, 'start');
  const root = join(box.laneholdHome, 'worktrees');
  const repository = projectPlace(repo);
  return {
    box,
    repo,
    start,
    root,
    wish: (lane = 'api', changes = {}) => ({
      repository,
      root,
      path: worktreePlace({ root, repository, run: 'run', lane }),
      branch: `lanehold/run/${lane}`,
      sha: start,
      attempt: `attempt-of-${lane}`,
      locks: join(box.laneholdHome, 'locks'),
      env: box.env,
      ...changes,
    }),
  };
}
