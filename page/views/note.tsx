/** One note: whether it is true, what it is about, who was told. */
import type { JSX } from 'preact';
import type { MemoryView, NoteView } from '../../src/app/view/memory.ts';
import { useView } from '../base/live.ts';
import { addressOf } from '../base/route.ts';
import { Do, type Fact, Facts, MissingPart, Nothing, Section } from '../parts/layout.tsx';
import { State } from '../parts/state.tsx';
import { Command, plural, Time } from '../parts/text.tsx';

interface Shown {
  readonly state: string;
  readonly word: string;
}

const TRUTHS: Readonly<Record<string, Shown>> = {
  true: { state: 'ok', word: 'true' },
  'to-be-confirmed': { state: 'stale', word: 'to be confirmed' },
  superseded: { state: 'cancelled', word: 'superseded' },
  archived: { state: 'cancelled', word: 'put aside' },
  suggested: { state: 'suggestions', word: 'suggested' },
};

export const truthState = (truth: string): Shown => TRUTHS[truth] ?? { state: truth, word: truth };

interface NoteDetailProps {
  readonly id: string;
  /** All notes, of which those that it is linked to are named. */
  readonly notes: MemoryView['notes'];
}

export function NoteDetail({ id, notes }: NoteDetailProps): JSX.Element {
  const { data, problem } = useView<NoteView>(`memory/${encodeURIComponent(id)}`);
  if (data === null) return <MissingPart problem={problem} />;
  const { note, told } = data;
  const { state, word } = truthState(note.truth);
  return (
    <section class="stack note" aria-label="Note" data-commands="">
      <div class="block">
        <p class="guard">
          <span class="mono path">{note.path}</span>
          <State state={state} word={word} />
        </p>
        <p class="say">{note.title}</p>
        {note.body !== '' && <p class="pre body">{note.body}</p>}
        <Drift outdated={note.outdated} />
      </div>
      <Facts facts={factsOf(note, notes)} />
      {note.truth === 'true' || note.truth === 'to-be-confirmed' ? (
        <div class="act">
          <Do
            action="confirm-note"
            with={{ note: id }}
            main={note.truth === 'to-be-confirmed'}
            kbd="y"
          >
            Confirm
          </Do>
          <Do action="reject-note" with={{ note: id }} kbd="x">
            Put aside
          </Do>
        </div>
      ) : null}
      <Command
        text={
          note.truth === 'to-be-confirmed'
            ? `lanehold note confirm ${note.id}`
            : `lanehold note show ${note.id}`
        }
      />
      <Section
        id="told"
        title="Told and used"
        command="lanehold recall stats"
        right={told.length === 0 ? null : plural(told.length, 'session')}
      >
        {told.length === 0 ? (
          <Nothing>No session was told it yet.</Nothing>
        ) : (
          <ul class="told-list">
            {told.map(({ session, agent, at, times, used }) => (
              <li key={session}>
                <a class="link mono" href={addressOf('sessions', session)}>
                  {session}
                </a>
                <span class="muted">
                  {agent}, <Time at={at} />
                  {times > 1 && `, ${times} times`}
                </span>
                {used ? <State state="ok" word="used" /> : <span class="faint">not used</span>}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </section>
  );
}

function Drift({ outdated }: Pick<NoteView['note'], 'outdated'>): JSX.Element | null {
  const parts = [
    outdated.changed.length > 0 && `changed since: ${outdated.changed.join(', ')}`,
    outdated.gone.length > 0 && `gone: ${outdated.gone.join(', ')}`,
  ].filter((it) => it !== false);
  return parts.length === 0 ? null : <p class="need path">{parts.join('; ')}</p>;
}

function factsOf(note: NoteView['note'], notes: NoteDetailProps['notes']): Fact[] {
  const { kind, files, commands, links, created, by, shared, when } = note;
  return [
    ['Kind', kind],
    files.length > 0 && ['Told before edits of', <code>{files.join('  ')}</code>],
    commands.length > 0 && ['Told before', <code>{commands.join('  ')}</code>],
    when ? ['Told with prompts about', when] : null,
    ['Written', `${created}, by ${by === 'person' ? 'a person' : by}`],
    ['Kept', shared ? 'in the repository' : 'on this machine'],
    links.length > 0 && [
      'Linked',
      links.map((it, at) => {
        const id = it.slice(it.indexOf(':') + 1);
        const sep = at > 0 && ', ';
        return (
          <span key={it}>
            {sep}
            {id.startsWith('lh-') ? (
              <a class="link" href={addressOf('memory', id)}>
                {it.slice(0, it.indexOf(':')).replace('-by', ' by')}{' '}
                {notes.find((other) => other.id === id)?.title ?? id}
              </a>
            ) : (
              it
            )}
          </span>
        );
      }),
    ],
  ];
}
