/** The texts about a team and its board. */
import type * as team from '../../app/hold/team.ts';
import { plural } from '../../base/text/count.ts';
import { printable, printableLine } from '../../base/text/printable.ts';

type Of<Name extends 'initTeam' | 'connectTeam' | 'disconnectTeam' | 'syncTeam'> = Awaited<
  ReturnType<(typeof team)[Name]>
>;

export function initialisedText({ place, from, to, file, ownRole }: Of<'initTeam'>): string {
  if (file === undefined) {
    return `The board at ${place} ${from === to ? 'is there, and up to date' : `upgraded from schema ${from} to ${to}`}`;
  }
  const risk =
    'warning: this user may make no role, so members get the address of the owner: each can delete all';
  return [
    `Made the board at ${place}`,
    `What members need is in ${file}, which only you can read`,
    'hint: give it to them over a channel that you trust: `lanehold team connect < member-url`, in a clone',
    ...(ownRole ? [] : [risk]),
  ].join('\n');
}

export const connectedText = ({ name, place, remote }: Of<'connectTeam'>): string =>
  [
    `Connected as ${name} to ${place}`,
    `What is verified here is shared for ${printableLine(remote)}`,
    'hint: `lanehold team doctor` says whether others will count it',
  ].join('\n');

export function disconnectedText(left: Of<'disconnectTeam'>): string {
  const { name, place, unsent } = left;
  return [
    `${name} has left ${place}; address, key and token are deleted here`,
    ...(unsent > 0 ? [`${plural(unsent, 'result')} had not been sent`] : []),
    ...('problem' in left ? [`the board still lists it: ${printable(left.problem)}`] : []),
  ].join('\n');
}

export function syncedText({ sent, waiting, why, records, refusals }: Of<'syncTeam'>): string {
  return [
    `Sent ${plural(sent, 'result')}, took over ${records.length} of others`,
    ...records.map(({ feature, source }) => `  ${feature}: ${printableLine(source ?? '')}`),
    ...refusals.map(({ feature, reason }) => `  not counted, of ${feature}: ${printable(reason)}`),
    ...(waiting > 0 ? [`${waiting} to be sent: ${printable(why.join('; '))}`] : []),
  ].join('\n');
}
