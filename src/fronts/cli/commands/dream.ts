import * as dreams from '../../../app/recall/dream.ts';
import { momentOf } from '../../../app/values.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { decidedText, dreamtText, proposalListText, proposalText } from '../../words/dream.ts';
import { command, interruptible } from '../command.ts';

const list = command({
  name: 'list',
  about: 'List the proposals that wait for a decision',
  examples: [['lanehold dream list', 'with the reason of each']],
  run: async (context) =>
    context.print(await dreams.listProposals(context), (it) => proposalListText(it.proposals)),
});

const show = command({
  name: 'show',
  about: 'Show what a proposal would change, and what it was found in',
  args: [['<id>', 'as `lanehold dream list` names it']],
  examples: [['lanehold dream show dp-7f3a2c91', 'its diff']],
  run: async (context, id) => context.print(await dreams.showProposal(context, id), proposalText),
});

const apply = command({
  name: 'apply',
  about: 'Do what was proposed',
  args: [['[ids...]', 'which ones']],
  options: [['--all', 'everything that waits']],
  examples: [
    ['lanehold dream apply dp-7f3a2c91', 'one of them'],
    ['lanehold dream apply --all', 'all that wait'],
  ],
  async run(context, ids, { all = false }) {
    if (all === ids.length > 0)
      throw new UsageError('it is not said which proposals', { hint: 'give their ids, or --all' });
    const done = await dreams.applyProposals(context, all ? 'all' : ids);
    return context.print(done, decidedText('Applied', done.applied));
  },
});

const reject = command({
  name: 'reject',
  about: 'Put proposals aside: they are not made again',
  args: [['<ids...>', 'which ones']],
  examples: [['lanehold dream reject dp-7f3a2c91', 'it is not wanted']],
  async run(context, ids) {
    const done = await dreams.rejectProposals(context, ids);
    return context.print(done, decidedText('Rejected', done.rejected));
  },
});

export const declareDream = command({
  name: 'dream',
  about: 'Propose changes of notes and rules from what was recorded',
  options: [
    ['--since <when>', 'sessions that went on since: 7d, or a day'],
    ['--program <command>', 'also ask a program, which reads a prompt on stdin: an agent’s client'],
    ['--rules', 'ask no program, also not the one of `recall.dreamer`'],
    ['--dry-run', 'show what would be proposed, and keep nothing'],
  ],
  examples: [
    ['lanehold dream', 'what several sessions said, notes that repeat or contradict one another'],
    ["lanehold dream --program './ask-a-model.sh'", 'also what a model finds in new sessions'],
    ['lanehold dream list', 'what waits for you'],
    ['lanehold dream apply --all', 'do it'],
  ],
  commands: [list, show, apply, reject],
  async run(context, { since, program, rules = false, dryRun = false }) {
    if (rules && program !== undefined)
      throw new UsageError('--rules asks no program', { hint: 'give one of the two' });
    const at = since === undefined ? undefined : momentOf(context.now())(since);
    const dreamt = await interruptible((signal) =>
      dreams.dream(context, { since: at, dryRun, signal, program: rules ? false : program }),
    );
    const failed = dreamt.program?.problem !== undefined;
    return context.print(dreamt, dreamtText(dreamt, dryRun), failed ? ExitCode.failed : undefined);
  },
});
