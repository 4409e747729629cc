/** Exports the records of a project in a form that other programs read. */
import { resolve } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { PRIVATE, replaceFile } from '../../../base/files/replace-file.ts';
import { takeLateNow } from '../../../recall/late.ts';
import { type AppContext, openProject } from '../../context.ts';
import { type ExportFormat, WRITERS } from './formats.ts';
import { projectGraph } from './graph.ts';

/**
 * The number of exported nodes and links, and the file; `null` if the text went to `write`.
 *
 * @param out a file that only its owner may read; `undefined`: each piece of the text goes to `write`.
 * @throws {UsageError} if the file cannot be written.
 */
export async function exportProject(
  context: AppContext,
  { format, out }: { readonly format: ExportFormat; readonly out?: string | undefined },
  write: (text: string) => void,
) {
  const workspace = await openProject(context);
  takeLateNow(workspace.store);
  const graph = await projectGraph(workspace);
  const counts = { nodes: 0, links: 0 };
  const text = WRITERS[format](counted());
  if (out === undefined) for (const piece of text) write(piece);
  const file = out === undefined ? null : resolve(context.cwd, out);
  if (file !== null) writeTo(file, text);
  return { format, ...counts, file };

  function* counted() {
    for (const part of graph) {
      counts['link' in part ? 'links' : 'nodes'] += 1;
      yield part;
    }
  }
}

function writeTo(file: string, text: Iterable<string>): void {
  try {
    replaceFile(file, text, { mode: PRIVATE });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`cannot write ${file}: ${why}`, { hint: 'name another file', cause });
  }
}
