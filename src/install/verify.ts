/** Checks an installation as the agent would use it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledHook, InstallFile, Place, Trust } from '../agents/install.ts';
import { type HookStart, type Runtime, shimCommandLine } from '../agents/kit/hook-shim.ts';
import { attempt, explained } from '../base/errors.ts';
import { isExecutable } from '../base/files/executable.ts';
import type { Home } from '../base/files/home.ts';
import { withScratchFolder } from '../base/files/scratch-folder.ts';
import { readText } from '../base/files/user-files.ts';
import { type Outcome, run } from '../base/process/run.ts';
import { isJsonObject, parsedJson } from '../base/text/json.ts';
import { plural } from '../base/text/printable.ts';
import { hookScriptFile, isCurrentScript } from './hook-script.ts';
import type { Installer } from './targets.ts';

/** `warning`: everything is held, but something should be improved. `broken`: something is not held. */
export interface Finding {
  readonly check: string;
  readonly agent?: string;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly fact: string;
  readonly hint?: string | undefined;
}

const finding =
  (state: Finding['state']) =>
  (check: string, fact: string, hint?: string): Finding => ({ check, state, fact, hint });
export const ok = finding('ok');
export const warning = finding('warning');
export const broken = finding('broken');

/** Turns an explained error of a check into a finding, so that the other checks still run. */
export async function guarded(
  check: string,
  work: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    const { message, hint } = explained(error);
    return [broken(check, message, hint)];
  }
}

/** Finds switches that turn hooks off, in the environment and in the settings files that count here. */
export function checkSwitches(place: Place, all: readonly Installer[]): Finding[] {
  const check = 'switches';
  const off: Finding[] = [];
  if (place.env.LANEHOLD_DISABLE === '1') {
    const fact = 'LANEHOLD_DISABLE=1 is set: the hooks do nothing';
    off.push(broken(check, fact, 'unset LANEHOLD_DISABLE'));
  }
  for (const { settingsFilesInForce, offSwitches } of all) {
    for (const file of settingsFilesInForce(place)) {
      for (const key of offSwitches?.(file, textOf(file)) ?? []) {
        const fact = `\`${key}\` in ${file} turns the hooks off`;
        // Several agents may read the same file.
        if (off.some((it) => it.fact === fact)) continue;
        off.push(broken(check, fact, `remove \`${key}\` from ${file}`));
      }
    }
  }
  if (off.length > 0) return off;
  return [ok(check, 'nothing turns the hooks off')];
}

/** A file that cannot be read has no switches: the agent ignores it. */
const textOf = (file: string): string => attempt(() => readText(file)) ?? '';

export interface Present {
  readonly file: string;
  readonly found: readonly InstalledHook[];
  readonly start: HookStart;
}

/**
 * The entries of lanehold in a file; `undefined` if there are none.
 *
 * @param recorded the command that the hooks start, if it is not in the file.
 * @throws {UserFileError}
 */
export function presentIn(
  { file, editor }: InstallFile,
  home: Pick<Home, 'root'>,
  recorded: Runtime | undefined,
): Present | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const found = editor.find(file, text);
  const [first] = found;
  if (first?.shim) return { file, found, start: first.shim };
  if (editor.withoutOurs(file, text) === text) return undefined;
  const start = { ...(recorded ?? { node: '', hook: '' }), script: hookScriptFile(home) };
  return { file, found, start };
}

interface Wanted {
  /** The same file as this version would write it for the same command. */
  readonly wanted: InstallFile;
  /** The hook program of this installation of lanehold. */
  readonly hook: string;
}

/** Checks that the agent accepts the file, and that the entries are of this version. */
export function checkFile(
  { problems: problemsIn }: Pick<Installer, 'problems'>,
  { file, found, start }: Present,
  { wanted, hook }: Wanted,
): Finding[] {
  const check = 'settings';
  const { what, editor } = wanted;
  const text = textOf(file);
  const problems = (what === 'hooks' && problemsIn?.(text, file)) || [];
  if (problems.length > 0) {
    const hint = `correct that place in ${file}`;
    return problems.map((it) => broken(check, `the agent ignores all of ${file}: ${it}`, hint));
  }
  const again = 'run `lanehold doctor --fix`, or `lanehold install` again';
  const hasHooks = found.length > 0;
  if (hasHooks && !existsSync(start.hook)) {
    return [broken(check, `the hooks in ${file} lead nowhere: ${start.hook} is gone`, again)];
  }
  const ofOther = 'changed or of another version';
  if (editor.plan(file, { current: text, bare: '' }).state !== 'current') {
    return [broken(check, `the ${what} in ${file} are incomplete, ${ofOther}`, again)];
  }
  if (hasHooks && !isCurrentScript(start.script)) {
    const fact = `${start.script}, which the hooks in ${file} start, is gone, ${ofOther}`;
    return [broken(check, fact, again)];
  }
  if (hasHooks && !isExecutable(start.node)) {
    const fact = `the hooks in ${file} start a Node that is gone, and take the one on PATH: ${start.node}`;
    return [warning(check, fact, again)];
  }
  if (hasHooks && start.hook !== hook) {
    const fact = `the hooks in ${file} start another copy of lanehold: ${start.hook}`;
    return [warning(check, fact, 'run `lanehold install` to use this one')];
  }
  return [ok(check, `${hasHooks ? plural(found.length, 'hook') : what} in ${file}`)];
}

/**
 * Runs the installed hooks as they are written, in a folder and a store of their own. If entries
 * cannot be started without the agent, their program is started.
 */
export async function checkHookRuns(
  { name, samples, timeUnitMs = 1_000 }: Installer,
  { file, found, start }: Present,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  return withScratchFolder(async (folder) => {
    const home = join(folder, 'home');
    const own = { LANEHOLD_HOME: home, LANEHOLD_DISABLE: '', LANEHOLD_RESIDENT: 'off' };
    const findings: Finding[] = [];
    for (const sample of samples(folder)) {
      const entry = found.find((it) => it.event === sample.event);
      if (!entry && found.length > 0) continue;
      const given = [sample.as, '--agent', name];
      const line = entry?.line ?? shimCommandLine(start, file, { given });
      const timeoutMs = entry?.timeout === undefined ? USUAL_MS : entry.timeout * timeUnitMs;
      const outcome = await run('/bin/sh', ['-c', line], {
        cwd: folder,
        env: { ...env, ...sample.env, ...own },
        input: `${JSON.stringify(sample.payload)}\n`,
        timeoutMs,
      });
      findings.push(judge(sample.event, outcome));
    }
    return findings;
  });
}

const USUAL_MS = 30_000;

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
  // The script lets commands run that release nothing, and reports it.
  const [unanswered] = /^lanehold: .* without an answer$/m.exec(stderr) ?? [];
  if (unanswered !== undefined) return failed(unanswered);
  if (stdout !== '' && !isJsonObject(parsedJson(stdout)))
    return failed('it prints what the agent cannot read');
  return ok(check, `the ${name} hook answers`);
}

/** Checks the client of an agent. One that is not found may be started by an editor, which is no fault. */
export async function checkClient(
  { name: agent, title, client }: Installer,
  { env, cwd }: Place,
): Promise<Finding[]> {
  if (client === undefined) return [];
  const { program, minimum } = client;
  const outcome = await run(program, ['--version'], { cwd, env, timeoutMs: 5_000 });
  const said = outcome.kind === 'exited' ? outcome.stdout.toString('utf8') : '';
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
  if (version === undefined) {
    return [{ ...ok('client', `no \`${program}\` on PATH to ask for its version`), agent }];
  }
  const isOld = minimum && version.localeCompare(minimum.version, 'en', { numeric: true }) < 0;
  if (!isOld) return [{ ...ok('client', `${title} ${version}`), agent }];
  const hint = `update it to ${minimum.version} or newer: \`${minimum.update}\``;
  return [{ ...warning('client', `${title} ${version} ${minimum.weakness}`, hint), agent }];
}

export function trustFinding(title: string, { state, skips, how: hint }: Trust): Finding {
  const check = 'trust';
  switch (state) {
    case 'trusted':
      return ok(check, `${title} trusts the hooks`);
    case 'unknown':
      return warning(check, `whether ${title} trusts the hooks cannot be told`, hint);
    default: {
      const why =
        state === 'modified' ? 'they were changed since it was asked' : 'nobody confirmed them';
      const then = skips ? 'it skips them' : 'it will ask';
      const fact = `${title} does not trust the hooks, and ${then}: ${why}`;
      return (skips ? broken : warning)(check, fact, hint);
    }
  }
}
