/** A repository in which validations run as those of lanes do. */
import { dirname, join } from 'node:path';
import { gitIn } from '../../../src/base/git/git-in.ts';
import type { Baseline, JudgedRun } from '../../../src/lanes/judge/judge.ts';
import { askForReports } from '../../../src/lanes/judge/reports/ask.ts';
import {
  runValidation,
  type ValidationRun,
  type ValidationWish,
} from '../../../src/lanes/judge/run-validation.ts';
import { sandbox } from '../../support/sandbox.ts';

export function validationProject() {
  const box = sandbox();
  const repo = box.repo();
  const git = gitIn(repo, box.env);
  let runs = 0;
  const env = {
    HOME: box.home,
    // Validations find the Node that runs this test.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  };
  return {
    ...box,
    repo,
    repoGit: git,
    write: (path: string, content: string) => box.write(join(repo, path), content),
    commit: () => box.commit(repo),
    async validate(command: string, changes: Partial<ValidationWish> = {}): Promise<ValidationRun> {
      runs += 1;
      const cwd = changes.cwd ?? repo;
      const folder = join(box.root, `reports-${runs}`);
      const reports = askForReports({ command, root: cwd, cwd, env, folder });
      return runValidation({
        command,
        cwd,
        env: reports.env,
        reports,
        timeoutMs: 240_000,
        logFile: join(box.root, `validate-${runs}.log`),
        signal: new AbortController().signal,
        git,
        ...changes,
      });
    },
  };
}

export function asBaseline({ result, failures }: JudgedRun): Baseline {
  return { result, failures };
}
