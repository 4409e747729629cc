/** Checks an installation the way the agent would meet it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLAUDE_CODE_EVENTS } from '../agents/claude-code/adapter.ts';
import {
  FAILS_CLOSED_SINCE,
  settingsFilesInForce,
  wantedHooks,
} from '../agents/claude-code/install.ts';
import { settingsProblems } from '../agents/claude-code/settings-problems.ts';
import { isJsonObject } from '../agents/payload.ts';
import type { EventName } from '../agents/types.ts';
import type { Environment } from '../environment.ts';
import { ExplainedError } from '../errors.ts';
import { type Outcome, run } from '../process/run.ts';
import { readText } from './files.ts';
import { shimRuntime } from './hook-shim.ts';
import { type FoundHook, findOurs, isBlank, isCurrent } from './plan.ts';
import { parseSettings } from './settings-text.ts';

/** `warning`: works, but not as well as it could. `broken`: something is not held. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly fact: string;
  readonly hint?: string;
}

export interface Place {
  readonly env: Environment;
  readonly cwd: string;
}

/** Turns what a check throws into a finding: a doctor who falls ill himself helps nobody. */
export async function guarded(
  check: string,
  work: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    const { message, hint } = error;
    return [{ check, state: 'broken', fact: message, ...(hint === undefined ? {} : { hint }) }];
  }
}

/** Is there a switch that turns hooks off in any file that counts here? */
export function checkSwitches({ env, cwd }: Place): Finding[] {
  const check = 'switches';
  const off: Finding[] = [];
  if (env.LANEHOLD_DISABLE === '1') {
    const fact = 'LANEHOLD_DISABLE=1 is set: the hooks do nothing';
    off.push({ check, state: 'broken', fact, hint: 'unset LANEHOLD_DISABLE' });
  }
  for (const file of settingsFilesInForce(env, cwd)) {
    const settings = readSettings(file);
    for (const key of ['disableAllHooks', 'allowManagedHooksOnly']) {
      if (!isJsonObject(settings) || settings[key] !== true) continue;
      // The second one counts in the managed settings only.
      if (key === 'allowManagedHooksOnly' && !file.startsWith('/etc/')) continue;
      const fact = `\`${key}\` in ${file} turns the hooks off`;
      off.push({ check, state: 'broken', fact, hint: `remove \`${key}\` from ${file}` });
    }
  }
  if (off.length > 0) return off;
  return [{ check, state: 'ok', fact: 'nothing turns the hooks off' }];
}

/** A file that cannot be parsed turns nothing off: the agent drops it. */
function readSettings(file: string): unknown {
  try {
    return JSON.parse((readText(file) ?? 'null').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ExplainedError) return undefined;
    throw error;
  }
}

/** Our entries in a settings file; empty if it has none. @throws {SettingsFileError} */
export function installedHooks(file: string): FoundHook[] {
  const text = readText(file);
  return isBlank(text) ? [] : findOurs(parseSettings(file, text));
}

/** Will the agent read the file, and does it say what this version would write? */
export function checkEntries(file: string, found: readonly FoundHook[], hook: string): Finding[] {
  const check = 'settings';
  const problems = settingsProblems(readSettings(file));
  if (problems.length > 0) {
    return problems.map((problem) => ({
      check,
      state: 'broken',
      fact: `the agent ignores all of ${file}: ${problem}`,
      hint: `correct that place in ${file}`,
    }));
  }
  const args = found[0]?.entry.args;
  const runtime = shimRuntime(Array.isArray(args) ? args : []);
  if (!existsSync(runtime.hook)) {
    const fact = `the hooks in ${file} lead nowhere: ${runtime.hook} is gone`;
    return [{ check, state: 'broken', fact, hint: 'run `lanehold install` again' }];
  }
  if (!isCurrent(found, wantedHooks(runtime, file))) {
    const fact = `the hooks in ${file} are incomplete, changed or of another version`;
    return [{ check, state: 'broken', fact, hint: 'run `lanehold install` again' }];
  }
  if (runtime.hook !== hook) {
    const fact = `the hooks in ${file} start another copy of lanehold: ${runtime.hook}`;
    return [{ check, state: 'warning', fact, hint: 'run `lanehold install` to use this one' }];
  }
  return [{ check, state: 'ok', fact: `${found.length} hooks in ${file}` }];
}

const SAMPLES: readonly (readonly [event: EventName, fields: Readonly<Record<string, unknown>>])[] =
  [
    ['before-tool', { tool_name: 'Bash', tool_input: { command: 'git status' } }],
    ['session-start', { source: 'startup' }],
  ];

/** Runs the installed hooks exactly as they are written, in a folder and a store of their own. */
export async function checkHookRuns(
  found: readonly FoundHook[],
  env: Environment,
): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-doctor-'));
  try {
    const findings: Finding[] = [];
    for (const [event, fields] of SAMPLES) {
      const name = CLAUDE_CODE_EVENTS[event];
      const hook = found.find((it) => it.event === name);
      if (!hook) continue;
      const payload = { session_id: 'doctor', cwd: folder, hook_event_name: name, ...fields };
      const outcome = await start(hook, payload, { env, cwd: folder });
      findings.push(judge(name, outcome));
    }
    return findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start({ entry }: FoundHook, payload: object, { env, cwd }: Place): Promise<Outcome> {
  const args = Array.isArray(entry.args) ? entry.args.map(String) : [];
  return run(String(entry.command), args, {
    cwd,
    env: {
      ...env,
      CLAUDE_PROJECT_DIR: cwd,
      LANEHOLD_HOME: join(cwd, 'home'),
      LANEHOLD_DISABLE: '',
    },
    input: `${JSON.stringify(payload)}\n`,
    timeoutMs: Number(entry.timeout) * 1000,
  });
}

function judge(name: string, outcome: Outcome): Finding {
  const check = 'hook';
  const broken = (why: string): Finding => ({
    check,
    state: 'broken',
    fact: `the ${name} hook does not work: ${why}`,
    hint: 'install lanehold again: `npm install -g lanehold && lanehold install`',
  });
  if (outcome.kind === 'failed') return broken(outcome.why);
  const { exitCode, stderr } = outcome;
  const stdout = outcome.stdout.toString('utf8');
  if (exitCode !== 0) {
    const said = (stderr || stdout).trim().split('\n')[0] ?? '';
    return broken(`it exits with ${exitCode}${said && `: ${said.slice(0, 200)}`}`);
  }
  if (stdout !== '' && !isAnswer(stdout)) return broken('it prints what the agent cannot read');
  return { check, state: 'ok', fact: `the ${name} hook answers` };
}

function isAnswer(stdout: string): boolean {
  try {
    return isJsonObject(JSON.parse(stdout));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Not finding the client is no fault: it may be started by an editor. */
export async function checkClient({ env, cwd }: Place): Promise<Finding[]> {
  const check = 'client';
  const outcome = await run('claude', ['--version'], { cwd, env, timeoutMs: 5_000 });
  const said = outcome.kind === 'exited' ? outcome.stdout.toString('utf8') : '';
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
  if (version === undefined) {
    return [{ check, state: 'ok', fact: 'no `claude` on PATH to ask for its version' }];
  }
  if (version.localeCompare(FAILS_CLOSED_SINCE, 'en', { numeric: true }) >= 0) {
    return [{ check, state: 'ok', fact: `Claude Code ${version}` }];
  }
  const fact = `Claude Code ${version} lets a command run if its hook fails`;
  const hint = `update it to ${FAILS_CLOSED_SINCE} or newer: \`claude update\``;
  return [{ check, state: 'warning', fact, hint }];
}
