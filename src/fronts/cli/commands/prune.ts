import { given } from '../../../app/values.ts';
import { UsageError } from '../../../base/errors.ts';
import { plural } from '../../../base/text/count.ts';
import { parseAge } from '../../../base/text/time.ts';
import { command } from '../command.ts';

export const declarePrune = command({
  name: 'prune',
  about: 'Delete what is older than it is kept, in all projects; notes stay',
  options: [
    ['--older-than <age>', 'instead of the settings: 30d, 12w'],
    ['--dry-run', 'say how much would go, delete nothing'],
  ],
  examples: [
    ['lanehold prune --dry-run', 'how much is older than recall.keepEvents and the others say'],
    ['lanehold config set recall.keepEvents 30d', 'keep events for a month'],
  ],
  async run(context, { olderThan, dryRun = false }) {
    const { pruneRecall } = await import('../../../app/setup/prune.ts');
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
