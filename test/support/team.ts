/** People who share a remote and have each their own clone, store and signing key. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandRun, command } from './command.ts';
import type { Sandbox } from './sandbox.ts';
import { FEATURES, type Features } from './shop.ts';
import { copyTemplate } from './template.ts';
import { makeUsedHome } from './used-home.ts';

export interface Key {
  /** Private; the public one is beside it. */
  readonly file: string;
  /** `ssh-ed25519 AAAA…` */
  readonly publicKey: string;
}

export function sshKey(box: Sandbox, name: string, type = 'ed25519'): Key {
  copyTemplate(`ssh key ${name} ${type}`, join(box.root, 'keys'), (folder) => {
    const args = ['-q', '-t', type, '-N', '', '-C', name, '-f', join(folder, name)];
    execFileSync('ssh-keygen', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  });
  const file = join(box.root, 'keys', name);
  const [kind, key] = readFileSync(`${file}.pub`, 'utf8').split(' ');
  return { file, publicKey: `${kind} ${key} ${name}` };
}

interface Start {
  readonly features?: Features;
  /** The `evidence` section of the base's lanehold.json. */
  readonly evidence?: object;
  /** Lines of the base's allowed-signers file; none: no file. */
  readonly signers?: readonly string[];
  readonly gate?: object;
}

/** A remote whose main branch has two features, what counts as evidence, and who may sign it. */
export function team(box: Sandbox, { features = FEATURES, evidence, signers, gate }: Start = {}) {
  const remote = join(box.root, 'remote.git');
  const files: Record<string, string> = {
    'lanehold.json': JSON.stringify({
      features,
      ...(evidence === undefined ? {} : { evidence }),
      ...(gate === undefined ? {} : { gate }),
    }),
    'src/cart/add.ts': 'one\n',
    'src/checkout/pay.ts': 'one\n',
    ...(signers === undefined ? {} : { '.lanehold/allowed_signers': `${signers.join('\n')}\n` }),
  };
  copyTemplate(`team ${JSON.stringify(files)}`, remote, (folder) => {
    const first = box.repo('first');
    for (const [path, text] of Object.entries(files)) box.write(join(first, path), text);
    box.commit(first, 'first');
    box.git(first, 'clone', '--quiet', '--bare', first, folder);
    box.git(folder, 'remote', 'remove', 'origin');
  });

  /** A clone with a store of its own. */
  function member(name: string, key?: Key) {
    const repo = join(box.root, name);
    const signing = [`--config=user.signingKey=${key?.file}`, '--config=gpg.format=ssh'];
    box.git(box.root, 'clone', '--quiet', ...(key ? signing : []), remote, repo);
    const env = { LANEHOLD_HOME: join(box.home, name), USER: name };
    const git = (...args: string[]) => box.git(repo, ...args);
    const laneholdWith = async (
      more: Readonly<Record<string, string>>,
      ...argv: string[]
    ): Promise<CommandRun> => {
      await makeUsedHome(env.LANEHOLD_HOME);
      return command(box, repo, argv, { env: { ...env, ...more }, input: '' });
    };
    const lanehold = (...argv: string[]) => laneholdWith({}, ...argv);
    return {
      repo,
      env,
      git,
      lanehold,
      /** The same with more in the environment. */
      laneholdWith,
      write: (path: string, content: string) => box.write(join(repo, path), content),
      /** Changes a file on a branch and sends the branch; returns the commit. */
      propose(path: string, content = `${path} changed\n`, branch = 'change'): string {
        if (git('branch', '--show-current') !== branch) git('switch', '--quiet', '-c', branch);
        box.write(join(repo, path), content);
        const commit = box.commit(repo, `change ${path}`);
        git('push', '--quiet', '--set-upstream', 'origin', branch);
        return commit;
      },
      /** Fails the test if the command fails. */
      async done(...argv: string[]): Promise<string> {
        const run = await lanehold(...argv);
        if (run.exitCode !== 0) throw new Error(`${argv.join(' ')}: ${run.stdout}${run.stderr}`);
        return run.stdout;
      },
    };
  }

  /** The gate on a machine that has nothing but a fresh clone with the notes: its answer. */
  async function gateInCi(head = 'origin/change', ...options: string[]): Promise<CommandRun> {
    const repo = join(box.root, `ci-${Math.random().toString(36).slice(2)}`);
    box.git(box.root, 'clone', '--quiet', remote, repo);
    if (box.git(remote, 'for-each-ref', 'refs/notes/lanehold') !== '') {
      box.git(repo, 'fetch', '--quiet', 'origin', 'refs/notes/lanehold:refs/notes/lanehold');
    }
    // No folder can be made below a file.
    const nowhere = join(box.write('file', ''), 'home');
    const argv = ['gate', '--base', 'origin/main', '--head', head, ...options];
    const run = await command(box, repo, argv, { env: { LANEHOLD_HOME: nowhere } });
    if (existsSync(nowhere)) throw new Error('a store was made after all');
    return run;
  }

  return { remote, member, gateInCi };
}

export type Team = ReturnType<typeof team>;
export type Member = ReturnType<Team['member']>;

/** Evidence as a note has it, taken apart. */
export interface Written {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
  readonly unsigned?: true;
}

export function noteAt({ git }: Pick<Member, 'git'>, commit: string): Written[] {
  const note = git('notes', '--ref=refs/notes/lanehold', 'show', commit);
  return note.split('\n').map((line) => JSON.parse(line));
}

/** Puts lines at a commit by hand, as anybody who may push notes can, and pushes them. */
export function forgeNote(
  box: Sandbox,
  { git }: Pick<Member, 'git'>,
  commit: string,
  lines: readonly (object | string)[],
): void {
  const text = lines.map((it) => (typeof it === 'string' ? it : JSON.stringify(it))).join('\n');
  const file = box.write('forged-note', `${text}\n`);
  git('notes', '--ref=refs/notes/lanehold', 'add', '--force', '--file', file, commit);
  git('push', '--quiet', '--force', 'origin', 'refs/notes/lanehold');
}

export function statementIn({ payload }: Written) {
  return JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
}

/** The same envelope with a payload that says something else. */
export function edited(envelope: Written, change: (statement: never) => void): Written {
  const statement = statementIn(envelope);
  change(statement as never);
  return { ...envelope, payload: Buffer.from(JSON.stringify(statement)).toString('base64') };
}
