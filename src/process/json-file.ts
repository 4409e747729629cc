/** Small files by which processes tell each other facts. */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

/** `unreadable`: half a file, because somebody is still writing or the disk was full, or not ours. */
export function readJsonFile<T extends z.ZodMiniType>(
  path: string,
  shape: T,
): z.infer<T> | 'none' | 'unreadable' {
  try {
    const read = z.safeParse(shape, JSON.parse(readFileSync(path, 'utf8')));
    return read.success ? read.data : 'unreadable';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'none';
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}
