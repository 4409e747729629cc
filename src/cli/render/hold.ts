import type { Hold } from '../../gate/hold.ts';

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
