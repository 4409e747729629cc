/** What the board said last of the machines of a team, for views that must not wait for a network. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile } from '../../base/files/json-file.ts';
import { PRIVATE, replaceFile } from '../../base/files/replace-file.ts';
import { shortHash } from '../../base/process/with-lock.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { Answer, Board } from '../../team/board/board.ts';
import type { Team } from '../../team/exchange.ts';
import { type Snapshot, snapshotsOn } from '../../team/snapshot.ts';

const machine = z.object({
  name: z.string(),
  self: z.boolean(),
  client: z.string(),
  lends: z.enum(['off', 'on', 'draining']),
  slots: z.number(),
  /** How many lanes of others it works on. */
  taken: z.number(),
  seenAt: z.coerce.date(),
  /** Keys of the lanes of this project that it works on. */
  works: z.array(z.string()),
});

export type Machine = z.output<typeof machine>;

/** It is there for each project that is in a team, also for hooks, and has the machines of the last contact. */
export const contactFile = ({ store, place }: Pick<Workspace, 'store' | 'place'>): string =>
  join(store.home.team, shortHash(place.identity));

/** When the board of this project answered last, and with which machines; `null`: never. */
export function lastContact(workspace: Workspace) {
  const file = contactFile(workspace);
  const machines = readJsonFile(file, z.array(machine));
  if (machines === 'none' || machines === 'unreadable') return null;
  return { at: statSync(file).mtime, machines };
}

/** How the open runs of the others stand, and the machines; `own` are the runs of this one. */
export async function askMachines(board: Board, workspace: Workspace, team: Team, own: Snapshot) {
  const { hosts, now_ms: now } = await board.status();
  const { host: self } = team.member;
  const others = (await snapshotsOn(board, team)).filter(({ host }) => host !== self);
  const shown = [{ name: team.member.name, age_s: 0, ...own }, ...others];
  const machines = hosts.map((host) => machineOf(host, shown, now));
  replaceFile(contactFile(workspace), JSON.stringify(machines), { mode: PRIVATE });
  return { shown, machines };
}

type Shown = Snapshot & { readonly name: string };

function machineOf(
  { name, client, seen_s, is_self, lends, slots, holds }: Host,
  shown: readonly Shown[],
  now: number,
): Machine {
  const lanes = shown.flatMap(({ name: home, runs }) =>
    runs.flatMap((run) =>
      // The home of a lane may not have heard yet that it has ended.
      run.lanes.filter(({ live, lentTo }) =>
        lentTo ? lentTo === name && holds.length > 0 : live && home === name,
      ),
    ),
  );
  const works = [...new Set(lanes.map(({ key }) => key))];
  // The board notes a call of a machine only now and then.
  const seenAt = new Date(is_self ? now : now - seen_s * 1_000);
  return { name, self: is_self, client, lends, slots, taken: holds.length, seenAt, works };
}

type Host = Answer<'status'>['hosts'][number];
