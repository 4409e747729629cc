/** The texts about a team and its board. */
import type * as team from '../../app/hold/team.ts';
import type { TeamStatus } from '../../app/team/status.ts';
import type { syncTeam } from '../../app/team/sync.ts';
import {
  enumerated,
  inLines,
  plural,
  printable,
  printableLine,
} from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import type { Answer } from '../../team/answers.ts';
import type { Screen } from './board.ts';
import { renderTable } from './table.ts';

type Of<Name extends 'initTeam' | 'rotateTeamKey' | 'connectTeam' | 'disconnectTeam'> = Awaited<
  ReturnType<(typeof team)[Name]>
>;

export function initialisedText({ place, from, to, file, ownRole }: Of<'initTeam'>): string {
  if (file === undefined) {
    return inLines([
      `The board at ${place} ${from === to ? 'is there, and up to date' : `upgraded from schema ${from} to ${to}`}`,
      'hint: if nobody has its member-url any more, `lanehold team rotate-key` makes another one',
    ]);
  }
  const risk =
    'warning: this user may make no role, so members get the address of the owner: each can delete all';
  return inLines([
    `Made the board at ${place}`,
    `What members need is in ${file}, which only you can read`,
    'hint: give it to them over a channel that you trust: `lanehold team connect < member-url`, in a clone',
    !ownRole && risk,
  ]);
}

export const rotatedText = ({ place, file, ownRole }: Of<'rotateTeamKey'>): string =>
  inLines([
    `The team at ${place} has another key${ownRole ? ' and password' : ''}`,
    `What members need is in ${file}, which only you can read`,
    'hint: on each machine, in a clone, `lanehold team connect < member-url`',
    !ownRole && 'warning: members have the password of the owner: change that as well',
  ]);

export const connectedText = ({ name, place, remote, ...tried }: Of<'connectTeam'>): string =>
  inLines([
    `Connected as ${name} to ${place}`,
    `What is verified here is shared for ${printableLine(remote)}`,
    'why' in tried && `the remote takes no lane from here: ${printable(tried.why)}`,
    'refs' in tried &&
      tried.refs !== 'refs/lanehold' &&
      `the remote takes branches alone, so lanes of the team are in ${tried.refs}`,
    'hint: `lanehold team doctor` says whether others will count it',
  ]);

export function disconnectedText(left: Of<'disconnectTeam'>): string {
  const { name, place, unsent } = left;
  return inLines([
    `${name} has left ${place}; key, token and the addresses, also of members, are deleted here`,
    unsent > 0 && `${plural(unsent, 'result')} had not been sent`,
    'problem' in left && `the board still lists it: ${printable(left.problem)}`,
  ]);
}

export function syncedText(synced: Awaited<ReturnType<typeof syncTeam>>): string {
  const { sent, waiting, why, records, refusals, answers, notes } = synced;
  return inLines([
    `Sent ${plural(sent, 'result')}, took over ${records.length} of others`,
    ...records.map(({ feature, source }) => `  ${feature}: ${printableLine(source ?? '')}`),
    ...refusals.map(({ feature, reason }) => `  not counted, of ${feature}: ${printable(reason)}`),
    notes.sent + notes.came > 0 &&
      `Sent ${plural(notes.sent, 'note')}, took in ${notes.came} of others`,
    notes.why !== '' && `no note is sent from here: ${printable(notes.why)}`,
    ...answers.map((it) => `  of lane ${it.lane}: ${answerLine(it).trim()}`),
    waiting > 0 && `${waiting} to be sent: ${printable(why.join('; '))}`,
  ]);
}

/** Its text is not known if nobody knows who has signed it. */
function answerLine({ from, by, text, why }: Omit<Answer, 'question'>): string {
  const whose = `answer from ${from}${by === null ? '' : ` by ${printableLine(by)}`}`;
  const note = why === '' ? '' : ` does not count (${printableLine(why, 400)})`;
  return `  ${whose}${note}${text === '' ? '' : `: ${printableLine(text, 1_000)}`}`;
}

const MOST_ROWS = 20;
/** The lanes of a machine that was not heard of for so long are other machines' to take. */
const AWAY_MS = 2 * 60_000;

export function statusText(status: TeamStatus, now: Date, { paint, width }: Screen): string {
  const { place, problem, reachedAt, roundTripMs, toSend, hosts, runs, held } = status;
  const since = (at: Date | number) => duration(now.getTime() - Number(at));
  const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
    renderTable([heads.map((text) => ({ text, paint: paint.strong })), ...rows], width).split('\n');
  const offline = reachedAt === null ? 'never reached' : `last reached ${since(reachedAt)} ago`;
  const reached = problem === null ? `${roundTripMs} ms` : offline;
  return inLines([
    `${place}: ${reached}, ${toSend} to send`,
    problem !== null && printable(problem),
    ...(hosts.length === 0
      ? []
      : table(
          ['HOST', 'LENDS', 'SEEN', 'WORKS ON'],
          hosts.map(({ name, lends, slots, taken, seenAt, works }) => {
            const lent = lends === 'off' ? '' : `${taken} of ${slots}`;
            const isAway = lends !== 'off' && now.getTime() - Number(seenAt) > AWAY_MS;
            const state = `${lent}${lends === 'draining' ? ', draining' : ''}${isAway ? ', away' : ''}`;
            return [name, state, since(seenAt), enumerated(works, 5)];
          }),
        )),
    ...runs.flatMap(({ name, host, at, lent, summary, lanes }) => {
      // Its lanes stand below the machine whose run it is.
      if (lent) return [];
      const age = host === status.name ? '' : `, ${since(at)} ago`;
      const rows = lanes.slice(0, MOST_ROWS).map((it) => {
        const asked = it.state === 'asks' ? '' : printableLine(it.note, 400);
        return [
          it.key,
          printableLine(it.state),
          printableLine(it.lentTo ?? ''),
          since(it.since),
          asked,
        ];
      });
      const more = lanes.length - rows.length;
      return [
        `${paint.strong('RUN')} ${name} (${host}${age})  ${printableLine(summary, 400)}`,
        ...(rows.length === 0 ? [] : table(['KEY', 'STATE', 'HOST', 'AGE', 'NOTE'], rows)),
        ...(more > 0 ? [`${more} more: \`lanehold team status --json\``] : []),
      ];
    }),
    ...status.questions.flatMap(({ host, lane, at, text, command, answers }) => [
      `${paint.strong('QUESTION')} of ${lane} (${host}), ${since(at)}: ${printableLine(text, 1_000)}`,
      ...answers.map(answerLine),
      `  ${paint.hint('hint:')} ${command}`,
    ]),
    ...held.map(
      (it) =>
        `${paint.strong('HELD')} ${printableLine(it.feature)} on ${enumerated(it.hosts, MOST_ROWS)}`,
    ),
  ]);
}
