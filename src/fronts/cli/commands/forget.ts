import {
  type ForgetRequest,
  forget,
  pruneRecall,
  whatForgets,
} from '../../../app/recall/forget.ts';
import { given, momentOf } from '../../../app/values.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { plural } from '../../../base/text/printable.ts';
import { parseAge } from '../../../base/text/time.ts';
import { forgettableText, forgottenText } from '../../words/recall.ts';
import { agrees, canAnswer, command } from '../command.ts';

export const declareForget = command({
  name: 'forget',
  about: 'Delete for good what is remembered, also from backups',
  args: [['[words...]', 'all of them occur in it']],
  options: [
    ['--session <id>', 'only of this session'],
    ['--since <time>', 'only what happened from then on: 2h, 7d, 2026-11-01'],
    ['--until <time>', 'only what happened before'],
    ['--project [dir]', 'all of this project; with a folder, of that one'],
    ['--everywhere', 'in every project'],
    ['--dry-run', 'show what would go, delete nothing'],
    ['--yes', 'do not ask'],
  ],
  examples: [
    ['lanehold forget acme merger --dry-run', 'see what mentions both words'],
    ['lanehold forget --session se-1a2b3c4d', 'one session'],
    ['lanehold forget --since 2h', 'the last two hours in this project'],
  ],
  notes:
    '\n\nNotes that are in the repository, evidence, lanes and what agents keep\nthemselves stay. `lanehold note remove` deletes one note.',
  async run(context, words, { session, since, until, project, everywhere, dryRun, yes }) {
    const isNarrowed = words.length > 0 || [session, since, until].some((it) => it !== undefined);
    const whole = project !== undefined && !isNarrowed ? 'whole' : 'project';
    const time = momentOf(context.now());
    const request: ForgetRequest = {
      words,
      session,
      since: given(time, since),
      until: given(time, until),
      reach: everywhere ? 'everywhere' : whole,
    };
    const plan = await whatForgets(context, request);
    if (dryRun) return context.print(plan, forgettableText(plan));
    if (plan.events + plan.items + plan.others > 0 && !yes) {
      if (!canAnswer(context)) {
        throw new UsageError('nobody can be asked here', {
          hint: 'see what would go with --dry-run, then add --yes',
        });
      }
      context.progress(forgettableText(plan));
      if (!(await agrees(context, 'Delete all of this for good?', 'no'))) {
        context.progress('nothing was deleted');
        return ExitCode.failed;
      }
    }
    return context.print(await forget(context, request), forgottenText);
  },
});

export const declarePrune = command({
  name: 'prune',
  about: 'Delete what is older than it is kept, in all projects',
  options: [
    ['--older-than <age>', 'instead of the settings: 30d, 12w'],
    ['--dry-run', 'say how much would go, delete nothing'],
  ],
  examples: [
    ['lanehold prune --dry-run', 'how much is older than recall.keepEvents and the others say'],
    ['lanehold config set recall.keepEvents 30d', 'keep events for a month'],
  ],
  async run(context, { olderThan, dryRun = false }) {
    const age = given(ageOf, olderThan);
    const report = await pruneRecall(context, { olderThan: age, dryRun });
    const { events, suggestions, summaries, records, kept } = report;
    const counts = [
      `${plural(events, 'event')} (kept ${kept.keepEvents})`,
      `${plural(suggestions, 'suggestion')} (${kept.keepSuggestions})`,
      `${summaries} summaries (${kept.keepSummaries})`,
      `${records} records of what was shown`,
    ];
    return context.print(report, `${dryRun ? 'Would delete' : 'Deleted'} ${counts.join(', ')}`);
  },
});

function ageOf(written: string): string {
  if (parseAge(written) !== undefined) return written;
  throw new UsageError(`\`${written}\` is no age`, { hint: 'write 30d, 12w or 12h' });
}
