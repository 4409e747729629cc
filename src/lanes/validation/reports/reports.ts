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
  /** The runners that report, in words for people. */
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

/** `undefined` if the command starts no runner that can report: then its exit code alone counts. */
export async function askForReports(wish: ReportsWish): Promise<Reports | undefined> {
  const { command, root, cwd, env, folder } = wish;
  const runners = [...runnersOf(command, root, cwd)];
  if (runners.length === 0) return undefined;
  makePrivateFolder(folder);
  const own: Record<string, string> = { LANEHOLD_TEST_REPORTS: folder };
  if (runners.includes('pytest')) {
    const { PYTEST_ADDOPTS: before = '' } = env;
    own.PYTEST_ADDOPTS = `${before} --junitxml=${quoted(join(folder, 'pytest.xml'))}`.trim();
  }
  const options = runners.flatMap((it) => OPTIONS[it]?.(folder) ?? []);
  if (options.length > 0) {
    const { NODE_OPTIONS: before = '' } = env;
    own.NODE_OPTIONS = [before, ...new Set(options)].join(' ').trim();
    const probe = await run('node', ['-e', '0'], { cwd, env: { ...env, ...own } });
    // Nodes before 20 refuse some of these options.
    if (probe.kind !== 'exited' || probe.exitCode !== 0) return undefined;
  }
  return { folder, runners, env: own };
}

const OPTIONS: Readonly<Partial<Record<Runner, (folder: string) => string[]>>> = {
  node: (folder) => {
    const reporter = join(folder, 'reporter.mjs');
    writeFileSync(reporter, NODE_REPORTER, { mode: 0o600 });
    const none = quoted(join(folder, 'none'));
    return [
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${quoted(reporter)}`,
      `--test-reporter-destination=${none}`,
    ];
  },
  vitest: jsonReports,
  jest: jsonReports,
};

function jsonReports(folder: string): string[] {
  const file = join(folder, 'json-reports.cjs');
  writeFileSync(file, JSON_REPORTS, { mode: 0o600 });
  return [`--require=${quoted(file)}`];
}

/** As NODE_OPTIONS and the shell-like splitting of pytest understand it. */
const quoted = (path: string): string =>
  /[\s"'\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, '\\$&')}"` : path;
