/** Changes by file, whose code is loaded when the first of them are looked at. */
import type { JSX } from 'preact';
import type { DiffProps } from './diff.tsx';
import { onDemand } from './loaded.ts';

const useDiff = onDemand(() => import('./diff.tsx'));

export function Changes(props: DiffProps): JSX.Element {
  const code = useDiff();
  if (code !== null) return <code.Diff {...props} />;
  return (
    <p class="muted nothing" aria-busy="true">
      Reading…
    </p>
  );
}
