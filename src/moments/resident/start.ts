/** Starts the resident process from a hook that has answered without one. */
import { readlinkSync } from 'node:fs';
import { agentAbove } from '../../agents/actor.ts';
import { residentSetting } from '../../base/config/resident.ts';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { type ParentProcess, parentProcesses } from '../../base/process/parents.ts';
import { readProc } from '../../base/process/process-entry.ts';
import { spawnDetached } from '../../base/process/run.ts';
import { isDue } from '../lifecycle/activity.ts';
import { addressFile, RESIDENT } from './address.ts';

/** Hooks that begin together start one, and one that cannot run is not tried at every event. */
const EVERY_MS = 2_000;

/** What the agent has left open for its hook would stay open, so each other descriptor is closed. */
const WITHOUT_DESCRIPTORS = `for fd in /dev/fd/*; do
  fd=\${fd##*/}
  [[ $fd = *[!0-9]* || $fd -le 2 ]] || eval "exec $fd>&-"
done
exec "$@"`;

/**
 * It outlives the agent, and gets nothing of it: it has a session, a folder and an environment of its own.
 *
 * @param program absolute path of the hook program, as the entry script has it.
 * @param env of the hook.
 */
export function startResident(program: string, env: Environment): void {
  // Processes with a worker's environment are ended with the worker, so none is started from there.
  if (env.LANEHOLD_RESIDENT === 'off' || env.LANEHOLD_DISABLE === '1' || env.LANEHOLD_ATTEMPT)
    return;
  const home = homeOf(env);
  if (residentSetting(home) === 'off' || isRestricted(program)) return;
  if (!isDue(`${addressFile(home, program)}.started`, EVERY_MS, new Date())) return;
  const command = [process.execPath, program, RESIDENT];
  spawnDetached('bash', ['--norc', '-p', '-c', WITHOUT_DESCRIPTORS, 'bash', ...command], {
    cwd: '/',
    env: {
      ...{ PATH: env.PATH, HOME: env.HOME, LANEHOLD_HOME: home.root },
      // glibc's memory for each thread would never be given back.
      MALLOC_ARENA_MAX: '1',
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

/**
 * Whether this process may do less than the agent: in a sandbox of hooks, a process that outlives this one
 * would answer other hooks from inside of it. Where all processes are restricted alike it is none.
 */
function isRestricted(program: string): boolean {
  if (process.platform !== 'linux') return false;
  const parents = parentProcesses();
  const agent =
    parents.find(({ command }) => agentAbove([command]) !== undefined) ??
    // What started the entry, if no agent is known.
    parents.find(({ command }) => !command.includes(program));
  return agent === undefined || isMoreRestricted(agent);
}

function isMoreRestricted({ pid }: ParentProcess): boolean {
  const [own, ofAgent] = ['self', pid].map((it) => restrictions(String(it)));
  if (own === undefined || ofAgent === undefined) return true;
  const isElsewhere = NAMESPACES.some((it) => {
    const name = namespaceOf(pid, it);
    // Some agents let nobody look at theirs.
    return name !== undefined && name !== namespaceOf('self', it);
  });
  return isElsewhere || [...ofAgent].some(([name, most]) => (own.get(name) ?? most) < most);
}

const NAMESPACES = ['mnt', 'net', 'pid', 'user'] as const;

const namespaceOf = (pid: number | 'self', name: string): string | undefined =>
  attempt(() => readlinkSync(`/proc/${pid}/ns/${name}`));

/** What a process may do at most, by the names that the kernel gives it. */
function restrictions(pid: string): ReadonlyMap<string, number> | undefined {
  const status = readProc(`/proc/${pid}/status`)?.toString('latin1');
  const limits = readProc(`/proc/${pid}/limits`)?.toString('latin1');
  if (status === undefined || limits === undefined) return undefined;
  const found = new Map<string, number>();
  for (const [, name = '', value] of status.matchAll(/^(Seccomp\w*|NoNewPrivs):\s*(\d+)$/gm)) {
    found.set(name, -Number(value));
  }
  for (const [, name = '', soft, hard] of limits.matchAll(LIMIT)) {
    for (const [kind, value] of Object.entries({ soft, hard })) {
      found.set(
        `${name} ${kind}`,
        value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value),
      );
    }
  }
  return found;
}

/** Those that this program can reach. */
const LIMIT =
  /^Max (cpu time|file size|data size|resident set|processes|open files|address space) +(\S+) +(\S+)/gm;
