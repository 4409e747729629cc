/** What ran on the base and on the lane, test by test: what differs first, and all the rest folded. */
import type { JSX } from 'preact';
import type { LaneView, ProofRow } from '../types.ts';
import { Nothing, Table } from './layout.tsx';
import { State } from './state.tsx';
import { plural } from './text.tsx';
import { VirtualList } from './virtual-list.tsx';

export function Proof({ proof }: { proof: LaneView['proof'] }): JSX.Element {
  const { rows, base, lane } = proof;
  if (rows.length === 0) return <Nothing>{withoutNames(proof)}</Nothing>;
  if (lane === null) {
    return (
      <Nothing>
        The lane was not validated yet; {plural(rows.length, 'test')} ran on what it begins with.
      </Nothing>
    );
  }
  const other = rows.filter(({ kind }) => kind !== 'same');
  const same = rows.filter(({ kind }) => kind === 'same');
  return (
    <>
      {other.length > 0 && (
        <Table heads={['Test', 'Base', 'Lane']}>
          {other.slice(0, MOST_ROWS).map((row) => (
            <tr key={row.name} class={ROW_CLASSES[row.kind]}>
              <td>{row.name}</td>
              <td class="s">{base === null ? <NotRun /> : <Ran ran={row.base} />}</td>
              <td class="s">
                {row.kind === 'gone' ? (
                  <State state="look" word={row.lane ?? 'gone'} />
                ) : (
                  <Ran ran={row.lane} />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {other.length > MOST_ROWS && (
        <p class="muted nothing">and {plural(other.length - MOST_ROWS, 'test')} more</p>
      )}
      {same.length > 0 && <Same rows={same} />}
    </>
  );
}

/** Rows of tests that differ; a lane with more has another problem than one of them. */
const MOST_ROWS = 200;

const ROW_CLASSES: Readonly<Record<ProofRow['kind'], string>> = {
  failed: 'hit',
  gone: 'gone',
  new: '',
  'failed-before': '',
  same: '',
};

function withoutNames({ base, lane }: LaneView['proof']): string {
  if (lane === null && base === null) return 'Nothing was validated yet.';
  const result = lane?.result ?? base?.result;
  return `Its validation does not tell the names of tests: ${result === 'pass' ? 'it passed' : `it ended with ${result}`}.`;
}

function Ran({ ran }: { ran: ProofRow['lane'] }): JSX.Element {
  if (ran === null) return <span class="faint">not there</span>;
  if (ran === 'skipped') return <span class="faint">skipped</span>;
  return <State state={ran} />;
}

const NotRun = () => <span class="faint">not run</span>;

function Same({ rows }: { rows: readonly ProofRow[] }): JSX.Element {
  const passed = rows.every(({ lane }) => lane === 'passed');
  const words = passed ? 'passed on both' : 'did the same on both';
  return (
    <details class="same">
      <summary>
        {plural(rows.length, 'test')} {words}
      </summary>
      <VirtualList
        count={rows.length}
        estimate={() => 28}
        keyOf={(at) => rows[at]?.name ?? String(at)}
        listLabel={`Tests that ${words}`}
        rowClass={() => 'same-row'}
      >
        {(at) => rows[at]?.name}
      </VirtualList>
    </details>
  );
}
