/** Makes the test runners of a validation report their results as data, besides their output. */
import { writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { makePrivateFolder } from '../../../base/files/private-folder.ts';
import { programsOf } from '../../../features/programs.ts';

/** Words with which a runner executes no tests, or writes the report elsewhere. */
const NOT_ASKED = {
  node: /^(?:--watch|-h|--help|-v|--version)$/,
  vitest: /^(?:list|bench|init|dev|--outputFile.*|-h|--help|-v|--version)$/,
  jest: /^(?:--json|--outputFile.*|--listTests|--showConfig|--help|--version)$/,
  pytest: /^(?:--junit-?xml.*|--collect-only|--co|--help|-h|--version|-V)$/,
};

type Runner = keyof typeof NOT_ASKED;

/**
 * The runners that a command is known to start, without those whose report it configures.
 *
 * @param cwd absolute folder inside `root`, the root of the checkout.
 */
export function runnersOf(command: string, root: string, cwd: string): Runner[] {
  const found = programsOf(command, root, cwd).flatMap(([program = '', ...words]) => {
    const name = posix.basename(program).replace('py.test', 'pytest');
    if (!Object.hasOwn(NOT_ASKED, name) || (name === 'node' && !words.includes('--test')))
      return [];
    const runner = name as Runner;
    return words.some((word) => NOT_ASKED[runner].test(word)) ? [] : [runner];
  });
  // Several runs of pytest would write to the same file.
  const isOnce = (runner: Runner) => found.filter((it) => it === runner).length === 1;
  return [...new Set(found)].filter((runner) => runner !== 'pytest' || isOnce(runner));
}

export interface Reports {
  readonly folder: string;
  readonly runners: readonly Runner[];
  /** `go test` names all tests in its output. */
  readonly namesGo: boolean;
  readonly env: Readonly<Record<string, string>>;
}

type ReportsWish = Pick<Reports, 'folder' | 'env'> &
  Readonly<Record<'command' | 'root' | 'cwd', string>>;

/**
 * Runners of JavaScript are prepared for any command, since their start may be hidden: `npm test --workspaces`. They
 * load programs that report next to themselves, since tools such as Turborepo let few variables through.
 *
 * @param folder created anew.
 */
export function askForReports({ command, root, cwd, env, folder }: ReportsWish): Reports {
  const runners = runnersOf(command, root, cwd);
  makePrivateFolder(folder);
  const preload = join(folder, 'preload.cjs');
  const ours = `--require=${quoted(preload)}`;
  writeFileSync(preload, `const ours = ${JSON.stringify(ours)};\n${PRELOAD}`, { mode: 0o600 });
  writeFileSync(join(folder, 'reporter.mjs'), NODE_REPORTER, { mode: 0o600 });
  const { PYTEST_ADDOPTS: pytest = '', NODE_OPTIONS: node = '' } = env;
  const junit = `${pytest} --junitxml=${quoted(join(folder, 'pytest.xml'))}`.trim();
  const namesGo = programsOf(command, root, cwd).some(
    ([program = '', verb]) => posix.basename(program) === 'go' && verb === 'test',
  );
  const asked = {
    NODE_OPTIONS: `${node} ${ours}`.trim(),
    ...(runners.includes('pytest') ? { PYTEST_ADDOPTS: junit } : {}),
    // Go names passed tests in its output only with `-v`.
    ...(namesGo ? { GOFLAGS: `${env.GOFLAGS ?? ''} -v`.trim() } : {}),
  };
  return { folder, runners, namesGo, env: { ...env, ...asked } };
}

/** A path in quotes that NODE_OPTIONS and the splitting of pytest understand. */
const quoted = (path: string): string =>
  /[\s"'\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, '\\$&')}"` : path;

/**
 * Makes Vitest and Jest also write their JSON report. `node --test` has read its options before it loads this, so it is
 * started once more with lanehold's reporter. It may be any Node of the project's. The processes of the tests do not
 * get the settings, so the code under test finds no report to write.
 */
const PRELOAD = `const { spawnSync } = require('node:child_process');
const { realpathSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const { allowedNodeEnvironmentFlags, argv, env, execArgv, execPath, pid } = process;
const rest = (env.NODE_OPTIONS || '').replace(ours, '').trim();

function startAgain() {
  const words = [...(env.NODE_OPTIONS || '').split(' '), ...execArgv];
  const given = (name) => words.filter((it) => it === name || it.startsWith(name + '=')).length;
  const [reporters, places] = [given('--test-reporter'), given('--test-reporter-destination')];
  // With several reporters, each has a destination. A single one prints to the output.
  const theirs = [reporters ? [] : ['=spec'], reporters > places || !reporters ? ['-destination=stdout'] : []];
  const ours = ['=' + __dirname + '/reporter.mjs', '-destination=' + __dirname + '/none'];
  const options = [...theirs.flat(), ...ours].map((it) => '--test-reporter' + it);
  const again = [...execArgv, ...options, ...argv.slice(1)];
  const { status, signal } = spawnSync(execPath, again, { stdio: 'inherit', env: { ...env, NODE_OPTIONS: rest } });
  if (signal) process.kill(pid, signal);
  process.exit(status ?? 1);
}

function addJson() {
  let main = '';
  try { main = realpathSync(argv[1]); } catch { /* A word, not a file. */ }
  const file = __dirname + '/' + pid + '.json';
  const add = (...words) => {
    const end = argv.indexOf('--');
    argv.splice(end === -1 ? argv.length : end, 0, ...words);
  };
  if (/[\\\\/]vitest[\\\\/](?:vitest\\.mjs|dist[\\\\/]cli\\.js)$/.test(main)) {
    if (!argv.some((it) => it.startsWith('--reporter'))) add('--reporter=default');
    add('--reporter=json', '--outputFile.json=' + file);
    env.NODE_OPTIONS = rest;
  } else if (/[\\\\/]jest(?:-cli)?[\\\\/]bin[\\\\/]jest\\.js$/.test(main)) {
    add('--json', '--outputFile=' + file);
    env.NODE_OPTIONS = rest;
  }
}

const canReport = allowedNodeEnvironmentFlags.has('--test-reporter');
if (isMainThread && execArgv.includes('--test')) {
  if (canReport && !env.NODE_TEST_CONTEXT && !process.send) startAgain();
} else if (isMainThread && argv[1]) addJson();
`;

/** One line of JSON for each test of `node --test`, appended, since a command may start it several times. */
const NODE_REPORTER = `import { appendFileSync } from 'node:fs';
const file = new URL('node.jsonl', import.meta.url);
// A file of which no test was chosen is reported as one that has none, and has passed.
const isChosen = process.execArgv.some((it) => /^--test-(?:name-pattern|only)/.test(it));
export default async function* report(events) {
  appendFileSync(file, '');
  const levels = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') levels.splice(data.nesting, levels.length, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { details = {}, nesting, name, skip, todo, file: path = '' } = data;
    if (isChosen && type === 'test:pass' && path.endsWith(name)) continue;
    const failureType = details.error?.failureType;
    if (details.type === 'suite' ? failureType === 'subtestsFailed' || type === 'test:pass' : failureType === 'subtestsFailed') continue;
    const skipped = skip !== undefined || (todo !== undefined && type === 'test:fail');
    const status = skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    const title = [...levels.slice(0, nesting), name];
    const { name: kind = '', message = '' } = details.error?.cause ?? {};
    const why = kind + ': ' + message;
    appendFileSync(file, JSON.stringify({ status, path, title, why }) + '\\n');
  }
}
`;
