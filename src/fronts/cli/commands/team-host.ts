import { countOf, durationOf, given } from '../../../app/values.ts';
import { printable } from '../../../base/text/printable.ts';
import { command, group } from '../command.ts';

const team = () => import('../../../app/team/host.ts');

const start = command({
  name: 'start',
  about: 'Lend this machine: work on lanes that trusted members offer, as far as its slots allow',
  options: [
    ['--slots <count>', 'lanes at once; default: `team.slots`, else half of the cores'],
    ['--name <name>', 'what the team calls it, if it is not connected yet'],
    ['--for <time>', 'give back what is held after this time'],
    ['--once [time]', 'end once there was nothing to do for a minute, or this time'],
    ['--foreground', 'stay in this process, and show what it does'],
  ],
  examples: [
    ['lanehold team host start --slots 3', 'in the background, until `team host stop`'],
    ['lanehold team host start --foreground --once --for 50m', 'in a job of CI'],
  ],
  async run(context, options) {
    const { once } = options;
    const here = options.foreground === true || once !== undefined;
    const wish = {
      name: options.name,
      slots: given(countOf, options.slots),
      forMs: given(durationOf, options.for),
      idleMs: once === undefined ? undefined : once === true ? 60_000 : durationOf(once),
      where: here ? 'here' : 'background',
    } as const;
    const words = [...(context.invocation?.words ?? []), '--foreground', '--quiet'];
    const lent = await (await team()).startHost(context, wish, words);
    return context.print(lent, ({ name, pid, log }) =>
      pid === null
        ? `${name} is lent no more`
        : `${name} is lent to the team by process ${pid}\nhint: \`lanehold team host stop\` takes it back; ${printable(log)} says what it does`,
    );
  },
});

const stop = command({
  name: 'stop',
  about: 'Take this machine back: finish what it works on, or give it back at once',
  options: [['--now', 'give lanes back with their last state: other machines go on with them']],
  examples: [
    ['lanehold team host stop', 'waits until its lanes have ended'],
    ['lanehold team host stop --now', 'before the machine is switched off'],
  ],
  async run(context, { now }) {
    const stopped = await (await team()).stopHost(context, now === true ? 'now' : 'drain');
    return context.print(stopped, ({ name }) => `${name} is lent no more`);
  },
});

const remove = command({
  name: 'remove',
  about: 'Remove a machine from the team for good, with the address of the owner',
  args: [['<name>', 'as `team status` shows it']],
  examples: [['lanehold team hosts remove mini-1', 'with LANEHOLD_TEAM_URL of the owner']],
  run: async (context, name) =>
    context.print(
      await (await team()).removeHost(context, name),
      `${printable(name)} can do nothing in the team any more; what it had is taken over after its lease`,
    ),
});

export const host = group({
  name: 'host',
  about: 'Lend this machine to the team',
  commands: [start, stop],
});

export const hosts = group({ name: 'hosts', about: 'The machines of a team', commands: [remove] });
