/** The ports that a worker was given, for a supervisor that takes over. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../files/json-file.ts';

/** Each becomes the name of a lock, and a worker may have changed the file. */
const Port = z.int().check(z.minimum(1), z.maximum(65_535));
const Ports = z.array(Port).check(z.maxLength(1_000));

export function writePorts(dir: string, ports: readonly number[]): void {
  writeJsonFile(fileIn(dir), ports);
}

/** `undefined` if there are none yet. */
export function readPorts(dir: string): readonly number[] | undefined {
  const ports = readJsonFile(fileIn(dir), Ports);
  return typeof ports === 'string' ? undefined : ports;
}

const fileIn = (dir: string): string => join(dir, 'ports.json');
