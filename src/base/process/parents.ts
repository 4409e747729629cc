/** The processes above this one, for who has started a command although its environment is cleaned. */
import type { Environment } from '../environment.ts';
import { ps, readProc } from './process-entry.ts';

/** More than a person or an agent ever nests. */
const MOST = 40;

/** The words of each, the nearest first. A process of another user may have none. */
export function parentCommands(): string[][] {
  const commands: string[][] = [];
  let pid = process.ppid;
  for (let left = MOST; left > 0 && pid > 1; left -= 1) {
    const found = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
    if (found === undefined) break;
    commands.push(found.words);
    pid = found.parent;
  }
  return commands;
}

/** What each was started with, the nearest first; none where the system does not tell. */
export function parentEnvironments(): Environment[] {
  const environments: Environment[] = [];
  let pid = process.platform === 'linux' ? process.ppid : 0;
  for (let left = MOST; left > 0 && pid > 1; left -= 1) {
    const text = readProc(`/proc/${pid}/environ`)?.toString('utf8') ?? '';
    environments.push(Object.fromEntries(text.split('\0').map(variable)));
    pid = fromProc(pid)?.parent ?? 0;
  }
  return environments;
}

function variable(text: string): [name: string, value: string] {
  const [name = ''] = text.split('=', 1);
  return [name, text.slice(name.length + 1)];
}

interface Found {
  readonly words: string[];
  readonly parent: number;
}

function fromProc(pid: number): Found | undefined {
  const stat = readProc(`/proc/${pid}/stat`)?.toString('latin1');
  if (stat === undefined) return undefined;
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const line = readProc(`/proc/${pid}/cmdline`)?.toString('utf8') ?? '';
  return { words: line.split('\0').filter((word) => word !== ''), parent: Number(parent) };
}

/** `ps` does not say where a word ends. */
function fromPs(pid: number): Found | undefined {
  const [line] = ps(['-ww', '-p', String(pid)], ['ppid=', 'command=']);
  const [, parent, command = ''] = /^\s*(\d+)\s+(.*)$/s.exec(line?.rest ?? '') ?? [];
  return parent === undefined ? undefined : { words: command.split(/\s+/), parent: Number(parent) };
}
