/** What a person has to see to decide: the tests of both sides, or the changes of both sides. */
import type { JSX } from 'preact';
import { useView } from '../base/live.ts';
import { Changes } from '../parts/changes.tsx';
import { Proof } from '../parts/proof.tsx';
import { wordOf } from '../parts/state.tsx';
import type { DiffView, LaneView, Need } from '../types.ts';

const OF_TESTS = ['look', 'failed', 'untested', 'baseless'];
const OF_SIDES = ['conflict', 'culprit'];

interface NeedProofProps {
  readonly kind: Need['kind'];
  readonly lane: NonNullable<Need['lane']>;
}

export function NeedProof({ kind, lane }: NeedProofProps): JSX.Element | null {
  if (OF_TESTS.includes(kind))
    return <Tests run={lane.run} lane={lane.key} shows={kind === 'look'} />;
  return OF_SIDES.includes(kind) ? <Sides run={lane.run} lane={lane.key} /> : null;
}

const pathOf = (run: string, key: string, what = ''): string =>
  `lanes/${encodeURIComponent(key)}${what}${what.includes('?') ? '&' : '?'}run=${encodeURIComponent(run)}`;

function Tests({ run, lane, shows }: { run: string; lane: string; shows: boolean }) {
  const { data } = useView<LaneView>(pathOf(run, lane));
  if (data === null) return null;
  const gone = data.proof.rows.filter(({ kind }) => kind === 'gone').map(({ name }) => name);
  const files = [...new Set(gone.map((name) => name.split(' > ')[0] ?? name))];
  return (
    <>
      <div class="block">
        <h3>What ran on the base and on the lane</h3>
        <Proof proof={data.proof} />
      </div>
      {shows && files.length > 0 && <ChangesIn run={run} lane={lane} files={files} />}
    </>
  );
}

/** What the lane did to the files that the tests were in. */
function ChangesIn({ run, lane, files }: { run: string; lane: string; files: readonly string[] }) {
  const { data } = useView<DiffView>(pathOf(run, lane, '/diff?against=base'));
  const those = data?.files.filter(({ path }) => files.includes(path)) ?? [];
  return those.length === 0 ? null : <Changes files={those} who={lane} />;
}

function Sides({ run, lane }: { run: string; lane: string }) {
  const { data } = useView<LaneView>(pathOf(run, lane));
  const [conflict] = data?.conflicts ?? [];
  if (conflict === undefined) return null;
  return (
    <>
      {conflict.failures.length > 0 && (
        <div class="block">
          <h3>What fails when they are together</h3>
          <ul class="names">
            {conflict.failures.map((it) => (
              <li key={it}>{it}</li>
            ))}
          </ul>
        </div>
      )}
      {conflict.sides.map(({ lane: side, state, files }) => (
        <div class="block" key={side}>
          <h3>
            {side}, {wordOf(state)}
          </h3>
          {files.length > 0 ? (
            <Changes files={files} who={side} />
          ) : (
            <p class="muted">It changes none of these files.</p>
          )}
        </div>
      ))}
    </>
  );
}
