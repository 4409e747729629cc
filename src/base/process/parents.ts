/** The processes above this one, which show who started a command even if its environment is clean. */
import { type ProcessEntry, processEntry, ps, readProc } from './process-entry.ts';

/** The most levels; a person or an agent nests fewer. */
const MAX_PARENTS = 40;

export interface ParentProcess {
  readonly pid: number;
  /** The words of its command line; a process of another user may have none. */
  readonly command: readonly string[];
}

/**
 * The processes above, the nearest first.
 *
 * @param nearest the first of them, if it is not this process's parent.
 */
export function parentProcesses(nearest = process.ppid): ParentProcess[] {
  if (process.platform === 'linux') {
    return parents(processEntry, nearest).map((pid) => ({ pid, command: words(pid, 'cmdline') }));
  }
  const all = new Map(ps(['-A', '-ww'], ['command=']).map((it) => [it.pid, it]));
  return parents((pid) => all.get(pid), nearest).map((pid) => ({
    pid,
    // `ps` does not show where a word ends.
    command: all.get(pid)?.rest.split(/\s+/) ?? [],
  }));
}

/** The words of these processes alone. */
export const parentCommands = (nearest?: number): (readonly string[])[] =>
  parentProcesses(nearest).map(({ command }) => command);

/** The environments in which they were started, the nearest first; empty if the system does not tell. */
export function parentEnvironments(): NodeJS.ProcessEnv[] {
  if (process.platform !== 'linux') return [];
  return parents(processEntry, process.ppid).map((it) =>
    Object.fromEntries(words(it, 'environ').map(variable)),
  );
}

function parents(find: (pid: number) => ProcessEntry | undefined, nearest: number): number[] {
  const pids: number[] = [];
  let pid = nearest;
  for (; pid > 1 && pids.length < MAX_PARENTS; pid = find(pid)?.parent ?? 0) pids.push(pid);
  return pids;
}

function words(pid: number, file: 'cmdline' | 'environ'): string[] {
  const text = readProc(`/proc/${pid}/${file}`)?.toString('utf8') ?? '';
  return text.split('\0').filter((it) => it !== '');
}

function variable(text: string): [name: string, value: string] {
  const [name = ''] = text.split('=', 1);
  return [name, text.slice(name.length + 1)];
}
