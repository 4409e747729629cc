/** What is said of a team and its board. */
import type * as team from '../../app/hold/team.ts';
import { enumerated, plural } from '../../base/text/count.ts';
import { printable, printableLine } from '../../base/text/printable.ts';
import { age } from '../../base/text/time.ts';
import type { Finding } from '../../install/verify.ts';
import { renderTable } from './table.ts';

type Of<Name extends keyof typeof team> = (typeof team)[Name] extends (
  ...given: never[]
) => Promise<infer Result>
  ? Result
  : never;

export function initialisedText(done: Of<'initTeam'>): string {
  const { place, from, to } = done;
  if (!('invitation' in done)) {
    const state =
      from === to ? 'is there, and up to date' : `upgraded from schema ${from} to ${to}`;
    return `The board at ${place} ${state}`;
  }
  const lines = [
    `Made the board at ${place}`,
    `What a member needs is in ${done.invitation}, which only you can read: address and key`,
    'hint: give it to members over a channel that you trust; each runs `lanehold team connect < member.env` in a clone',
  ];
  if (!done.ownRole) {
    lines.push(
      'warning: this user may make no role, so members get the address of the owner: each can change and delete all',
      'hint: `lanehold team init` by a user with CREATEROLE, in a new database',
    );
  }
  return lines.join('\n');
}

export function connectedText({ name, place, remote }: Of<'connectTeam'>): string {
  return [
    `Connected as ${name} to ${place}`,
    `What is verified here is shared for ${printableLine(remote)}`,
    'hint: `lanehold team doctor` says whether others will count it',
  ].join('\n');
}

export function disconnectedText({ name, place, unsent, untold }: Of<'disconnectTeam'>): string {
  const lines = [`${name} has left ${place}; address, key and token are deleted here`];
  if (unsent > 0) lines.push(`${plural(unsent, 'result')} had not been sent`);
  if (untold !== undefined) lines.push(`the board still lists it: ${printable(untold)}`);
  return lines.join('\n');
}

export function teamText(status: Of<'teamStatus'>, now: Date): string {
  const { place, waiting, projects, hosts } = status;
  const reached = 'problem' in status ? 'not reached' : `${status.roundTripMs} ms`;
  const shared = projects.map(({ remote, syncedAt }) =>
    syncedAt === null ? remote : `${remote}, last sent ${age(syncedAt, now)}`,
  );
  const rows = hosts.map(({ name, client, seenAt, isSelf }) => [
    isSelf ? `${name} (this one)` : name,
    client,
    age(seenAt, now),
  ]);
  return [
    `${place} · ${reached} · ${waiting} to send`,
    ...('problem' in status ? [printable(status.problem)] : []),
    `shared: ${shared.length === 0 ? 'no project' : enumerated(shared, 10)}`,
    ...(rows.length === 0 ? [] : [renderTable([['HOST', 'LANEHOLD', 'SEEN'], ...rows])]),
  ].join('\n');
}

export function syncedText(synced: Of<'syncTeam'>): string {
  const { sent, waiting, why, records, refusals } = synced;
  const lines = [
    `Sent ${plural(sent, 'result')}, took over ${records.length} of others`,
    ...records.map(({ feature, source }) => `  ${feature}: ${printableLine(source ?? '')}`),
    ...refusals.map(({ feature, reason }) => `  not counted, of ${feature}: ${printable(reason)}`),
  ];
  if (waiting > 0) lines.push(`${waiting} to be sent: ${printable(why.join('; '))}`);
  return lines.join('\n');
}

export function teamDiagnosisText({ findings }: { readonly findings: readonly Finding[] }): string {
  return findings
    .flatMap(({ state, fact, hint }) => [
      `${state}: ${printable(fact)}`,
      ...(hint === undefined ? [] : [`  hint: ${printable(hint)}`]),
    ])
    .join('\n');
}
