/** One feature: what it is, its state for each tree, and its evidence as history. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { FeatureView, HoldView } from '../../src/app/view/hold.ts';
import { shellWord } from '../../src/base/text/shell-quote.ts';
import { duration } from '../../src/base/text/time.ts';
import { whyAlone } from '../../src/fronts/words/hold.ts';
import { useView } from '../base/live.ts';
import { addressOf } from '../base/route.ts';
import { type Fact, Facts, MissingPart, Nothing, Section } from '../parts/layout.tsx';
import { Glyph, State } from '../parts/state.tsx';
import { actorName, Command, plural, Rich, Time, Yours } from '../parts/text.tsx';
import { glyphOf, stateWord, type TreeState } from './feature-state.ts';

type Evidence = FeatureView['records'][number];
type Run = Evidence['runs'][number];

interface DetailProps {
  readonly name: string;
  /** The address names it. */
  readonly isChosen: boolean;
  readonly states: readonly TreeState[];
  readonly trees: HoldView['trees'];
}

export function FeatureDetail({ name, isChosen, states, trees }: DetailProps): JSX.Element {
  const { data, problem } = useView<FeatureView>(`hold/${encodeURIComponent(name)}`);
  const own = states[0];
  const place = useRef<HTMLDivElement>(null);
  // Where it stands below the map, nobody would see that another one was chosen.
  useEffect(() => {
    if (isChosen && matchMedia('(max-width: 1100px)').matches) place.current?.scrollIntoView();
  }, [isChosen]);
  const state = own === undefined ? null : <State state={glyphOf(own)} word={stateWord(own)} />;
  return (
    <div class="stack feature detail" data-commands="" ref={place}>
      <Section id="feature" title={<span class="mono">{name}</span>} right={state}>
        {data === null ? (
          <MissingPart problem={problem} />
        ) : (
          <div class="stack about">
            <Facts facts={factsOf(data.feature)} />
            <States name={name} states={states} trees={trees} />
            <Command text={`lanehold feature verify ${shellWord(name)}`} />
            {own !== undefined && own.state !== 'verified' && (
              <Yours
                why="To let it leave as it is, unverified, a person types:"
                commands={[`lanehold feature waive ${shellWord(name)} --reason 'REASON'`]}
              />
            )}
          </div>
        )}
      </Section>
      {data !== null && <History records={data.records} name={name} />}
    </div>
  );
}

function factsOf(feature: FeatureView['feature']): Fact[] {
  const { description, files, rest, smoke, dependsOn, origin } = feature;
  const { fileCount, contentCount } = feature;
  const inAll = contentCount === fileCount ? '' : `, ${contentCount} with what it depends on`;
  return [
    description !== '' && ['What', description],
    [
      'Files',
      <>
        <code>{rest ? 'each that no other feature has' : files.join('  ')}</code>
        <span class="meta">
          {' '}
          {plural(fileCount, 'file')}
          {inAll}
        </span>
      </>,
    ],
    [
      'Proof',
      smoke.length === 0 ? (
        'none: a person attests it'
      ) : (
        <ul>
          {smoke.map(({ command, cwd }) => (
            <li key={`${cwd} ${command}`}>
              <code>{command}</code>
              {cwd !== '' && <span class="meta"> in {cwd}</span>}
            </li>
          ))}
        </ul>
      ),
    ],
    dependsOn.length > 0 && [
      'Depends on',
      dependsOn.map((it, at) => (
        <span key={it}>
          {at > 0 && ', '}
          <a class="link" href={addressOf('hold', it)}>
            {it}
          </a>
        </span>
      )),
    ],
    ['Known', origin === 'shared' ? 'in lanehold.json, to everybody' : 'on this machine only'],
  ];
}

function States({ name, states, trees }: Omit<DetailProps, 'isChosen'>): JSX.Element {
  return (
    <ul class="states" aria-label="Its state for each tree that may leave">
      {states.map((it, at) => {
        const why = it.held === null ? stateWord(it) : whyAlone(it.held, name);
        const isSame = at > 0 && it.held !== null && it.held === states[at - 1]?.held;
        return (
          <li key={it.tree}>
            <Glyph state={glyphOf(it)} />
            <span>
              <span class="strong">
                {treeName(
                  it.tree,
                  trees.find(({ id }) => id === it.tree),
                )}
              </span>{' '}
              <span class="muted">{isSame ? 'the same' : <Rich text={why} />}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function treeName(id: string, tree: HoldView['trees'][number] | undefined): string {
  if (id === 'worktree') return 'Working tree';
  if (id === 'HEAD') return `HEAD, ${tree?.oid?.slice(0, 8) ?? ''}`;
  return `Push of ${id}`;
}

const KINDS = {
  passed: { state: 'verified', word: 'verified' },
  failed: { state: 'failed', word: 'failed' },
  attested: { state: 'passed', word: 'attested' },
  waived: { state: 'stale', word: 'waived' },
} as const;

function History({ records, name }: { records: readonly Evidence[]; name: string }): JSX.Element {
  return (
    <Section id="evidence" title="Evidence" command={`lanehold feature history ${shellWord(name)}`}>
      {records.length === 0 ? (
        <Nothing>Nobody has verified it yet.</Nothing>
      ) : (
        <ol class="tries">
          {records.map((it, at) => (
            <Record key={it.id} record={it} isLast={at === 0} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function Record({ record, isLast }: { record: Evidence; isLast: boolean }): JSX.Element {
  const { kind, at, actor, runs, reason, revision, fingerprint, expiresAt, source } = record;
  const { state, word } = KINDS[kind];
  const content = `content ${fingerprint.slice(0, 8)}`;
  const where = revision === null ? content : `${content}, at commit ${revision.slice(0, 8)}`;
  return (
    <li>
      <Glyph state={state} />
      <b class="strong">{word}</b>
      <span class="meta num">
        <Time at={at} />
      </span>
      <p class="more">
        by {actorName(actor)}
        {source === null ? ' on this machine' : `, vouched for by ${source}`}, {where}
      </p>
      {reason !== null && <p class="more quote">{reason}</p>}
      {expiresAt !== null && (
        <p class="more">
          ends <Time at={expiresAt} />
        </p>
      )}
      {runs.map((run) => (
        <RunRow key={`${run.cwd} ${run.command}`} run={run} isOpen={isLast && kind === 'failed'} />
      ))}
    </li>
  );
}

function RunRow({ run, isOpen }: { run: Run; isOpen: boolean }): JSX.Element {
  const { command, durationMs, outputTail, outputFile } = run;
  return (
    <div class="more run">
      <p>
        <code>{command}</code> <span class="meta">{duration(durationMs)}</span>
        {howItEnded(run)}
      </p>
      {outputTail !== '' && (
        <details open={isOpen}>
          <summary>Output</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre class="log tail" tabIndex={0}>
            {outputTail}
          </pre>
          {outputFile !== null && <p class="meta path">All of it: {outputFile}</p>}
        </details>
      )}
    </div>
  );
}

function howItEnded({ outcome, exitCode, detail }: Run): JSX.Element | null {
  if (outcome === 'exited' && exitCode === 0) return null;
  const words = {
    exited: `exit code ${exitCode}`,
    'timed-out': 'did not end in time',
    killed: `was ended: ${detail}`,
    'not-started': `did not start: ${detail}`,
  };
  return <span class="bad">, {words[outcome]}</span>;
}
