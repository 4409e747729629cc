/** The gate's answers for people, and the findings in a command. */
import type { CommitAnswer, GateData } from '../../app/hold/gate.ts';
import { printableLine } from '../../base/text/printable.ts';
import type { Finding } from '../../commands/finding.ts';

const MOST_LINES = 5;

export function commitText({ data, held, denial, accepted, unread }: CommitAnswer): string {
  const { verified, refusedEvidence } = data;
  if (held) return [denial, ...refusalLines(refusedEvidence, unread)].join('\n');
  if (verified.length === 0) return 'Pass: no feature is affected';
  const evidence = accepted
    .slice(0, MOST_LINES)
    .map((it) => printableLine(`- ${it.feature}: ${it.kind} by ${it.actor}, ${it.source}`, 240));
  return [`Pass: ${verified.join(', ')} verified for exactly what leaves`, ...evidence].join('\n');
}

/**
 * Evidence that does not count, with the reason and the commit of its note.
 *
 * @param unread the number of notes that were not read.
 */
function refusalLines(refusals: CommitAnswer['data']['refusedEvidence'], unread: number): string[] {
  const lines = refusals
    .slice(0, MOST_LINES)
    .map((it) => `- ${it.feature}, noted at ${it.commit.slice(0, 12)}: ${it.reason}`);
  const rest = refusals.length - lines.length;
  if (rest > 0) lines.push(`- and ${rest} more`);
  if (unread === 1) lines.push('- 1 note is too large, or one too many, to be read');
  if (unread > 1) lines.push(`- ${unread} notes are too large, or too many, to be read`);
  if (lines.length === 0) return [];
  return ['Evidence that does not count:', ...lines.map((it) => printableLine(it, 240))];
}

export function shellCommandText({ decision, undecided, rule, reason }: GateData): string {
  if (decision === 'none')
    return undecided ?? 'Pass: no command in it is known to make work leave the machine';
  return (decision === 'pass' ? (undecided ?? `Pass: \`${rule}\` may run`) : reason) ?? '';
}

export const explanationText = (answer: GateData): string =>
  `${shellCommandText(answer)}\n\n${findingsText(answer.findings)}`;

const CONTENT_TEXT = {
  refs: 'the refs it names',
  head: 'HEAD',
  worktree: 'the working tree',
} as const;

/** A paragraph for each finding: what it is, how sure it is, its place in the command, and its folder. */
function findingsText(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Found nothing that leaves the machine';
  return findings.map((finding, at) => paragraph(finding, at + 1)).join('\n');
}

function paragraph(finding: Finding, number: number): string {
  const lines = [
    `${number}. ${headline(finding)}`,
    `   way in   ${finding.path.map((step) => printableLine(step, 60)).join(' > ') || '(the command itself)'}`,
    `   words    ${printableLine(finding.argv.map((word) => word ?? '…').join(' '), 200)}`,
    `   folder   ${finding.directory ?? '(not in the command)'}`,
  ];
  if (finding.verdict === 'boundary' && finding.gitDir !== undefined) {
    lines.push(`   git dir  ${finding.gitDir}`);
  }
  return lines.join('\n');
}

function headline(finding: Finding): string {
  switch (finding.verdict) {
    case 'boundary':
      return `boundary, certain: ${finding.rule} (${finding.kind}), with it leaves ${CONTENT_TEXT[finding.leaves]}`;
    case 'opaque':
      return `opaque${finding.suspicious ? ', suspicious' : ''}: ${printableLine(finding.why)}`;
    case 'waiver':
      return 'waiver: it lifts a hold without a test having run';
    case 'tampering':
      return `tampering: it would ${printableLine(finding.what)} (${printableLine(finding.where)})`;
  }
}

/**
 * Text as a workflow annotation of GitHub Actions.
 *
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations(text: string, held: boolean): string {
  const [verdict = '', ...rest] = text.split('\n');
  if (!held) return `::notice title=lanehold::${data(verdict)}`;
  return [`::error title=${property(verdict)}::${data(rest.join('\n'))}`, text].join('\n');
}

/** The text as Markdown, for the page of the run. All of it may come from the repository. */
export function githubSummary(text: string, held: boolean): string {
  const [verdict = '', ...rest] = text.split('\n');
  const body = rest.map((line) => `${line.startsWith('- ') ? '' : '\n'}${markdown(line)}`);
  return [`### ${held ? '❌' : '✅'} ${markdown(verdict)}`, '', ...body, '', ''].join('\n');
}

/** A list stays a list; everything else in a line is escaped. */
function markdown(line: string): string {
  const [, bullet = '', rest = ''] = /^(- )?([\s\S]*)$/.exec(line) ?? [];
  return bullet + rest.trim().replaceAll(/[\\`*_{}[\]<>()#+.!|~&@-]/g, '\\$&');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
