/** What the recogniser found in a command, for a person who wants to know why. */
import type { Finding } from '../../recognise/finding.ts';
import type { Word } from '../../text/options.ts';
import { printableLine } from '../../text/printable.ts';

const CONTENT_TEXT = {
  refs: 'the refs it names',
  head: 'HEAD',
  worktree: 'the working tree',
} as const;

/** A paragraph for each finding: what, how sure, where in the command, in which folder. */
export function findingsText(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Found nothing that leaves the machine';
  return findings.map((finding, at) => paragraph(finding, at + 1)).join('\n');
}

function paragraph(finding: Finding, number: number): string {
  const lines = [
    `${number}. ${headline(finding)}`,
    `   way in   ${finding.path.map((step) => printableLine(step, 60)).join(' > ') || '(the command itself)'}`,
    `   words    ${printableLine(finding.argv.map(shown).join(' '), 200)}`,
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

const shown = (word: Word): string => word ?? '…';
