/**
 * A project for lanes: a sandbox with a repository, programs that stand in for the agents' CLIs
 * first on PATH, and a scenario that tells them what to do. What was started in it ends with it.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Files, Note, Scenario, WorkerStart } from './fake-worker.ts';
import { untilFact } from './lane-facts.ts';
import { endAll, type MarkedProcess, processesMarked, signal, statOf } from './marked-processes.ts';
import { compileCache, type Ran, runNode } from './program.ts';
import { runCli } from './run-cli.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from './sandbox.ts';
import { shareRuntime } from './used-home.ts';

const FAKES = resolve(import.meta.dirname, '../fixtures/bin');

/** A validation that any lane can break by leaving a file `broken`, or a check that fails. */
const FILES: Files = {
  'README.md': 'A project\n',
  'src/core.txt': 'one\ntwo\nthree\n',
  'check.sh': `set -e
test ! -e broken
for check in checks/*.sh; do sh "$check"; done
`,
  'checks/core.sh': 'grep -q . src/core.txt\n',
};
export const VALIDATE = 'sh check.sh';

/** Fixed, so that the machine does not decide how many lanes run at once. */
const SLOTS = { worker: 6, validate: 2, setup: 2 };

/** For projects whose validation names its tests: `node --test`. */
export const NODE_TESTS: Files = {
  'package.json': '{ "name": "project", "private": true, "type": "module" }\n',
  'src/area.mjs': 'export const area = (width, height) => width * height;\n',
  'test/area.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { area } from '../src/area.mjs';

test('area of a rectangle', () => assert.equal(area(2, 3), 6));
`,
};

export interface Orchestrated extends Ran {
  /** What was printed as JSON; `undefined` if nothing was. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape that it asks for
  readonly json: any;
}

interface Options {
  /** In addition to the files that every project has. */
  readonly files?: Files;
  readonly scenario?: Scenario;
  /** Of its folder, which views show. */
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `lanes.baseline`. */
  readonly baseline?: 'at-once';
  /** A project whose store, slots and worktrees this one shares: a second repository of its user. */
  readonly beside?: LaneProject;
  readonly cleanUp?: (remove: () => void) => void;
  /** Starts a process for every command: for tests of what only a process shows, such as its clock. */
  readonly ownProcess?: true;
}

export interface LaneProject {
  readonly box: Sandbox;
  readonly repo: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Replaces the scenario of the stand-ins. */
  setScenario(scenario: Scenario): void;
  /** Sets a flag that steps of the scenario wait for. */
  raise(flag: string): void;
  isRaised(flag: string): boolean;
  journal(): Note[];
  /** Starts of workers, of all lanes or of one, in their order. */
  starts(lane?: string): WorkerStart[];
  /** Runs `lanehold …` in the repository, as a coordinator's shell would. */
  lanehold(...args: readonly string[]): Promise<Ran>;
  /** Runs `lanehold orchestrate … --json`; fails the test if it prints something else. */
  orchestrate(...args: readonly string[]): Promise<Orchestrated>;
  git(...args: readonly string[]): string;
  until: typeof untilFact;
  /** Processes that carry the marker of an attempt, or of the one named. */
  processesLeft(attempt?: string): MarkedProcess[];
  /** These and all others of the project: supervisors, commands. */
  processes(): MarkedProcess[];
  /** Sends a signal to exactly that process; false if it has gone. */
  signal(it: Pick<MarkedProcess, 'pid' | 'start'>, name: NodeJS.Signals): boolean;
}

export function laneProject(options: Options = {}): LaneProject {
  const { files = {}, scenario = {}, cleanUp = onTestFinished } = options;
  const box = sandbox((remove) =>
    cleanUp(() => {
      endAll(everything);
      remove();
    }),
  );
  const stage = join(box.root, 'stage');
  const scenarioFile = join(stage, 'scenario.json');
  const bin = join(box.root, 'bin');
  const env = {
    ...box.env,
    ...(options.beside ? { LANEHOLD_HOME: options.beside.env.LANEHOLD_HOME } : {}),
    PATH: [FAKES, bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    FAKE_SCENARIO: scenarioFile,
    ...compileCache(),
    ...options.env,
  };
  const mark = `FAKE_SCENARIO=${scenarioFile}`;

  /** Also daemons without the mark: a stand-in has recorded their pids. */
  function everything(): MarkedProcess[] {
    const daemons = journal().flatMap((it): MarkedProcess[] => {
      const found = it.event === 'daemon' ? statOf(it.daemon) : undefined;
      if (it.event !== 'daemon' || found === undefined || found.start !== it.start) return [];
      const facts = { attempt: undefined, stage: undefined, worktree: undefined };
      return [{ pid: it.daemon, ...found, ...facts, command: `daemon ${it.name}` }];
    });
    return [...processesMarked(mark), ...daemons];
  }

  function setScenario(next: Scenario): void {
    mkdirSync(stage, { recursive: true });
    const file = `${scenarioFile}.new`;
    writeFileSync(file, JSON.stringify(next, undefined, 2));
    renameSync(file, scenarioFile);
  }

  function journal(): Note[] {
    const file = join(stage, 'journal.jsonl');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Note);
  }

  setScenario(scenario);
  if (options.beside === undefined) {
    mkdirSync(box.laneholdHome, { mode: 0o700 });
    shareRuntime(box.laneholdHome);
    // A test of something else would wait for one more validation of each command.
    const lanes = { slots: SLOTS, baseline: options.baseline ?? 'when-needed' };
    for (const home of new Set([box.laneholdHome, env.LANEHOLD_HOME ?? ''].filter(Boolean))) {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      writeFileSync(join(home, 'config.json'), JSON.stringify({ lanes }), { mode: 0o600 });
    }
  }
  const program = box.write(
    join(bin, 'lanehold'),
    `#!/bin/sh\nexec '${process.execPath}' '${CLI_PROGRAM}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  const repo = box.repo(options.name);
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    box.write(join(repo, path), text);
  }
  box.commit(repo, 'first');

  const lanehold = (...args: readonly string[]): Promise<Ran> =>
    options.ownProcess ? runNode(CLI_PROGRAM, args, { cwd: repo, env }) : runCli(args, repo, env);

  return {
    box,
    repo,
    env,
    setScenario,
    journal,
    lanehold,
    until: untilFact,
    signal,
    raise: (flag) => {
      box.write(join(stage, 'flags', flag), '');
    },
    isRaised: (flag) => existsSync(join(stage, 'flags', flag)),
    starts: (lane) =>
      journal()
        .filter((it) => it.event === 'start')
        .filter((it) => lane === undefined || it.lane === lane),
    orchestrate: async (...args) => {
      const ran = await lanehold('orchestrate', ...args, '--json');
      return { ...ran, json: parsed(ran) };
    },
    git: (...args) => box.git(repo, ...args),
    processesLeft: (attempt) =>
      processesMarked(mark).filter((it) =>
        attempt === undefined ? it.attempt !== undefined : it.attempt === attempt,
      ),
    processes: () => processesMarked(mark),
  };
}

function parsed({ stdout, stderr, exitCode }: Ran): unknown {
  if (stdout.trim() === '') return undefined;
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`exit code ${exitCode}, and no JSON: ${stdout}\n${stderr}`);
  }
}
