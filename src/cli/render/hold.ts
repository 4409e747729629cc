import type { Refusal } from '../../features/portable/from-notes.ts';
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

/** Evidence that was found and does not count: why, and at which commit it was noted. */
export function refusalLines(refusals: readonly Refusal[]): string[] {
  if (refusals.length === 0) return [];
  const lines = refusals
    .slice(0, MOST_LINES)
    .map((it) => `- ${it.feature}, noted at ${it.commit.slice(0, 12)}: ${it.reason}`);
  const rest = refusals.length - lines.length;
  const more = rest > 0 ? [`- and ${rest} more`] : [];
  return ['Evidence that does not count:', ...lines.map((it) => printableLine(it, 240)), ...more];
}

/** Who vouches for what is let through by evidence from elsewhere. */
export function voucherLines(accepted: readonly Evidence[]): string[] {
  return accepted
    .slice(0, MOST_LINES)
    .map((it) => printableLine(`- ${it.feature}: ${it.kind} by ${it.actor}, ${it.source}`, 240));
}
