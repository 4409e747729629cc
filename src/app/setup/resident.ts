/** The processes that answer hooks, each for one installation. */
import { residentSetting } from '../../base/config/resident.ts';
import { homeOf } from '../../base/files/home.ts';
import { plural } from '../../base/text/count.ts';
import { duration } from '../../base/text/time.ts';
import { type Finding, guarded, ok } from '../../install/verify.ts';
import { askResidents, type Resident } from '../../moments/resident/ask.ts';
import type { AppContext } from '../context.ts';

export const residents = ({ env }: AppContext): Promise<Resident[]> =>
  askResidents(homeOf(env), 'status');

export const endResidents = ({ env }: AppContext): Promise<Resident[]> =>
  askResidents(homeOf(env), 'stop');

export function checkResidents(context: AppContext): Promise<readonly Finding[]> {
  return guarded('resident', async () => {
    const found = await residents(context);
    const isOff = residentSetting(homeOf(context.env)) === 'off';
    const none = `no process answers hooks${isOff ? ': `hooks.resident` is off' : ' now'}`;
    const facts = found.map((it) => residentText(it, context.now()));
    return (facts.length === 0 ? [none] : facts).map((it) => ok('resident', it));
  });
}

export function residentText({ pid, program, status }: Resident, now: Date): string {
  if (status === null) return `process ${pid} does not answer: ${program}`;
  const since = (at: string): string => duration(now.getTime() - new Date(at).getTime());
  const { version, startedAt, idleSince, events, memoryBytes } = status;
  return [
    `process ${pid} of version ${version} answers hooks of ${program}: ${plural(events, 'event')}`,
    `started ${since(startedAt)} ago`,
    `idle for ${since(idleSince)}`,
    `${Math.ceil(memoryBytes / 1_000_000)} MB`,
  ].join(', ');
}
