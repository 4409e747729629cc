/** Lets the test runners of a validation report their results as data. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../files/private-folder.ts';
import { run } from '../../../process/run.ts';
import { JSON_REPORTS, NODE_REPORTER } from './reporters.ts';
import { type Runner, runnersOf } from './runners.ts';

export interface Reports {
  /** Where they are. */
  readonly folder: string;
  /** The runners that the command is known to start; others may report, too. */
  readonly runners: readonly Runner[];
  /** Variables by which runners are told to report. */
  readonly env: Readonly<Record<string, string>>;
}

interface ReportsWish {
  readonly command: string;
  readonly root: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Created anew. */
  readonly folder: string;
}

/** Vitest and Jest are asked in any command, since what starts them may not be seen: `npm test --workspaces`. */
export async function askForReports(wish: ReportsWish): Promise<Reports> {
  const { command, root, cwd, env, folder } = wish;
  const runners = [...runnersOf(command, root, cwd)];
  makePrivateFolder(folder);
  const own: Record<string, string> = {};
  if (runners.includes('pytest')) {
    const { PYTEST_ADDOPTS: before = '' } = env;
    own.PYTEST_ADDOPTS = `${before} --junitxml=${quoted(join(folder, 'pytest.xml'))}`.trim();
  }
  const options = [
    ...jsonReports(folder),
    ...(runners.includes('node') ? nodeReports(folder) : []),
  ];
  const { NODE_OPTIONS: before = '' } = env;
  const nodeOptions = [before, ...options].join(' ').trim();
  const all = { ...env, ...own, NODE_OPTIONS: nodeOptions };
  const probe = await run('node', ['-e', '0'], { cwd, env: all });
  // Nodes before 20 refuse some of these options.
  const isTaken = probe.kind === 'exited' && probe.exitCode === 0;
  if (isTaken) return { folder, runners, env: { ...own, NODE_OPTIONS: nodeOptions } };
  return { folder, runners: runners.filter((it) => it === 'pytest'), env: own };
}

function nodeReports(folder: string): string[] {
  const reporter = join(folder, 'reporter.mjs');
  writeFileSync(reporter, NODE_REPORTER, { mode: 0o600 });
  const none = quoted(join(folder, 'none'));
  return [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${quoted(reporter)}`,
    `--test-reporter-destination=${none}`,
  ];
}

function jsonReports(folder: string): string[] {
  const file = join(folder, 'json-reports.cjs');
  writeFileSync(file, JSON_REPORTS, { mode: 0o600 });
  return [`--require=${quoted(file)}`];
}

/** As NODE_OPTIONS and the shell-like splitting of pytest understand it. */
const quoted = (path: string): string =>
  /[\s"'\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, '\\$&')}"` : path;
