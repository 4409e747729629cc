import type { Refusal } from '../../evidence/from-notes.ts';
import type { Hold } from '../../gate/hold.ts';
import type { Evidence } from '../../store/evidence.ts';
import { printableLine } from '../../text/printable.ts';

const MOST_LINES = 5;

/** A hold as machines read it: stable keys, no prose. */
export function holdData({ verdict, features, verified, uncovered }: Hold): object {
  return {
    verdict: verdict === 'held' ? 'held' : verdict,
    held: features.map(({ name, definedBy, fingerprint, smoke, reason, subject }) => ({
      feature: name,
      definedBy,
      fingerprint,
      smoke,
      reason: reason.kind,
      ...('files' in reason && reason.files !== undefined ? { changedFiles: reason.files } : {}),
      ...('evidence' in reason ? { evidence: reason.evidence.id } : {}),
      at: subject.kind === 'revision' ? subject.oid : subject.kind,
    })),
    verified,
    uncovered,
  };
}

/**
 * Evidence that was found and does not count: why, and at which commit it was noted.
 *
 * @param unread how many notes were not even read.
 */
export function refusalLines(refusals: readonly Refusal[], unread: number): string[] {
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

/** Who vouches for what is let through by evidence from elsewhere. */
export function voucherLines(accepted: readonly Evidence[]): string[] {
  return accepted
    .slice(0, MOST_LINES)
    .map((it) => printableLine(`- ${it.feature}: ${it.kind} by ${it.actor}, ${it.source}`, 240));
}
