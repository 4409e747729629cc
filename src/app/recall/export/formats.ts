/** The forms of an export: lines with parts of a graph, documents for people, statements for a graph database. */
import type { GraphNode, GraphPart, NodeName, Value } from './graph.ts';

export const EXPORT_FORMATS = ['jsonl', 'markdown', 'cypher'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const WRITERS: Readonly<
  Record<ExportFormat, (parts: Iterable<GraphPart>) => Generator<string>>
> = { jsonl, markdown, cypher };

function* jsonl(parts: Iterable<GraphPart>): Generator<string> {
  for (const part of parts) {
    const line =
      'link' in part
        ? { link: part.link, from: part.from[1], to: part.to[1] }
        : { node: part.name[0], id: part.name[1], ...part.values };
    yield `${JSON.stringify(line)}\n`;
  }
}

/** Sessions with their events, notes and the rest under headings; links are left out. */
function* markdown(parts: Iterable<GraphPart>): Generator<string> {
  let heading = '';
  for (const part of parts) {
    if ('link' in part || part.name[0] === 'File') continue;
    const [kind] = part.name;
    if (kind in HEADINGS && kind !== heading) {
      yield `\n## ${HEADINGS[kind]}\n`;
      heading = kind;
    }
    yield (ENTRIES[kind] ?? section)(part);
  }
}

const ENTRIES: Readonly<Record<string, (part: GraphNode) => string>> = {
  Project: ({ values }) => `# ${oneLine(values.title)}\n`,
  Commit: ({ name: [, id], values }) => `- ${oneLine(values.at)} ${id} ${oneLine(values.title)}\n`,
  Event: eventLine,
};

const HEADINGS: Readonly<Record<string, string>> = {
  Feature: 'Features',
  Run: 'Runs and lanes',
  Lane: 'Lanes',
  Commit: 'Commits',
  Session: 'Sessions',
  Note: 'Notes',
};

function section({ name: [, id], values }: GraphNode): string {
  const { title, text, ...rest } = values;
  const facts = Object.entries(rest).map(([key, value]) => `- ${key}: ${oneLine(value)}\n`);
  const quoted = text === undefined ? '' : `\n${quote(String(text))}\n`;
  return `\n### ${title === undefined ? id : `${oneLine(title)} (${id})`}\n\n${facts.join('')}${quoted}\n`;
}

function eventLine({ values: { at, kind, title, category, outcome, files, text } }: GraphNode) {
  const facts = [at, kind, title, category, outcome, files].filter((it) => it !== undefined);
  const said = text === undefined ? '' : `\n${quote(String(text)).replaceAll(/^/gm, '  ')}`;
  return `- ${facts.map(oneLine).join(' ')}${said}\n`;
}

const oneLine = (value: Value | undefined): string =>
  (typeof value === 'object' ? value.join(', ') : String(value ?? '')).replaceAll(/\s+/g, ' ');

const quote = (text: string): string => text.replaceAll(/^/gm, '> ');

const BATCH = 500;

/**
 * Statements that a graph database reads: a constraint for each kind of node, then nodes and links, up to 500 in one
 * statement. Loading them again changes nothing.
 */
function* cypher(parts: Iterable<GraphPart>): Generator<string> {
  for (const kind of Object.keys({ Project: '', File: '', Event: '', ...HEADINGS }).sort()) {
    yield `CREATE CONSTRAINT lanehold_${kind.toLowerCase()} IF NOT EXISTS FOR (n:${kind}) REQUIRE n.id IS UNIQUE;\n`;
  }
  const nodes = new Map<string, string[]>();
  const links = new Map<string, string[]>();
  for (const part of parts) {
    const isLink = 'link' in part;
    const statement = isLink ? linking(part.link, part.from, part.to) : merging(part.name);
    const row = isLink
      ? { from: part.from[1], to: part.to[1] }
      : { id: part.name[1], ...part.values };
    const batches = isLink ? links : nodes;
    const batch = batches.get(statement) ?? [];
    batches.set(statement, batch);
    if (batch.push(literal(row)) < BATCH) continue;
    // A link needs its nodes.
    if (isLink) yield* flushed(nodes);
    yield* flushed(batches, statement);
  }
  yield* flushed(nodes);
  yield* flushed(links);
}

function* flushed(batches: Map<string, string[]>, only?: string): Generator<string> {
  for (const [statement, rows] of batches) {
    if (only !== undefined && only !== statement) continue;
    yield `UNWIND [\n${rows.join(',\n')}\n] AS row ${statement};\n`;
    batches.delete(statement);
  }
}

const merging = ([kind]: NodeName): string => `MERGE (n:${kind} {id: row.id}) SET n += row`;

const linking = (kind: string, [from]: NodeName, [to]: NodeName): string =>
  `MATCH (a:${from} {id: row.from}) MATCH (b:${to} {id: row.to}) MERGE (a)-[:${kind}]->(b)`;

function literal(value: Value | Readonly<Record<string, Value>>): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const entries = Object.entries(value).map(([key, it]) => `${key}: ${literal(it)}`);
  return `{${entries.join(', ')}}`;
}

/** The text as a literal: it cannot end the literal, its line or the statement. */
function text(value: string): string {
  const escaped = value.toWellFormed().replaceAll(/[\\'\p{Cc}\u2028\u2029]/gu, (it) => {
    if (it === '\\' || it === "'") return `\\${it}`;
    return `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `'${escaped}'`;
}
