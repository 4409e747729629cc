/** Plays one trial: a project, the package, a session of Claude Code to a held push and through it. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { claudeCode, settingsHooks } from '../demo/agent.ts';
import { type Outcome, run } from '../demo/run.ts';
import { KINDS } from './kinds.ts';

export interface Entry {
  /** Who does it; what is there before the user begins is `setup`. */
  readonly by: 'setup' | 'user' | 'agent' | 'after';
  readonly command: string;
  readonly seconds: number;
  readonly isNpm?: true;
  /** What it printed, where that is of interest. */
  readonly said?: string;
  /** What should not be so. */
  readonly problem?: string;
}

const LIMIT_MS = 300_000;
/** So that npm and pip reach their registries from where this runs. */
const KEPT = /^(?:LANG|TZ|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|PIP_\w+)$/i;

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((it) => it.isFile())
        .map((it) => it.name)
    : [];

/** @param folder with `home`, `bin`, `tmp` and `lanehold.tgz`. */
export async function play(name: string, folder: string): Promise<readonly Entry[]> {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  const path = (it: string) => join(folder, it);
  const [home, project, remote] = [path('home'), path('project'), path('remote.git')];
  const programs = [path('prefix/bin'), path('bin'), '/usr/local/bin', '/usr/bin', '/bin'];
  const own = (kind.path ?? []).map((it) => join(project, it));
  const kept = Object.entries(process.env).filter(([key]) => KEPT.test(key));
  const env = {
    ...Object.fromEntries(kept.map(([key, value = '']) => [key, value])),
    HOME: home,
    TMPDIR: path('tmp'),
    PATH: [...own, ...programs].join(delimiter),
  };
  const runHere = (program: string, args: readonly string[], options = {}) =>
    run(program, args, { cwd: project, env, limitMs: LIMIT_MS, ...options });
  const log: Entry[] = [];
  const shell = async (
    by: Entry['by'],
    command: string,
    more: Pick<Entry, 'isNpm'> & { readonly tells?: true } = {},
  ): Promise<Outcome> => {
    const done = await runHere('/bin/sh', ['-c', command]);
    const { tells, ...rest } = more;
    const output = done.stdout + done.stderr;
    const problem = done.code === 0 ? undefined : `exit code ${done.code}: ${output.slice(-2_000)}`;
    const entry = { by, command: command.replaceAll(folder, '…'), seconds: done.wallMs / 1_000 };
    log.push({ ...entry, ...rest, ...(tells && { said: output }), ...(problem && { problem }) });
    return done;
  };

  mkdirSync(project);
  const files = { ...kind.files, '.gitignore': kind.ignore };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  }
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.com\n');
  for (const command of [
    ...kind.setup,
    `git init --quiet --bare ${remote}`,
    'git init --quiet --initial-branch main',
    'git add --all && git commit --quiet --message first',
    `git remote add origin ${remote} && git push --quiet --set-upstream origin main`,
  ]) {
    await shell('setup', command);
  }

  const install = `npm install --global --prefix ${path('prefix')} ${path('lanehold.tgz')}`;
  await shell('user', install, { isNpm: true });
  const { stdout } = await shell('user', 'lanehold init --yes', { tells: true });
  // Pasted as they stand there.
  const [, commit = 'false'] = /^Commit +(.*)$/m.exec(stdout) ?? [];
  const [, undo = 'false'] = /^Undo +`(.*?)`/m.exec(stdout) ?? [];
  await shell('user', commit);

  const agent = claudeCode({ home, project, env, run: runHere }, settingsHooks(home));
  const timed = async (by: Entry['by'], command: string, isHeld: boolean) => {
    const started = performance.now();
    const done = await agent.shell(command);
    const seconds = (performance.now() - started) / 1_000;
    const said = done.held ? done.reason : done.output;
    const isWrong = done.held !== isHeld || (!done.held && done.code !== 0);
    const problem = isWrong ? `it is ${done.held ? 'held' : 'not held, or fails'}` : undefined;
    log.push({ by, command, seconds, said, ...(problem && { problem }) });
    return said;
  };
  const started = performance.now();
  await agent.begin();
  await agent.edit(kind.edit.path, kind.edit.from, kind.edit.to);
  const seconds = (performance.now() - started) / 1_000;
  log.push({ by: 'agent', command: `start, edit of ${kind.edit.path}`, seconds });
  await timed('agent', "git commit --all --quiet --message 'Turn it round'", false);
  const denial = await timed('agent', 'git push', true);
  // Pasted as it stands in the denial.
  const [, step = 'false'] = /^Verify: (.*)$/m.exec(denial) ?? [];
  await timed('after', step, false);
  const heads = await runHere('/bin/sh', [
    '-c',
    `git rev-parse HEAD && git -C ${remote} rev-parse main`,
  ]);
  const [here, there] = heads.stdout.trim().split('\n');
  if (here !== there)
    log.push({ by: 'after', command: '', seconds: 0, problem: 'nothing arrived' });
  await shell('after', undo, { tells: true });
  const left = [...filesIn(join(home, '.claude')), ...filesIn(join(project, '.git/hooks'))].filter(
    (it) => !it.endsWith('.sample'),
  );
  if (left.length > 0) {
    log.push({ by: 'after', command: 'ls', seconds: 0, problem: `left: ${left.join(', ')}` });
  }
  await shell('after', 'lanehold resident stop');
  return log;
}
