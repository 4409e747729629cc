/** Checks an installation as the agent would use it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HookCommand, InstalledHook, Place, Sample } from '../agents/install.ts';
import type { Environment } from '../environment.ts';
import { ExplainedError } from '../errors.ts';
import { type Outcome, run } from '../process/run.ts';
import { isJsonObject, parsedJson } from '../text/json.ts';
import { readText } from './files.ts';
import { isCurrentScript } from './hook-script.ts';
import { isOldShim, shimRuntime } from './hook-shim.ts';
import { isCurrent } from './json-hooks.ts';
import type { Installer } from './targets.ts';

/**
 * `warning`: everything is held, but something should be improved. `broken`: something is not held.
 */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly fact: string;
  readonly hint?: string;
}

function broken(check: string, fact: string, hint: string | undefined): Finding {
  return { check, state: 'broken', fact, ...(hint === undefined ? {} : { hint }) };
}

/** Turns an explained error of a check into a finding, so that the other checks still run. */
export async function guarded(
  check: string,
  work: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    const { message, hint } = error;
    return [broken(check, message, hint)];
  }
}

/**
 * Finds switches that turn hooks off, in the environment and in the settings files that count here.
 */
export function checkSwitches(place: Place, all: readonly Installer[]): Finding[] {
  const check = 'switches';
  const off: Finding[] = [];
  if (place.env.LANEHOLD_DISABLE === '1') {
    const fact = 'LANEHOLD_DISABLE=1 is set: the hooks do nothing';
    off.push(broken(check, fact, 'unset LANEHOLD_DISABLE'));
  }
  for (const { settingsFilesInForce, offSwitches } of all) {
    for (const file of settingsFilesInForce(place)) {
      for (const key of offSwitches(file, textOf(file))) {
        const fact = `\`${key}\` in ${file} turns the hooks off`;
        off.push(broken(check, fact, `remove \`${key}\` from ${file}`));
      }
    }
  }
  if (off.length > 0) return off;
  return [{ check, state: 'ok', fact: 'nothing turns the hooks off' }];
}

/** A file that cannot be read has no switches: the agent ignores it. */
function textOf(file: string): string {
  try {
    return readText(file) ?? '';
  } catch (error) {
    if (error instanceof ExplainedError) return '';
    throw error;
  }
}

/** Our entries in a settings file; empty if it has none. @throws {SettingsFileError} */
export function installedHooks({ editor }: Installer, file: string): readonly InstalledHook[] {
  const text = readText(file);
  return text === undefined ? [] : editor.find(file, text);
}

interface Entries {
  readonly file: string;
  readonly found: readonly InstalledHook[];
  /** The hook program of this installation of lanehold. */
  readonly hook: string;
  /** All that the script knows. */
  readonly agents: readonly Installer[];
}

/** Checks that the agent accepts the file, and that the entries are those of this version. */
export function checkEntries(
  { problems: problemsIn, commandOf, wantedHooks }: Installer,
  { file, found, hook, agents }: Entries,
): Finding[] {
  const check = 'settings';
  const problems = problemsIn(textOf(file));
  if (problems.length > 0) {
    const hint = `correct that place in ${file}`;
    return problems.map((it) => broken(check, `the agent ignores all of ${file}: ${it}`, hint));
  }
  const [first] = found;
  const args = first ? commandOf(first).args : [];
  const runtime = shimRuntime(args);
  if (!existsSync(runtime.hook)) {
    const fact = `the hooks in ${file} lead nowhere: ${runtime.hook} is gone`;
    return [broken(check, fact, 'run `lanehold install` again')];
  }
  if (isOldShim(args)) {
    const fact = `the hooks in ${file} are of an earlier version, with a copy of the script in each`;
    return [{ check, state: 'warning', fact, hint: 'run `lanehold install` again' }];
  }
  if (!isCurrentScript(runtime.script, agents)) {
    const fact = `${runtime.script}, which the hooks in ${file} start, is gone or was changed`;
    return [broken(check, fact, 'run `lanehold install` again')];
  }
  if (!isCurrent(found, wantedHooks(runtime, file))) {
    const fact = `the hooks in ${file} are incomplete, changed or of another version`;
    return [broken(check, fact, 'run `lanehold install` again')];
  }
  if (runtime.hook !== hook) {
    const fact = `the hooks in ${file} start another copy of lanehold: ${runtime.hook}`;
    return [{ check, state: 'warning', fact, hint: 'run `lanehold install` to use this one' }];
  }
  return [{ check, state: 'ok', fact: `${found.length} hooks in ${file}` }];
}

/** Runs the installed hooks exactly as they are written, in a folder and a store of their own. */
export async function checkHookRuns(
  { commandOf, samples }: Installer,
  found: readonly InstalledHook[],
  env: Environment,
): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-doctor-'));
  try {
    const findings: Finding[] = [];
    for (const sample of samples(folder)) {
      const hook = found.find((it) => it.event === sample.event);
      if (!hook) continue;
      const outcome = await start(commandOf(hook), sample, { env, cwd: folder });
      findings.push(judge(sample.event, outcome));
    }
    return findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(
  { program, args, timeoutMs }: HookCommand,
  sample: Sample,
  { env, cwd }: Place,
): Promise<Outcome> {
  const own = { LANEHOLD_HOME: join(cwd, 'home'), LANEHOLD_DISABLE: '' };
  return run(program, args, {
    cwd,
    env: { ...env, ...sample.env, ...own },
    input: `${JSON.stringify(sample.payload)}\n`,
    timeoutMs,
  });
}

function judge(name: string, outcome: Outcome): Finding {
  const check = 'hook';
  const failed = (why: string): Finding =>
    broken(
      check,
      `the ${name} hook does not work: ${why}`,
      'install lanehold again: `npm install -g lanehold && lanehold install`',
    );
  if (outcome.kind === 'failed') return failed(outcome.why);
  const { exitCode, stderr } = outcome;
  const stdout = outcome.stdout.toString('utf8');
  if (exitCode !== 0) {
    const said = (stderr || stdout).trim().split('\n')[0] ?? '';
    return failed(`it exits with ${exitCode}${said && `: ${said.slice(0, 200)}`}`);
  }
  if (stdout !== '' && !isJsonObject(parsedJson(stdout)))
    return failed('it prints what the agent cannot read');
  return { check, state: 'ok', fact: `the ${name} hook answers` };
}

/** A client that is not found may be started by an editor: that is no fault. */
export async function checkClient(
  { title, client }: Installer,
  { env, cwd }: Place,
): Promise<Finding[]> {
  const check = 'client';
  const { program, since, weakness, update } = client;
  const outcome = await run(program, ['--version'], { cwd, env, timeoutMs: 5_000 });
  const said = outcome.kind === 'exited' ? outcome.stdout.toString('utf8') : '';
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
  if (version === undefined) {
    return [{ check, state: 'ok', fact: `no \`${program}\` on PATH to ask for its version` }];
  }
  if (version.localeCompare(since, 'en', { numeric: true }) >= 0) {
    return [{ check, state: 'ok', fact: `${title} ${version}` }];
  }
  const hint = `update it to ${since} or newer: \`${update}\``;
  return [{ check, state: 'warning', fact: `${title} ${version} ${weakness}`, hint }];
}
