/**
 * The text of a hold. It is read by a model with little context, so the verdict comes first, the
 * way out is a command, and the whole is under ten lines however many features there are. Pure.
 */
import { ExplainedError } from '../base/errors.ts';
import { enumerated, plural, printableLine, shortRef } from '../base/text/printable.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import { age, duration } from '../base/text/time.ts';
import { countsFor } from '../features/never-counts.ts';
import { type HoldReason, withoutFiles } from '../features/reason.ts';
import { hasPassed } from '../store/evidence.ts';
import type { RunningVerification } from '../store/running-verifications.ts';
import type { StillHeld } from './held-pushes.ts';
import { type HeldFeature, type Hold, isHere } from './hold.ts';

const MOST_FEATURES = 4;
const MOST_FILES = 3;
/** A denial that would list more names than this looks for a shorter way to say them. */
export const MOST_NAMES = 12;
const MAX_COMMAND = 3_000;

interface DenialContext {
  /** The boundary: `git push`, and in a longer command the way to it. */
  readonly what: string;
  /** The command that starts lanehold in the reader's shell. */
  readonly program: string;
  /** `cd FOLDER && `, if the reader's shell is outside of the project. */
  readonly way?: string;
  readonly now: Date;
  /** The tool is listed by no rule: the settings can say that this is no boundary. */
  readonly takenFor?: string | undefined;
  /** A person can be asked to agree. */
  readonly asking?: boolean;
  /** The features that `feature verify --pending` would verify, if that is known. */
  readonly pending?: ReadonlySet<string>;
  /** The whole command with the given verification in the right place, if that is enough. */
  readonly inOneCommand?: ((verify: string) => string | undefined) | undefined;
  /** Verifications that run now, of any features. */
  readonly running?: readonly Pick<RunningVerification, 'feature' | 'at'>[];
  /** The remote whose commits are in doubt. */
  readonly doubted?: string | undefined;
  /** Why a verification in the same command does not count. */
  readonly uncounted?: string | undefined;
  /** What to do once it is verified; by default the command is run again. */
  readonly again?: string | undefined;
  /** Nobody can verify, or run anything again. */
  readonly inCi?: boolean;
}

export function denialText(hold: Hold, context: DenialContext): string {
  const lines = [verdictLine(hold, context)];
  // Files of no feature take one line, and another one for what to do about them.
  const most = hold.uncovered.length === 0 ? MOST_FEATURES : MOST_FEATURES - 1;
  for (const feature of hold.features.slice(0, most)) {
    lines.push(`- ${heldText(feature, context.now)}`);
  }
  const others = hold.features.slice(most).map(({ name }) => name);
  if (others.length > 0) {
    lines.push(`- and ${others.length} more: ${enumerated(others, MOST_NAMES)}`);
  }
  if (hold.uncovered.length > 0) {
    lines.push(`- ${uncoveredText(hold)}`);
  }
  const { doubted, way = '' } = context;
  if (doubted !== undefined) {
    const fetch = `${way}git fetch ${shellWord(doubted)}`;
    lines.push(`If ${printableLine(doubted, 80)} has it already, tell so first: ${fetch}`);
  }
  lines.push(...wayOut(hold, context));
  return lines.join('\n');
}

export function cannotTellText(what: string, error: unknown): string {
  const fact = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ExplainedError ? error.hint : 'run `lanehold doctor`';
  const way = hint === undefined ? '' : `\nTo proceed: ${hint}`;
  return `lanehold holds ${what}: it cannot tell what would leave\n${printableLine(fact, 400)}${way}`;
}

export function uncoveredText({ uncovered }: Pick<Hold, 'uncovered'>): string {
  return `files of no feature: ${enumerated(uncovered, MOST_FILES)}`;
}

/** The sentence that says which feature is held, by which definition, and why. */
export function heldText(held: HeldFeature, now: Date): string {
  const { name, definedBy, reason, isEmpty } = held;
  const label = definedBy === 'base' ? `${name} (as defined before this change)` : name;
  if (isEmpty) return `${label}: it has no files any more`;
  const { notRun } = reason;
  const tried = notRun === undefined ? '' : `; could not run: ${printableLine(notRun, 160)}`;
  return `${label}: ${reasonText(reason, now)}${tried}`;
}

export function heldPushText(
  { remote, source, features }: StillHeld,
  { program, now }: Pick<DenialContext, 'program' | 'now'>,
): string {
  const verify = verifyLine(features, program);
  const what = features.slice(0, MOST_FEATURES).map((it) => heldText(it, now));
  return `push of ${shortRef(source)} to ${printableLine(remote, 80)}: ${what.join('; ')}; \`${verify}\``;
}

/** The command that lets a push through. */
export const verifyLine = (features: readonly HeldFeature[], program: string): string =>
  `${program} feature verify ${fitting(namesOf(features))}${revisionOption(features)}`;

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
      const how = kind === 'passed' ? 'verified' : kind;
      if (at > now)
        return `it was ${how} before the clock was set back: \`gate.maxAge\` cannot be told`;
      return `it was ${how} ${age(at, now)}, longer ago than \`gate.maxAge\` allows`;
    }
    case 'changed-since': {
      const { evidence, files } = reason;
      const how = evidence.kind === 'passed' ? 'verified' : evidence.kind;
      const which =
        files === undefined || files.length === 0 ? '' : `: ${enumerated(files, MOST_FILES)}`;
      return `changed since it was ${how} ${ago(evidence.at, now)}${which}`;
    }
    case 'verified-beside': {
      const { evidence, files } = reason;
      const which = enumerated(files, MOST_FILES);
      const leave = files.length === 1 ? 'does' : 'do';
      return `it passed ${ago(evidence.at, now)} beside ${which}, which ${leave} not leave`;
    }
    case 'verified-elsewhere':
      return `the working tree is verified, but what leaves differs in ${enumerated(reason.files, MOST_FILES)}`;
  }
}

const ago = (at: Date, now: Date): string => age(at, now).replace('just now', 'a moment ago');

function failureText({ evidence }: HoldReason & { kind: 'failed' }): string {
  const failed = evidence.runs.find((run) => !hasPassed(run));
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

function verdictLine({ features, uncovered }: Hold, { what, asking }: DenialContext): string {
  const holds = asking ? 'asks before' : 'holds';
  const count = features.length;
  if (count === 0) {
    const belong = uncovered.length === 1 ? 'belongs' : 'belong';
    return `lanehold ${holds} ${what}: ${plural(uncovered.length, 'changed file')} ${belong} to no feature`;
  }
  const are = count === 1 ? '1 feature is' : `${count} features are`;
  return `lanehold ${holds} ${what}: ${are} not verified for exactly what leaves`;
}

function wayOut({ features, uncovered }: Hold, context: DenialContext): string[] {
  const { uncounted, takenFor, way = '' } = context;
  const program = `${way}${context.program}`;
  const lines: string[] = [];
  if (takenFor !== undefined) {
    lines.push(
      `\`${takenFor}\` is taken for a release by its name. If it is none, a person may add {"remove": ${JSON.stringify(takenFor)}} to \`gate.boundaries\`.`,
    );
  }
  if (uncounted !== undefined) {
    lines.push(`The verification in this command does not count: ${uncounted}.`);
  }
  const present = features.filter((it) => !it.isEmpty);
  const tested = present.filter(({ smoke }) => smoke.length > 0);
  const untested = present.filter(({ smoke }) => smoke.length === 0);
  const areMore = tested.length < features.length;
  const gone = features.filter((it) => it.isEmpty).slice(0, MOST_FEATURES);
  lines.push(...gone.map(({ name }) => `Of ${name}, ${withoutFiles(name, program)}; then commit`));
  if (tested.length > 0) lines.push(...waysToVerify(tested, areMore, context));
  const [first] = untested;
  if (first !== undefined) {
    const names = enumerated(namesOf(untested), MOST_FILES);
    const before = untested.some(isUncommitted) ? 'Commit in a command of its own. ' : '';
    lines.push(
      `${before}${names} cannot be verified without a smoke test; give one, commit it and verify: ${program} feature add ${first.name} --replace --smoke 'COMMAND'`,
    );
  }
  if (features.length > 0) {
    const named = `${fitting(namesOf(features))}${revisionOption(features)}`;
    const vouched =
      untested.length === features.length
        ? `feature verify ${named} --attest --notes 'NOTES'`
        : `feature waive ${named} --reason 'REASON'`;
    const after = features.some(isUncommitted) ? ' after the commit' : '';
    lines.push(`If that is impossible, a person may agree${after} to: ${program} ${vouched}`);
  }
  if (uncovered.length > 0) {
    lines.push(
      `Give the files a feature, as \`${program} feature discover\` proposes it or by hand: ${program} feature add NAME --files 'GLOB' --smoke 'COMMAND'`,
    );
    if (features.length === 0 && uncovered.every(countsFor)) {
      lines.push(
        `If nothing tests them, a person may vouch for them: ${program} feature add rest --rest && ${program} feature verify rest --attest --notes 'NOTES'`,
      );
    }
  }
  return lines;
}

/** The lines that say how to verify; a command ends its line, to be copied. Features in verification are left out. */
function waysToVerify(
  features: readonly HeldFeature[],
  areMore: boolean,
  context: DenialContext,
): string[] {
  const { running = [], now, again = AGAIN } = context;
  const own = running.filter(({ feature }) => features.some(({ name }) => name === feature));
  const [first] = own;
  if (first === undefined) {
    return verification(features, areMore ? { ...context, inOneCommand: undefined } : context);
  }
  const names = [...new Set(own.map(({ feature }) => feature))];
  const since = duration(now.getTime() - first.at.getTime());
  const wait = `Verify: a verification of ${enumerated(names, MOST_NAMES)} runs since ${since}: wait for it`;
  const others = features.filter(({ name }) => !names.includes(name));
  if (others.length === 0) return [`${wait}, then ${again}.`];
  return [wait, ...verification(others, { ...context, inOneCommand: undefined })];
}

const AGAIN = 'run the command again';

/** The command that verifies the features, or what to do with it; the shell stays in its folder. */
function verification(
  features: readonly HeldFeature[],
  { program, way = '', pending, inOneCommand, again = AGAIN, inCi = false }: DenialContext,
): string[] {
  const names = namesOf(features);
  const beside = [...new Set(features.flatMap((it) => it.beside))].sort();
  const files = enumerated(beside, MOST_FILES);
  const at = revisionOption(features);
  const isPending = at === '' && names.every((name) => pending?.has(name));
  const which = names.length > MOST_NAMES && isPending ? '--pending' : fitting(names);
  const verify = `${program} feature verify ${which}${at}`;
  if (inCi) {
    return [
      `Verify where the change was made, and send the evidence: ${program} feature verify ${which} && ${program} evidence push`,
      `Or have CI run this before the gate: ${program} feature verify --pending`,
    ];
  }
  if (features.every(isVerifiedWithMore))
    return [`Commit ${files}, then ${again}: with it the content is verified.`];
  if (features.some((it) => it.reason.kind === 'failed' && it.beside.length > 0))
    return [`Commit what mends it (${files}), then ${again}.`];
  const whole = inOneCommand?.(verify);
  const without = beside.length === 0 ? '' : ` without what is not committed (${files})`;
  // Changes that the command itself would commit can be verified only after the commit.
  const after = features.some(isUncommitted) ? ' after a commit in a command of its own' : '';
  return [
    whole === undefined
      ? `Verify${without}${after}, then ${again}: ${way === '' ? verify : `(${way}${verify})`}`
      : `Verify${without}: ${whole}`,
  ];
}

function namesOf(features: readonly HeldFeature[]): string[] {
  return [...new Set(features.map(({ name }) => name))];
}

function isUncommitted(feature: HeldFeature): boolean {
  return feature.subject.kind === 'commit' && !isHere(feature);
}

/** True if everything that lies beside the commit belongs to the feature, and is verified with it. */
const isVerifiedWithMore = ({ reason, beside, subject }: HeldFeature): boolean =>
  subject.kind === 'revision' &&
  reason.kind === 'verified-elsewhere' &&
  reason.areOwn &&
  reason.files.length === beside.length;

/** As many names as fit into a command; the next denial lists the others. */
function fitting(names: readonly string[]): string {
  const text = names.join(' ');
  return text.length <= MAX_COMMAND ? text : text.slice(0, text.lastIndexOf(' ', MAX_COMMAND));
}

/** The option that names the commit, if what leaves is not in the working tree. */
function revisionOption(features: readonly HeldFeature[]): string {
  if (features.some(isUncommitted)) return ' --at HEAD';
  const elsewhere = features.find((it) => !isHere(it));
  if (elsewhere?.subject.kind !== 'revision') return '';
  return ` --at ${elsewhere.subject.oid.slice(0, 12)}`;
}
