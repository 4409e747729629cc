/**
 * The words of a hold: read by a model with little context, so the verdict comes first, the way
 * out is a command, and the whole is under ten lines however many features there are. Pure.
 */
import type { HoldReason } from '../features/reason.ts';
import { enumerated, plural } from '../text/count.ts';
import { printableLine } from '../text/printable.ts';
import { age } from '../text/time.ts';
import type { HeldFeature, Hold } from './hold.ts';

const MOST_FEATURES = 4;
const MOST_FILES = 3;
const MOST_NAMES = 12;

export interface DenialContext {
  /** What was held: `git push`; with the path to it in a longer command. */
  readonly what: string;
  /** How to call lanehold from where the reader stands. */
  readonly program: string;
  readonly now: Date;
}

export function denialText(hold: Hold, context: DenialContext): string {
  const lines = [verdictLine(hold, context)];
  for (const feature of hold.features.slice(0, MOST_FEATURES)) {
    lines.push(`- ${labelOf(feature)}: ${reasonText(feature.reason, context.now)}`);
  }
  const others = hold.features.slice(MOST_FEATURES).map(({ name }) => name);
  if (others.length > 0)
    lines.push(`- and ${others.length} more: ${enumerated(others, MOST_NAMES)}`);
  if (hold.uncovered.length > 0) {
    lines.push(`- files of no feature: ${enumerated(hold.uncovered, MOST_FILES)}`);
  }
  lines.push(...wayOut(hold, context));
  return lines.join('\n');
}

/** Why a feature is held, as a clause. */
export function reasonText(reason: HoldReason, now: Date): string {
  switch (reason.kind) {
    case 'never-verified':
      return 'never verified';
    case 'failed':
      return failureText(reason);
    case 'waiver-expired':
      return `its waiver expired ${age(reason.evidence.expiresAt ?? reason.evidence.at, now)}`;
    case 'too-old': {
      const { kind, at } = reason.evidence;
      return `it was ${kind === 'passed' ? 'verified' : kind} ${age(at, now)}, longer ago than \`gate.maxAge\` allows`;
    }
    case 'changed-since': {
      const { evidence, files } = reason;
      const how = evidence.kind === 'passed' ? 'verified' : evidence.kind;
      const which =
        files === undefined || files.length === 0 ? '' : `: ${enumerated(files, MOST_FILES)}`;
      return `changed since it was ${how} ${age(evidence.at, now)}${which}`;
    }
    case 'verified-elsewhere':
      return `the working tree is verified, but what leaves differs in ${enumerated(reason.files, MOST_FILES)}`;
  }
}

function failureText({ evidence }: HoldReason & { kind: 'failed' }): string {
  const failed = evidence.runs.find((it) => it.outcome !== 'exited' || it.exitCode !== 0);
  if (failed === undefined) return 'the last verification failed';
  const command = printableLine(failed.command, 60);
  switch (failed.outcome) {
    case 'exited':
      return `\`${command}\` failed with exit code ${failed.exitCode}`;
    case 'timed-out':
      return `\`${command}\` ran out of time`;
    case 'killed':
      return `\`${command}\` was killed (${failed.detail})`;
    case 'not-started':
      return `\`${command}\` could not be started (${failed.detail})`;
  }
}

function verdictLine({ verdict, features, uncovered }: Hold, { what }: DenialContext): string {
  const holds = verdict === 'ask' ? 'asks before' : 'holds';
  const count = features.length;
  if (count === 0) {
    const belong = uncovered.length === 1 ? 'belongs' : 'belong';
    return `lanehold ${holds} ${what}: ${plural(uncovered.length, 'changed file')} ${belong} to no feature`;
  }
  const are = count === 1 ? '1 feature is' : `${count} features are`;
  return `lanehold ${holds} ${what}: ${are} not verified for exactly what leaves`;
}

function labelOf({ name, definedBy }: HeldFeature): string {
  return definedBy === 'base' ? `${name} (as defined before this change)` : name;
}

function wayOut({ features, uncovered }: Hold, { program }: DenialContext): string[] {
  const lines: string[] = [];
  if (features.length > 0) {
    const at = revisionOption(features);
    const names = [...new Set(features.map(({ name }) => name))];
    const which = names.length > MOST_NAMES ? '--pending' : names.join(' ');
    const waived = names.slice(0, MOST_NAMES).join(' ');
    // What the command would commit is nowhere yet, where it is not what lies in the working tree.
    const first = features.some(isUncommitted) ? 'commit in a command of its own; ' : '';
    lines.push(
      `Verify: ${first}${program} feature verify ${which}${at}, then run the command again.`,
    );
    lines.push(
      `If that is impossible, a person may agree to: ${program} feature waive ${waived}${at} --reason '…'`,
    );
  }
  if (uncovered.length > 0) {
    lines.push(
      `Give the files a feature: ${program} feature add NAME --files 'GLOB' --smoke 'COMMAND'`,
    );
  }
  return lines;
}

function isUncommitted({ subject, inWorktree }: HeldFeature): boolean {
  return subject.kind === 'commit' && !inWorktree;
}

/** Where what leaves is not what lies in the working tree, the commit has to be named. */
function revisionOption(features: readonly HeldFeature[]): string {
  if (features.some(isUncommitted)) return ' --at HEAD';
  const elsewhere = features.find(({ inWorktree }) => !inWorktree);
  if (elsewhere?.subject.kind !== 'revision') return '';
  return ` --at ${elsewhere.subject.oid.slice(0, 12)}`;
}
