import { fstatSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { given, timeoutOf } from '../../../app/values.ts';
import { ExitCode } from '../../../base/errors.ts';
import { screenOf } from '../../words/board.ts';
import { spinner } from '../../words/spinner.ts';
import * as words from '../../words/team.ts';
import { type Context, command, group } from '../command.ts';
import { diagnosisText } from './doctor.ts';
import { host, hosts } from './team-host.ts';

type Team = typeof import('../../../app/hold/team.ts');

/** Loaded by these commands alone; a terminal shows that it is at work. */
async function withTeam<T>(context: Context, work: (team: Team) => Promise<T>): Promise<T> {
  const spin = spinner(context);
  spin?.show('asking the board');
  return work(await import('../../../app/hold/team.ts')).finally(() => spin?.stop());
}

const init = command({
  name: 'init',
  about: 'Make the board of a team in a PostgreSQL database, or upgrade it',
  examples: [['lanehold team init', 'once, with the address of its owner as LANEHOLD_TEAM_URL']],
  run: async (context) =>
    context.print(await withTeam(context, (it) => it.initTeam(context)), words.initialisedText),
});

const rotate = command({
  name: 'rotate-key',
  about: 'Give the team another key and password, after one has leaked or a machine is gone',
  examples: [['lanehold team rotate-key', 'with the address of the owner as LANEHOLD_TEAM_URL']],
  notes: `

What the old key has sealed is deleted; each machine says it again when it has
connected with the new address.
Let machines that are lent end first: \`lanehold team host stop\`.`,
  run: async (context) =>
    context.print(await withTeam(context, (it) => it.rotateTeamKey(context)), words.rotatedText),
});

const connect = command({
  name: 'connect',
  about: 'Share what is verified in this project with a team, and count what others have verified',
  options: [
    ['--name <name>', 'what the team calls this machine; default: its host name'],
    ['--remote <name>', 'the remote that all members have; default: origin, of a fork upstream'],
  ],
  examples: [
    ['lanehold team connect < member-url', 'with the file that `lanehold team init` wrote'],
    ['lanehold team connect', 'another project, or with LANEHOLD_TEAM_URL'],
  ],
  async run(context, options) {
    const { stdin } = context.streams;
    // A pipe may never end, so it is read only if nothing else has the address.
    const isFile = stdin.fd !== undefined && fstatSync(stdin.fd).isFile();
    const wish = { ...options, address: isFile ? await text(stdin) : '' };
    // A terminal would show what is typed there.
    const isTyped = stdin.isTTY === true;
    const input = async () => {
      if (isTyped) return '';
      context.progress('reading the address from standard input …');
      return text(stdin);
    };
    const connected = await withTeam(context, (it) => it.connectTeam(context, wish, input));
    if ('refs' in connected && connected.refs === 'refs/heads/lanehold') {
      const { changeSettings } = await import('../../../app/setup/settings.ts');
      await changeSettings(context, [['team.refs', connected.refs]]);
    }
    return context.print(connected, words.connectedText);
  },
});

const disconnect = command({
  name: 'disconnect',
  about: 'Leave the team: forget address, key and token on this machine; what is local stays',
  examples: [['lanehold team disconnect', 'at the end of a CI job, too']],
  run: async (context) =>
    context.print(
      await withTeam(context, (it) => it.disconnectTeam(context)),
      words.disconnectedText,
    ),
});

const sync = command({
  name: 'sync',
  about: 'Send what was verified here, and take over what others verified of what is held here',
  options: [['--after <time>', 'begin then: one exchange says what several commands have changed']],
  examples: [['lanehold team sync', 'after a time without the board, or before a push']],
  async run(context, { after }) {
    await pause(given(timeoutOf, after) ?? 0);
    const { syncTeam } = await import('../../../app/team/sync.ts');
    return context.print(await withTeam(context, () => syncTeam(context)), words.syncedText);
  },
});

const status = command({
  name: 'status',
  about: 'Show who does what: machines, open runs of all, questions that wait, what is held where',
  examples: [
    ['lanehold team status', 'with the command that answers each question'],
    ['lanehold team status --json', 'for programs'],
  ],
  async run(context) {
    const { teamStatus } = await import('../../../app/team/status.ts');
    const found = await withTeam(context, () => teamStatus(context));
    const text = words.statusText(found, context.now(), await screenOf(context));
    const isThere = found.problem === null;
    return context.print(found, text, isThere ? ExitCode.done : ExitCode.failed);
  },
});

const doctor = command({
  name: 'doctor',
  about: 'Show the board and the team, and check clock and signing; exit code 1 if broken',
  examples: [['lanehold team doctor', 'each check with what mends it']],
  async run(context) {
    const found = await withTeam(context, (it) => it.diagnoseTeam(context));
    const said = await diagnosisText(context, { ...found, agents: [] });
    return context.print(found, said, found.ok ? ExitCode.done : ExitCode.failed);
  },
});

export const declareTeam = group({
  name: 'team',
  about: 'Work with other machines and people, by a PostgreSQL database',
  commands: [init, connect, status, sync, doctor, host, hosts, disconnect, rotate],
});
