/** The ports that a worker was told, for whoever takes over from its supervisor. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile } from '../../process/json-file.ts';

const Ports = z.array(z.int());

export function writePorts(dir: string, ports: readonly number[]): void {
  const file = fileIn(dir);
  writeFileSync(`${file}.tmp`, JSON.stringify(ports), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

/** `undefined` if it has not been told any yet. */
export function readPorts(dir: string): readonly number[] | undefined {
  const ports = readJsonFile(fileIn(dir), Ports);
  return typeof ports === 'string' ? undefined : ports;
}

const fileIn = (dir: string): string => join(dir, 'ports.json');
