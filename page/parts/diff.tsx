/**
 * The changes of a lane by file. Only the lines near the window are in the document; colours come when
 * the code for them is loaded, and for a few lines at a time.
 */
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Token } from './highlight.ts';
import { onDemand } from './loaded.ts';
import { type FileChange, type Hunk, happenedTo, hunksOf, type Line, lineCount } from './patch.ts';
import { VirtualList } from './virtual-list.tsx';

export interface LineComment {
  readonly path: string;
  readonly line: number;
  /** Its number is one of the old file. */
  readonly isGone: boolean;
  readonly text: string;
}

export interface DiffProps {
  readonly files: readonly FileChange[];
  /** Whose changes these are, for a reader who does not see where they stand. */
  readonly who?: string;
  /** Takes a comment on a line and returns whether it has gone; without this none can be written. */
  readonly onComment?: ((comment: LineComment) => Promise<boolean>) | undefined;
}

/** A file with more lines than this is folded at first: mostly nobody wrote it by hand. */
const LONG_FILE_LINES = 2_000;
/** Files after these are folded at first, because nobody reads so much at one go. */
const OPEN_LINES = 20_000;
const ROW_PX = 20;
/** So many lines get their colours at one time, which takes less than a frame. */
const COLOURED_AT_ONCE = 100;

type Row =
  | { readonly kind: 'file'; readonly file: FileChange }
  | { readonly kind: 'hunk'; readonly title: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'line'; readonly file: FileChange; readonly line: Line; readonly part: Part }
  | { readonly kind: 'form'; readonly file: FileChange; readonly line: Line };

type Keyed = Row & { readonly key: string };

/** Lines of a hunk that get their colours together. */
interface Part {
  readonly lines: readonly Line[];
  readonly first: number;
  colours?: ReadonlyMap<Line, Token[]>;
}

const useHighlighter = onDemand(() => import('./highlight.ts'));
type Highlighter = typeof import('./highlight.ts');

export function Diff({ files, who, onComment }: DiffProps): JSX.Element {
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const [commented, setCommented] = useState<string | null>(null);
  const folded = useMemo(() => foldedAtFirst(files), [files]);
  const isFolded = useCallback(
    (path: string) => folded.has(path) !== flipped.has(path),
    [folded, flipped],
  );
  const rows = useMemo(() => rowsOf(files, isFolded, commented), [files, isFolded, commented]);
  const region = useRef<HTMLDivElement>(null);
  const drafts = useRef(new Map<string, string>());
  const highlighter = useHighlighter();

  const flip = (path: string) =>
    setFlipped((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  const close = () => setCommented(null);
  const draw = (row: Keyed) => {
    switch (row.kind) {
      case 'file':
        return <FileHead file={row.file} folded={isFolded(row.file.path)} onFlip={flip} />;
      case 'hunk':
        return <code>{row.title}</code>;
      case 'note':
        return <p class="diff-note">{row.text}</p>;
      case 'line':
        return (
          <LineCells
            {...row}
            highlighter={highlighter}
            onComment={onComment && (() => setCommented(row.key === commented ? null : row.key))}
          />
        );
      case 'form':
        return <CommentForm {...row} drafts={drafts.current} send={onComment} close={close} />;
    }
  };
  return (
    <section
      ref={region}
      class="diff"
      aria-label={`Changes${who === undefined ? '' : ` of ${who}`}`}
      onKeyDown={(event) => moveByKey(event, region.current)}
    >
      <VirtualList
        count={rows.length}
        estimate={(index) => (rows[index]?.kind === 'file' ? 40 : ROW_PX)}
        keyOf={(index) => rows[index]?.key ?? String(index)}
        rowClass={(index) => rowClass(rows[index])}
      >
        {(index) => {
          const row = rows[index];
          return row === undefined ? null : draw(row);
        }}
      </VirtualList>
    </section>
  );
}

function FileHead({
  file,
  folded,
  onFlip,
}: {
  file: FileChange;
  folded: boolean;
  onFlip: (path: string) => void;
}) {
  return (
    <h3 class="diff-file">
      <button type="button" aria-expanded={!folded} onClick={() => onFlip(file.path)}>
        <span class="path">{file.path}</span>
        <span class="meta">{happenedTo(file)}</span>
        <span class="counts">
          <b class="plus">+{file.added}</b> <b class="minus">−{file.removed}</b>
        </span>
      </button>
    </h3>
  );
}

const MARKS = {
  '+': { element: 'ins', word: ', added' },
  '-': { element: 'del', word: ', removed' },
  ' ': { element: 'code', word: '' },
  '\\': { element: 'code', word: '' },
} as const;

function LineCells({
  file,
  line,
  part,
  highlighter,
  onComment,
}: Extract<Row, { kind: 'line' }> & {
  highlighter: Highlighter | null;
  onComment: (() => void) | undefined;
}) {
  const { element: Content, word } = MARKS[line.sign];
  const tokens = tokensOf(file, line, part, highlighter).map(([text, className], index) =>
    className === '' ? (
      text
    ) : (
      <span key={index} class={className}>
        {text}
      </span>
    ),
  );
  return (
    <>
      {onComment && line.sign !== '\\' ? (
        <button
          type="button"
          class="no"
          data-line=""
          tabIndex={-1}
          aria-label={`Comment on line ${line.no}${word}`}
          onClick={onComment}
        >
          {line.no}
        </button>
      ) : (
        <span class="no">{line.sign === '\\' ? '' : line.no}</span>
      )}
      <Content>{tokens}</Content>
    </>
  );
}

function rowClass(row: Row | undefined): string {
  if (row?.kind === 'hunk') return 'diff-line hunk';
  if (row?.kind !== 'line') return '';
  return row.line.sign === '\\' ? 'diff-line faint' : 'diff-line';
}

function CommentForm({
  file,
  line,
  drafts,
  send,
  close,
}: {
  file: FileChange;
  line: Line;
  /** What was begun and not sent outlives the row, which goes when it is scrolled away. */
  drafts: Map<string, string>;
  send: DiffProps['onComment'];
  close: () => void;
}) {
  const place = `${line.sign}${line.no} ${file.path}`;
  const [text, setText] = useState(drafts.get(place) ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === '' || send === undefined) return;
    const comment = { path: file.path, line: line.no, text: text.trim() };
    if (!(await send({ ...comment, isGone: line.sign === '-' }))) return;
    drafts.delete(place);
    close();
  };
  return (
    <form class="diff-form" onSubmit={submit}>
      <label>
        Comment on line {line.no} of {file.path}: the worker reads it at its next step
        <textarea
          ref={field}
          rows={3}
          value={text}
          onInput={({ currentTarget }) => {
            drafts.set(place, currentTarget.value);
            setText(currentTarget.value);
          }}
          onKeyDown={({ key }) => key === 'Escape' && close()}
        />
      </label>
      <div class="act">
        <button type="submit" class="btn main" disabled={text.trim() === ''}>
          Send <kbd>ctrl ↵</kbd>
        </button>
        <button type="button" class="btn" onClick={close}>
          Close <kbd>esc</kbd>
        </button>
      </div>
    </form>
  );
}

function foldedAtFirst(files: readonly FileChange[]): ReadonlySet<string> {
  const folded = new Set<string>();
  let open = 0;
  for (const file of files) {
    const lines = lineCount(file);
    open += lines;
    if (files.length > 1 && (lines > LONG_FILE_LINES || open > OPEN_LINES)) folded.add(file.path);
  }
  return folded;
}

function rowsOf(
  files: readonly FileChange[],
  isFolded: (path: string) => boolean,
  commented: string | null,
): Keyed[] {
  const rows = files.flatMap((file): Keyed[] => {
    const head: Keyed = { kind: 'file', file, key: `file ${file.path}` };
    return isFolded(file.path) ? [head] : [head, ...rowsOfFile(file)];
  });
  const at = rows.findIndex((row) => row.kind === 'line' && row.key === commented);
  const row = rows[at];
  if (row?.kind === 'line') {
    rows.splice(at + 1, 0, { ...row, kind: 'form', key: `form ${row.key}` });
  }
  return rows;
}

const HUNKS = new WeakMap<FileChange, Hunk[]>();

/** The hunks of a file are the same objects each time, so that their lines keep their colours. */
function hunksOfFile(file: FileChange): Hunk[] {
  const known = HUNKS.get(file);
  if (known !== undefined) return known;
  const asText = file.patch.split('\n').map((text): Line => ({ sign: '\\', no: 0, text }));
  const hunks = hunksOf(file.patch) ?? [{ title: 'not a patch that can be read', lines: asText }];
  HUNKS.set(file, hunks);
  return hunks;
}

function rowsOfFile(file: FileChange): Keyed[] {
  const { path, binary } = file;
  const hunks = hunksOfFile(file);
  if (hunks.length === 0) {
    const text = binary ? 'A binary file has no lines to show' : 'None of its lines has changed';
    return [{ kind: 'note', text, key: `note ${path}` }];
  }
  return hunks.flatMap(({ title, lines }, index): Keyed[] => [
    { kind: 'hunk', title, key: `hunk ${index} ${path}` },
    ...partsOf(lines).flatMap((part) =>
      part.lines.map((line, offset): Keyed => {
        const key = `${index} ${part.first + offset} ${path}`;
        return { kind: 'line', file, line, part, key };
      }),
    ),
  ]);
}

const PARTS = new WeakMap<readonly Line[], Part[]>();

function partsOf(lines: readonly Line[]): Part[] {
  let parts = PARTS.get(lines);
  if (parts === undefined) {
    parts = [];
    for (let first = 0; first < lines.length; first += COLOURED_AT_ONCE) {
      parts.push({ lines: lines.slice(first, first + COLOURED_AT_ONCE), first });
    }
    PARTS.set(lines, parts);
  }
  return parts;
}

function tokensOf(
  file: FileChange,
  line: Line,
  part: Part,
  loaded: Highlighter | null,
): readonly Token[] {
  const plain: Token[] = [[line.text, '']];
  if (loaded === null || line.sign === '\\') return plain;
  part.colours ??= coloursOf(part.lines, file.path, loaded);
  return part.colours.get(line) ?? plain;
}

/** What was and what is are two texts: one in which a line stands twice has no meaning. */
function coloursOf(
  lines: readonly Line[],
  path: string,
  loaded: Highlighter,
): ReadonlyMap<Line, Token[]> {
  const colours = new Map<Line, Token[]>();
  const language = loaded.languageOf(path);
  if (language === undefined) return colours;
  for (const [gone, own] of [
    ['+', '-'],
    ['-', '+'],
  ]) {
    if (!lines.some(({ sign }) => sign === own) && (own === '-' || colours.size > 0)) continue;
    const side = lines.filter(({ sign }) => sign !== gone && sign !== '\\');
    const tokens = loaded.tokensByLine(side.map(({ text }) => text).join('\n'), language);
    side.forEach((line, index) => {
      colours.set(line, tokens[index] ?? [[line.text, '']]);
    });
  }
  return colours;
}

/** Up and down go from line to line once one of them has the focus. */
function moveByKey(event: KeyboardEvent, region: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const from = document.activeElement;
  if (step === undefined || region === null || !(from instanceof HTMLButtonElement)) return;
  const stops = [...region.querySelectorAll<HTMLElement>('[data-line], .diff-file > button')];
  const to = stops[stops.indexOf(from) + step];
  if (to === undefined) return;
  event.preventDefault();
  to.focus();
}
