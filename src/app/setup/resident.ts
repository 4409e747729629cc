/** The processes that answer hooks, each for one installation. */
import { residentSetting } from '../../base/config/resident.ts';
import { homeOf } from '../../base/files/home.ts';
import { plural } from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import { type Finding, guarded, ok, warning } from '../../install/verify.ts';
import { askResidents, type Resident } from '../../moments/resident/ask.ts';
import type { AppContext } from '../context.ts';

export const residents = ({ env }: AppContext): Promise<Resident[]> =>
  askResidents(homeOf(env), 'status');

export const endResidents = ({ env }: AppContext): Promise<Resident[]> =>
  askResidents(homeOf(env), 'stop');

export function checkResidents(context: AppContext): Promise<readonly Finding[]> {
  return guarded('resident', async () => {
    const found = await residents(context);
    if (found.length === 0) return [ok('resident', noResidentText(context))];
    return found.map((it) => {
      const text = residentText(it, context.now());
      if (it.status !== null) return ok('resident', text);
      return warning('resident', text, `if it stays so, end it: kill -9 ${it.pid}`);
    });
  });
}

export const noResidentText = ({ env }: AppContext): string =>
  residentSetting(homeOf(env)) === 'off'
    ? 'no process answers hooks: `hooks.resident` is off'
    : 'no process answers hooks now: a later hook starts one';

export function residentText({ pid, program, status }: Resident, now: Date): string {
  if (status === null) return `process ${pid} does not answer; each hook of ${program} starts Node`;
  const since = (at: string): string => duration(now.getTime() - new Date(at).getTime());
  const { version, startedAt, idleSince, events, memoryBytes } = status;
  return [
    `process ${pid} of version ${version} answers hooks of ${program}: ${plural(events, 'event')}`,
    `started ${since(startedAt)} ago`,
    `idle for ${since(idleSince)}`,
    `${Math.ceil(memoryBytes / 1_000_000)} MB`,
  ].join(', ');
}
