/** What would not leave: the wall with what stands before it, the map of features, what the gate has answered. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HoldView } from '../../src/app/view/hold.ts';
import { shortRef } from '../../src/base/text/printable.ts';
import { shellQuoted, shellWord } from '../../src/base/text/shell-quote.ts';
import { pushesHeld, whyAlone, wouldHold } from '../../src/fronts/words/hold.ts';
import { COPY, MOVE, useKeys } from '../base/keys.ts';
import { useView } from '../base/live.ts';
import { useOnce } from '../base/once.ts';
import { addressOf } from '../base/route.ts';
import { Graph } from '../parts/graph.tsx';
import { Empty, Head, Missing, MissingPart, Nothing, Section } from '../parts/layout.tsx';
import { Glyph, State } from '../parts/state.tsx';
import { actorName, Command, plural, Rich, Time } from '../parts/text.tsx';
import { FeatureDetail } from './feature.tsx';
import { glyphOf, stateWord } from './feature-state.ts';
import type { ViewProps } from './props.ts';

type Tree = HoldView['trees'][number];
type Feature = HoldView['features'][number];

export function Hold({ name }: ViewProps): JSX.Element {
  const { data, problem } = useView<HoldView>('hold');
  useKeys([...(data?.features.length ? [{ ...MOVE, does: 'feature' }] : []), COPY]);
  if (data === null) return <Missing title="Hold" problem={problem} />;
  const { features, trees } = data;
  if (features.length === 0) return <NothingRegistered />;
  const selected = name ?? firstOf(data);
  return (
    <>
      <Head title={titleOf(data)} sub={subOf(data)} />
      <div class="hold">
        <Wall trees={distinct(trees)} />
        <Section id="map" title="Features" command="lanehold feature list">
          <Graph
            label="Features, and what depends on them"
            nodes={features.map(nodeOf)}
            edges={features.flatMap(({ name: to, dependsOn }) =>
              dependsOn.map((from): [string, string] => [from, to]),
            )}
            selected={selected}
          />
        </Section>
        {selected !== null && (
          <FeatureDetail
            key={selected}
            name={selected}
            isChosen={name !== null}
            states={features.find((it) => it.name === selected)?.states ?? []}
            trees={trees}
          />
        )}
        <Answers answers={data.answers} />
        <Uncovered coverage={data.coverage} />
      </div>
    </>
  );
}

function NothingRegistered(): JSX.Element {
  return (
    <>
      <Head title="Nothing is registered" />
      <Empty
        title="A feature is a name, its files and the command that proves it."
        why="Until there is one, nothing is held here. `lanehold init` sets the project up: the hooks of your agents, and features that it proposes and tries."
        command="lanehold init"
      />
    </>
  );
}

/** The one that a person has to do something about, else the first. */
const firstOf = ({ features, trees }: HoldView): string | null =>
  trees.flatMap(({ held }) => held).at(0)?.feature ?? features[0]?.name ?? null;

const heldPushesOf = (trees: readonly Tree[]): number =>
  trees.filter(({ push, held }) => push !== null && held.length > 0).length;

function titleOf({ features, trees }: HoldView): string {
  const own = trees.filter(({ push }) => push === null);
  const held = new Set(own.flatMap((tree) => tree.held.map((it) => it.feature))).size;
  const pushes = heldPushesOf(trees);
  return held === 0 && pushes > 0
    ? pushesHeld(pushes)
    : wouldHold(held, features.length, own[0]?.branch ?? null);
}

function subOf({ features, trees }: HoldView): string {
  const pushes = heldPushesOf(trees);
  if (pushes > 0) return pushesHeld(pushes);
  const proven = features.filter(({ states: [own] }) => own?.state === 'verified').length;
  return `${proven} of ${plural(features.length, 'feature')} verified as they are now`;
}

const heldKey = ({ held }: Tree): string =>
  held.map(({ feature, fingerprint }) => `${feature} ${fingerprint}`).join('\n');

/** A commit of which the same is held as of what stands beside it is said together with that. */
function distinct(trees: readonly Tree[]): (Tree & { readonly also: string | null })[] {
  const head = trees.find(({ id }) => id === 'HEAD');
  const worktree = trees.find(({ id }) => id === 'worktree');
  const isTwice =
    head !== undefined &&
    (trees.some(({ push, oid }) => push !== null && oid === head.oid) ||
      (worktree !== undefined && heldKey(worktree) === heldKey(head)));
  return trees
    .filter((tree) => tree !== head || !isTwice)
    .map((tree) => ({
      ...tree,
      also: isTwice && tree === worktree && heldKey(tree) === heldKey(head) ? head.oid : null,
    }));
}

function Wall({ trees }: { trees: readonly (Tree & { also: string | null })[] }): JSX.Element {
  return (
    <div class="wall">
      {trees.map((tree, at) => (
        <div key={tree.id} class="gate" data-commands="" data-open={tree.verdict === 'pass'}>
          <div class="here">
            <p>
              <b class="mono">{tree.branch ?? 'no branch'}</b>
              <span class="muted">, {whatStands(tree)}</span>
            </p>
            <Held tree={tree} before={trees[at - 1]} />
            {tree.uncovered.map((text) => (
              <p key={text} class="muted">
                {text}
              </p>
            ))}
            {tree.verify !== null && <Command text={lineThrough(tree, tree.verify)} />}
          </div>
          <div class="bar-between" aria-hidden="true" />
          <div class="there">
            {tree.push === null ? <p>a push of it</p> : <p class="mono">{remoteOf(tree.push)}</p>}
            <p class="meta">
              <Beyond tree={tree} />
            </p>
          </div>
        </div>
      ))}
    </div>
  );
}

/** What is held of two trees is said once, if it is the same. */
function Held({ tree, before }: { tree: Tree; before: Tree | undefined }): JSX.Element {
  if (tree.held.length === 0) {
    return (
      <p>
        <State state="verified" word="nothing of it would be held" />
      </p>
    );
  }
  if (before !== undefined && tree.held.length > 1 && heldKey(before) === heldKey(tree)) {
    return (
      <p class="held-row">
        <Glyph state="held" word="held" />
        <span class="muted">
          the same {tree.held.length}: {tree.held.map(({ feature }) => feature).join(', ')}
        </span>
      </p>
    );
  }
  return (
    <ul class="block">
      {tree.held.map((it) => (
        <HeldRow key={it.feature} name={it.feature} why={it.why} />
      ))}
    </ul>
  );
}

function HeldRow({ name, why }: { name: string; why: string }): JSX.Element {
  return (
    <li class="held-row">
      <Glyph state="held" word="held" />
      <span>
        <a class="mono strong" href={addressOf('hold', name)}>
          {name}
        </a>{' '}
        <span class="muted">
          <Rich text={whyAlone(why, name)} />
        </span>
      </span>
    </li>
  );
}

function whatStands({ oid, push, also }: Tree & { also: string | null }): string {
  if (oid === null) return also === null ? 'working tree' : `working tree and ${commit(also)}`;
  return push === null ? commit(oid) : `${commit(oid)}, whose push was held`;
}

const commit = (oid: string): string => `commit ${oid.slice(0, 8)}`;

type Push = NonNullable<Tree['push']>;

const remoteOf = ({ remote, destination }: Push): string => `${remote}/${shortRef(destination)}`;

/** What lets it through, and for a push that was refused the push itself. */
function lineThrough({ push }: Tree, verify: string): string {
  if (push === null) return verify;
  const [source, destination] = [shortRef(push.source), shortRef(push.destination)];
  const what = source === destination ? source : `${source}:${destination}`;
  return `${verify} && git push ${shellWord(push.remote)} ${shellWord(what)}`;
}

function Beyond({ tree: { push, verdict } }: { tree: Tree }): JSX.Element {
  if (push === null) {
    return (
      <>{verdict === 'pass' ? 'may leave' : verdict === 'ask' ? 'asks you' : 'would be held'}</>
    );
  }
  if (verdict === 'pass') return <>may leave now: push it again</>;
  return (
    <>
      held for <Time at={push.firstAt} ago={false} />, tried {plural(push.tries, 'time')}
    </>
  );
}

const UNKNOWN = { tree: '', state: 'not-verified', held: null } as const;

function nodeOf({ name, fileCount, states }: Feature) {
  const [own = UNKNOWN, ...others] = states;
  const different = others.filter((it) => glyphOf(it) !== glyphOf(own));
  return {
    id: name,
    title: name,
    about: `${plural(fileCount, 'file')}, ${stateWord(own)}`,
    href: addressOf('hold', name),
    command: `lanehold feature verify ${shellWord(name)}`,
    glyph: <Glyph state={glyphOf(own)} />,
    marks: different.map((it) => ({
      word: `${it.tree}: ${stateWord(it)}`,
      glyph: <Glyph state={glyphOf(it)} />,
    })),
  };
}

type Answer = HoldView['answers'][number];

const ANSWERS = {
  deny: { state: 'held', word: 'held' },
  ask: { state: 'suggestions', word: 'asked' },
  pass: { state: 'passed', word: 'let through' },
  waived: { state: 'passed', word: 'waived' },
  attested: { state: 'passed', word: 'attested' },
} as const;

const FIRST_ANSWERS = 12;

function Answers({ answers }: { answers: readonly Answer[] }): JSX.Element {
  return (
    <Section id="answers" title="What the gate answered" command="lanehold log">
      {answers.length === 0 ? (
        <Nothing>Nobody has pushed or published yet.</Nothing>
      ) : (
        <ol class="answers">
          {answers.slice(0, FIRST_ANSWERS).map((it) => (
            <AnswerRow key={`${it.at} ${it.command} ${it.subject}`} answer={it} />
          ))}
        </ol>
      )}
      {answers.length > FIRST_ANSWERS && (
        <p class="muted nothing">and {answers.length - FIRST_ANSWERS} earlier ones</p>
      )}
    </Section>
  );
}

function AnswerRow({ answer }: { answer: Answer }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { at, actor, event, command, reason, subject } = answer;
  const { state, word } = ANSWERS[event];
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="when faint">
            <Time at={at} />
          </span>
          <span class="who">{actorName(actor)}</span>
          <code class="cut">{command === '' ? subject : command}</code>
          <State state={state} word={word} />
        </summary>
        <div class="why-not block" data-commands="">
          {reason === '' ? null : <p class="pre">{reason}</p>}
          {command !== '' && isOpen && <Explained command={command} />}
        </div>
      </details>
    </li>
  );
}

/** What the gate would answer now, and what it has found in the command. */
function Explained({ command }: { command: string }): JSX.Element {
  const query = new URLSearchParams({ command });
  const { data, problem } = useOnce<{ explanation: string }>(`gate?${query}`);
  return (
    <>
      <h3>What it would answer now, and what it finds in the command</h3>
      {data === null ? (
        <MissingPart problem={problem} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <pre class="log tail" tabIndex={0}>
          {data.explanation}
        </pre>
      )}
      <Command text={`lanehold gate --explain --command ${shellQuoted(command)}`} />
    </>
  );
}

const MOST_FILES = 60;

function Uncovered({ coverage }: { coverage: HoldView['coverage'] }): JSX.Element {
  const { uncovered, total } = coverage;
  return (
    <Section
      id="uncovered"
      title="Files that belong to no feature"
      right={`${uncovered.length} of ${total}`}
      command="lanehold feature coverage"
    >
      {uncovered.length === 0 ? (
        <Nothing>Each file belongs to a feature.</Nothing>
      ) : (
        <>
          <ul class="files">
            {uncovered.slice(0, MOST_FILES).map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
          {uncovered.length > MOST_FILES && (
            <p class="muted nothing">and {uncovered.length - MOST_FILES} more</p>
          )}
        </>
      )}
    </Section>
  );
}
