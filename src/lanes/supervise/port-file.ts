/** The ports that a worker was told, for whoever takes over from its supervisor. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../files/json-file.ts';

/** Each becomes the name of a lock: what a worker may have put there is no reason to make others. */
const Port = z.int().check(z.minimum(1), z.maximum(65_535));
const Ports = z.array(Port).check(z.maxLength(1_000));

export function writePorts(dir: string, ports: readonly number[]): void {
  writeJsonFile(fileIn(dir), ports);
}

/** `undefined` if it has not been told any yet. */
export function readPorts(dir: string): readonly number[] | undefined {
  const ports = readJsonFile(fileIn(dir), Ports);
  return typeof ports === 'string' ? undefined : ports;
}

const fileIn = (dir: string): string => join(dir, 'ports.json');
