/**
 * A remote, a board, the home of a run, and machines that lend themselves, each with a clone, a store and a key of its
 * own. Workers wait for a file, so that a test decides when their work ends.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { gitIn } from '../../src/base/git/git-in.ts';
import { configuredSigner, withScratch } from '../../src/evidence/signing.ts';
import { derived } from '../../src/lanes/spec/spec.ts';
import { newId } from '../../src/store/ids.ts';
import type { LaneSpec } from '../../src/store/lanes.ts';
import { type Board, withBoard } from '../../src/team/board/board.ts';
import type { Member as Credentials } from '../../src/team/credentials.ts';
import { keyOf } from '../../src/team/credentials.ts';
import { type Payload, sealPayload } from '../../src/team/payload.ts';
import { repositoryId } from '../../src/team/seal.ts';
import { connecting, credentialsOf, makeBoard } from './board.ts';
import { endAll, type MarkedProcess, processesMarked, signal } from './marked-processes.ts';
import type { Postgres } from './postgres.ts';
import { compileCache } from './program.ts';
import { CLI_PROGRAM, sandbox } from './sandbox.ts';
import { type Key, type Member, sshKey, team } from './team.ts';
import { until } from './until.ts';

/** Says that it began, and works until the test lets it end. What it found when it began is in its note. */
const WORKER = `
ls > "$STAGE/found-$1"
echo "$LANEHOLD_LANE $PWD" >> "$STAGE/began"
echo begun > part-$1.txt
if test -e "$STAGE/spin"; then
  for i in 1 2; do (until test -e "$STAGE/go"; do :; done) & done
fi
until test -e "$STAGE/go-$1" || test -e "$STAGE/go"; do sleep 0.05; done
if test -e "$STAGE/ask-$1"; then exit 0; fi
echo done > $1.txt
`;

interface MachineWish {
  /** Of a proxy in front of the board. */
  readonly port?: number;
  readonly team?: object;
  readonly lanes?: object;
  readonly env?: Readonly<Record<string, string>>;
}

interface Times {
  readonly leaseMs: number;
  readonly graceMs: number;
}

export async function lendingTeam(
  server: Postgres,
  times: Times = { leaseMs: 2_000, graceMs: 500 },
) {
  const box = sandbox((remove) =>
    onTestFinished(() => {
      endAll(processes);
      remove();
    }),
  );
  const stage = join(box.root, 'stage');
  mkdirSync(stage);
  const mark = `STAGE=${stage}`;
  const processes = (): MarkedProcess[] => processesMarked(mark);
  const keys = Object.fromEntries(
    ['home', 'one', 'two', 'eve'].map((it) => [it, sshKey(box, it)]),
  ) as Record<'home' | 'one' | 'two' | 'eve', Key>;
  const signers = (['home', 'one', 'two'] as const).map((it) => `${it}@acme ${keys[it].publicKey}`);
  const { remote, member } = team(box, { features: {}, signers });
  const board = await makeBoard(server);
  const lease = (ms: number) => `${ms} milliseconds`;
  await server.sql(board.owner, 'UPDATE lanehold.board SET lease = $1, grace = $2', [
    lease(times.leaseMs),
    lease(times.graceMs),
  ]);
  const worker = box.write('worker.sh', WORKER);

  async function connected(name: string, key: Key, port?: number): Promise<Member> {
    const made = member(name, key);
    const run = await made.laneholdWith(connecting(board, port), 'team', 'connect', '--name', name);
    if (run.exitCode !== 0) throw new Error(run.stderr);
    return made;
  }

  const lanes = {
    workers: { script: { adapter: 'command', command: ['sh', worker, '{lane}'] } },
    slots: { worker: 4, validate: 4, setup: 4 },
    checkpoint: '1s',
  };

  /** A machine that may be lent. */
  async function machine(
    name: 'one' | 'two',
    { port, team: own, lanes: more, env }: MachineWish = {},
  ) {
    const made = await connected(name, keys[name], port);
    const lends = { slots: 4, runFor: ['home@acme'], checkpointEvery: '1s', ...own };
    const config = { lanes: { ...lanes, ...more }, team: lends };
    writeFileSync(join(made.env.LANEHOLD_HOME, 'config.json'), JSON.stringify(config));
    return hostOn(made, env);
  }

  function hostOn(made: Member, more: Readonly<Record<string, string>> = {}) {
    const env = { ...box.env, ...made.env, ...compileCache(), STAGE: stage, ...more };
    const folder = made.env.LANEHOLD_HOME;
    const start = (...argv: string[]) =>
      execa(process.execPath, [CLI_PROGRAM, 'team', 'host', 'start', ...argv], {
        cwd: made.repo,
        env,
        extendEnv: false,
        reject: false,
      });
    return {
      ...made,
      credentials: credentialsOf(made) as Credentials,
      /** In the foreground; ends with the test. */
      start: (...argv: string[]) => start('--foreground', ...argv),
      inBackground: (...argv: string[]) => start(...argv),
      stop: (...argv: string[]) => made.lanehold('team', 'host', 'stop', ...argv),
      log: () => {
        const file = join(folder, 'team', 'host.log');
        return existsSync(file) ? readFileSync(file, 'utf8') : '';
      },
      /** Its processes, by what they are. */
      processes: () => processes().filter((it) => belongs(it, folder)),
      daemon: () =>
        processes().find((it) => belongs(it, folder) && / team host start/.test(it.command)),
    };
  }

  const belongs = ({ pid }: MarkedProcess, folder: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${folder}\0`);
    } catch {
      return false;
    }
  };

  const home = await connected('laptop', keys.home);
  const credentials = credentialsOf(home) as Credentials;
  const repo = repositoryId(keyOf(credentials), remote);
  const say = <T>(work: (board: Board) => Promise<T>, as = credentials) =>
    withBoard(as, 10_000, work);
  const run = newId(new Date());
  const base = home.git('rev-parse', 'HEAD');

  /** Signed by the home, unless by somebody else. */
  const sealed = (payload: Payload, by: Pick<Member, 'repo'> = home) =>
    withScratch({ ...box.env }, async (scratch) => {
      const git = gitIn(by.repo, box.env);
      const signer = await configuredSigner(git, by.repo, scratch);
      return sealPayload(payload, { key: keyOf(credentials), signer, scratch });
    });

  const publish = async (
    parallel = 10,
    rev = 1,
    intent: 'active' | 'paused' | 'cancelled' = 'active',
  ) => {
    const body = await sealed({
      ...{ v: 1, kind: 'run', at: Date.now(), repo, run, rev, name: 'move', goal: 'Move all' },
      ...{ base, target: 'refs/heads/main', remote },
    });
    await say((it) => it.publishRun({ repo: repo, run, rev, intent, parallel, body }));
  };

  const ids = new Map<string, string>();
  const idOf = (key: string): string => {
    const id = ids.get(key) ?? newId(new Date());
    ids.set(key, id);
    return id;
  };

  interface OfferWish {
    readonly rev?: number;
    readonly spec?: Partial<LaneSpec>;
    readonly change?: Partial<Payload<'offer'>>;
    readonly by?: Pick<Member, 'repo'>;
    readonly pinned?: string;
  }

  async function offer(
    key: string,
    { rev = 1, by, pinned, ...wish }: OfferWish = {},
  ): Promise<string> {
    const spec: LaneSpec = {
      ...{ desc: `Do ${key}`, notes: '', touches: [], reads: [], needs: [], agent: 'script' },
      ...{ validate: `test -e ${key}.txt`, validateCwd: '', validateTimeoutS: 60, timeoutS: 600 },
      ...{ budget: {}, ports: 0, overlaps: 'never', removesTests: 'no', ...wish.spec },
    };
    const lane = idOf(key);
    home.git(
      'push',
      '--quiet',
      'origin',
      `+${base}:refs/lanehold/${run}/lanes/${key}/start-${rev}`,
    );
    const { specHash, cmdHash } = derived(spec);
    const payload = {
      ...{
        v: 1,
        kind: 'offer',
        at: Date.now(),
        repo,
        run,
        lane,
        rev,
        key,
        spec,
        specHash,
        cmdHash,
      },
      ...{ base, from: null, told: '', expires: Date.now() + 86_400_000, ...wish.change },
    } as Payload<'offer'>;
    const body = await sealed(payload, by);
    const terms = { priority: 0, caps: [], pinned: pinned ?? null, needs: [], clashes: [] };
    await say((it) => it.offer({ lane, run, rev, body, ...terms }));
    return lane;
  }

  /** What the board has of a lane. */
  async function lane(key: string) {
    const [row] = await server.sql(board.owner, 'SELECT * FROM lanehold.lanes WHERE id = $1', [
      idOf(key),
    ]);
    if (row === undefined) throw new Error(`the board has no lane ${key}`);
    return row as {
      state: string;
      epoch: string;
      outcome: string | null;
      lost: number;
      host_id: string | null;
    };
  }

  const claims = (key: string) =>
    server.sql(board.owner, 'SELECT * FROM lanehold.claims WHERE lane_id = $1 ORDER BY epoch, at', [
      idOf(key),
    ]);

  const incarnation = randomUUID();
  let lent: Promise<unknown> | undefined;
  /** A beat of the home, which lends nothing: what has lapsed is taken back. */
  const beat = () =>
    say(async (it) => {
      lent ??= it.lend({ incarnation, boots: 1, slots: 0, caps: [], lends: 'on' });
      await lent;
      await it.beat({ incarnation, beats: null, free: 0, repos: null, leases: [] });
    });

  const remoteRefs = (pattern: string): string[] =>
    box
      .git(remote, 'for-each-ref', '--format=%(refname)')
      .split('\n')
      .filter((it) => it.includes(pattern));

  return {
    ...{
      box,
      server,
      board,
      remote,
      keys,
      home,
      machine,
      connected,
      hostOn,
      say,
      publish,
      offer,
      lane,
      claims,
    },
    ...{
      member,
      beat,
      lanes,
      run,
      base,
      repo,
      idOf,
      sealed,
      stage,
      processes,
      remoteRefs,
      signal,
      times,
    },
    go: (key?: string) => writeFileSync(join(stage, key === undefined ? 'go' : `go-${key}`), ''),
    /** The working trees of workers, in the order in which they began. */
    trees: () => readFileSync(join(stage, 'began'), 'utf8').match(/\/.+$/gm) ?? [],
    /** How often workers began. */
    began: () =>
      existsSync(join(stage, 'began'))
        ? readFileSync(join(stage, 'began'), 'utf8').split('\n').length - 1
        : 0,
    found: (key: string) => readFileSync(join(stage, `found-${key}`), 'utf8').split('\n'),
    untilState: (key: string, state: string) =>
      until(`${key} is ${state}`, async () => (await lane(key)).state === state),
  };
}
