import * as setup from '../../../app/setup/resident.ts';
import { printable } from '../../../base/text/printable.ts';
import { command, group } from '../command.ts';

const status = command({
  name: 'status',
  about: 'Show the process that answers hooks, which the first hook starts',
  examples: [
    ['lanehold resident status', 'its version, age, memory and events'],
    ['lanehold resident status --json', 'the same for scripts'],
  ],
  async run(context) {
    const residents = await setup.residents(context);
    const lines = residents.map((it) => printable(setup.residentText(it, context.now())));
    return context.print({ residents }, lines.join('\n') || setup.noResidentText(context));
  },
});

const stop = command({
  name: 'stop',
  about: 'End the process that answers hooks; a later hook starts it again',
  examples: [
    ['lanehold resident stop', 'until the next hook'],
    ['lanehold config set hooks.resident off', 'for good'],
  ],
  async run(context) {
    const ended = await setup.endResidents(context);
    const lines = ended.map(({ pid, status: answer }) =>
      answer === null
        ? `Process ${pid} does not answer; no hook asks it any more, and it ends once it goes on`
        : `Ended process ${pid}`,
    );
    return context.print({ ended }, lines.join('\n') || setup.noResidentText(context));
  },
});

export const declareResident = group({
  name: 'resident',
  about: 'Look at the process that answers hooks, or end it',
  commands: [status, stop],
});
