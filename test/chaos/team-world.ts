/** A remote, a board, a home with a run, and machines that lend themselves, each behind a network of its own. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { connecting, makeBoard } from '../support/board.ts';
import {
  endAll,
  type MarkedProcess,
  processesMarked,
  signal,
} from '../support/marked-processes.ts';
import { type NetworkState, network } from '../support/network.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { folderOfPrograms, postgresIn } from '../support/postgres-server.ts';
import { CLI_PROGRAM, sandbox } from '../support/sandbox.ts';
import { sshKey, team } from '../support/team.ts';

export const LEASE_MS = 3_000;
export const GRACE_MS = 1_000;
const COMMAND_MS = 60_000;

/** Works for a while, and writes a file that no other attempt writes the same. */
const WORKER = `
key=$(echo "$1" | cut -d . -f 1)
echo "start $key $MACHINE $$" >> "$STAGE/ledger"
sleep 0.$(( $(od -An -N2 -tu2 /dev/urandom) % 9 + 1 ))
sleep $(( $(od -An -N2 -tu2 /dev/urandom) % 2 ))
mkdir -p lanes
echo "$key $MACHINE $$ $(od -An -N8 -tx8 /dev/urandom | tr -d ' ')" > lanes/$key.txt
echo "end $key $MACHINE $$" >> "$STAGE/ledger"
`;

/** Refuses some pushes, as the file says. */
const HOOK = (file: string) => `#!/bin/sh
share=$(cat ${file} 2>/dev/null || echo 0)
[ $(( $(od -An -N2 -tu2 /dev/urandom) % 100 )) -lt "$share" ] && { echo refused >&2; exit 1; }
exit 0
`;

export type Machine = Awaited<ReturnType<typeof teamWorld>>['machines'][number];

/** @param isPooled whether PgBouncer stands before the board, in transaction mode. */
export async function teamWorld(
  machines: number,
  isPooled: boolean,
  cleanUp: (clean: () => unknown) => void,
) {
  const server = postgresIn(folderOfPrograms ?? '', []);
  await server.make();
  const pooler = isPooled ? await startPgbouncer(server.port) : undefined;
  if (pooler !== undefined) cleanUp(() => pooler.stop());
  const box = sandbox(cleanUp);
  const mark = `STAGE=${box.root}`;
  cleanUp(() => endAll(() => processesMarked(mark)));
  const names = Array.from({ length: machines }, (_, at) => `m${at + 1}`);
  mkdirSync(join(box.root, 'keys'));
  const keys = Object.fromEntries(['laptop', ...names].map((it) => [it, sshKey(box, it)]));
  const signers = Object.entries(keys).map(([name, { publicKey }]) => `${name}@acme ${publicKey}`);
  const { remote, member } = team(box, { features: {}, signers });
  writeFileSync(join(remote, 'hooks', 'pre-receive'), HOOK(join(box.root, 'refused')), {
    mode: 0o755,
  });
  const board = await makeBoard(server);
  const times = [LEASE_MS, GRACE_MS].map((it) => `${it} milliseconds`);
  await server.sql(board.owner, 'UPDATE lanehold.board SET lease = $1, grace = $2', times);
  const worker = box.write('worker.sh', WORKER);

  async function joined(name: string) {
    const wire = await network(pooler?.port ?? server.port, cleanUp);
    const made = member(name, keys[name]);
    mkdirSync(made.env.LANEHOLD_HOME, { recursive: true, mode: 0o700 });
    const config = {
      lanes: {
        workers: { script: { adapter: 'command', command: ['sh', worker, '{lane}'] } },
        slots: { worker: 3, validate: 3, setup: 3 },
      },
      team: { runFor: ['laptop@acme'], checkpointEvery: '1s', slots: 3 },
    };
    writeFileSync(join(made.env.LANEHOLD_HOME, 'config.json'), JSON.stringify(config));
    const env = { ...box.env, ...made.env, STAGE: box.root, MACHINE: name };
    const start = (...argv: string[]) =>
      execa(process.execPath, [CLI_PROGRAM, ...argv], {
        cwd: made.repo,
        env,
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
        timeout: COMMAND_MS,
      });
    const connected = await execa(
      process.execPath,
      [CLI_PROGRAM, 'team', 'connect', '--name', name],
      { cwd: made.repo, env: { ...env, ...connecting(board, wire.port) }, extendEnv: false },
    );
    if (connected.exitCode !== 0) throw new Error(connected.stderr);
    const folder = made.env.LANEHOLD_HOME;
    return {
      name,
      folder,
      start,
      wire: (state: NetworkState) => wire.become(state),
      git: made.git,
      processes: (): MarkedProcess[] =>
        processesMarked(mark).filter(({ pid }) =>
          environmentOf(pid).includes(`\0MACHINE=${name}\0`),
        ),
      /** Rows of its store. */
      rows(sql: string): Record<string, unknown>[] {
        const db = new Database(join(folder, 'lanehold.db'), { readonly: true });
        try {
          db.pragma('busy_timeout = 5000');
          return db.prepare(sql).all() as Record<string, unknown>[];
        } finally {
          db.close();
        }
      },
    };
  }

  const lent = [];
  for (const name of names) {
    const machine = await joined(name);
    lent.push({
      ...machine,
      lend(): void {
        void execa(process.execPath, [CLI_PROGRAM, 'team', 'host', 'start', '--foreground'], {
          cwd: join(box.root, name),
          env: {
            ...box.env,
            LANEHOLD_HOME: machine.folder,
            USER: name,
            STAGE: box.root,
            MACHINE: name,
          },
          extendEnv: false,
          reject: false,
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: { file: join(box.root, `${name}.err`), append: true },
        });
      },
      daemon: () => machine.processes().find(({ command }) => / team host start/.test(command)),
    });
  }
  return {
    box,
    server,
    board,
    remote,
    home: await joined('laptop'),
    machines: lent,
    signal,
    /** What went wrong meanwhile. */
    trouble: [] as string[],
    /** Of a hundred pushes. */
    refuse: (share: number) => writeFileSync(join(box.root, 'refused'), String(share)),
    ledger: (): string[] =>
      existsSync(join(box.root, 'ledger'))
        ? readFileSync(join(box.root, 'ledger'), 'utf8').trim().split('\n')
        : [],
  };
}

export type TeamWorld = Awaited<ReturnType<typeof teamWorld>>;

function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`;
  } catch {
    return '';
  }
}
