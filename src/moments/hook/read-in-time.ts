/** Reads a payload from agents that may leave stdin open: up to the end of its JSON, or of their time. */
import type { Readable } from 'node:stream';
import { parsedJson } from '../../base/text/json.ts';

/** The payload, or the rest of it, is unknown: it could be a release. */
export class UnfinishedInput extends Error {
  constructor(limitMs?: number) {
    const time = limitMs && ` unfinished for ${limitMs / 1_000} s`;
    super(`the agent has left its payload${time ?? ' empty'}`);
  }
}

/** The limit is below those of all entries. */
export const OPEN_INPUT_MS = 5_000;

/**
 * Also ends at the end of the stream.
 *
 * @throws {UnfinishedInput} if neither has come in time.
 */
export function readInTime(stream: Readable, limitMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => reject(new UnfinishedInput(limitMs)), limitMs);
    const finish = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    };
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (endsObject(chunk) && parsedJson(Buffer.concat(chunks).toString('utf8')) !== undefined) {
        finish();
      }
    });
    stream.on('end', finish);
    stream.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

const endsObject = (chunk: Buffer): boolean => /\}\s*$/.test(chunk.toString('latin1').slice(-99));
