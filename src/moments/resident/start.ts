/** Starts the resident process from a hook that has answered without one. */
import { readlinkSync } from 'node:fs';
import { agentAbove } from '../../agents/actor.ts';
import { residentSetting } from '../../base/config/resident.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { parentProcesses } from '../../base/process/parents.ts';
import { readProc } from '../../base/process/process-entry.ts';
import { spawnDetached } from '../../base/process/run.ts';
import { isDue } from '../lifecycle/activity.ts';
import { addressFile, RESIDENT } from './address.ts';

/** The time between starts: hooks that begin together start one process, and a failing one is not retried often. */
const EVERY_MS = 2_000;

/** Closes every other descriptor, because those that the agent left open for its hook would stay open. */
const WITHOUT_DESCRIPTORS = `for fd in /dev/fd/*; do
  fd=\${fd##*/}
  [[ $fd = *[!0-9]* || $fd -le 2 ]] || eval "exec $fd>&-"
done
exec "$@"`;

/**
 * Starts the process with a session, a folder and an environment of its own: it lives longer than the agent, and
 * inherits nothing.
 *
 * @param program absolute path of the hook program, in the spelling of the entry script.
 * @param env the hook's environment.
 */
export function startResident(program: string, env: NodeJS.ProcessEnv): void {
  // Processes with a worker's environment are ended with the worker, so none is started from here.
  if (env.LANEHOLD_RESIDENT === 'off' || env.LANEHOLD_DISABLE === '1' || env.LANEHOLD_ATTEMPT)
    return;
  const home = homeOf(env);
  if (residentSetting(home) === 'off' || isRestricted(program)) return;
  if (!isDue(`${addressFile(home, program)}.started`, EVERY_MS, new Date())) return;
  // Most events are too rare for V8 to compile their code, so all code is compiled at once. The start of git takes
  // longer the more memory a process has, so the young generation is small.
  const options = ['--always-sparkplug', '--max-semi-space-size=2'];
  const command = [process.execPath, ...options, program, RESIDENT];
  spawnDetached('bash', ['--norc', '-p', '-c', WITHOUT_DESCRIPTORS, 'bash', ...command], {
    cwd: '/',
    env: {
      PATH: env.PATH,
      HOME: env.HOME,
      TZ: env.TZ,
      LANEHOLD_HOME: home.root,
      // glibc would never return the memory of each thread.
      MALLOC_ARENA_MAX: '1',
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

/**
 * Whether this process has fewer rights than the agent: in a sandbox of hooks, a process that lives longer would answer
 * other hooks from inside. If all processes are restricted alike, there is no such sandbox.
 */
function isRestricted(program: string): boolean {
  if (process.platform !== 'linux') return false;
  const parents = parentProcesses();
  const agent =
    parents.find(({ command }) => agentAbove([command]) !== undefined) ??
    // This is the process that started the entry, if no agent is known.
    parents.find(({ command }) => !command.includes(program));
  if (agent === undefined) return true;
  const isElsewhere = ['mnt', 'net', 'pid', 'user'].some((name) => {
    const [own, other] = ['self', agent.pid].map((it) => `/proc/${it}/ns/${name}`).map(linkTarget);
    // Some agents cannot be inspected.
    return other !== undefined && other !== own;
  });
  return isElsewhere || restrictions('self') !== restrictions(agent.pid);
}

const linkTarget = (link: string) => attempt(() => readlinkSync(link));

/** A process's restrictions, inherited and never lifted: those of an agent differ only if this process has more. */
function restrictions(pid: number | 'self'): string {
  const [status, limits] = ['status', 'limits'].map(
    (it) => readProc(`/proc/${pid}/${it}`)?.toString('latin1') ?? '',
  );
  // Node raises its own limit of open files as far as it may, and some agents do.
  return [
    ...(status?.match(/^(?:Seccomp\w*|NoNewPrivs):.*/gm) ?? []),
    limits?.replace(/^(Max open files +)\S+/m, '$1'),
  ].join('\n');
}
