/** What a supervisor holds while it lives; the kernel releases the locks if it is killed. */

import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../files/json-file.ts';
import type { PortLease } from '../../process/ports.ts';
import type { Slot } from '../../process/slots.ts';

export type Resources = ReturnType<typeof resources>;

export function resources() {
  let slot: Slot | undefined;
  let lease: PortLease | undefined;
  const releaseSlot = (): void => {
    slot?.release();
    slot = undefined;
  };
  return {
    keepSlot(next: Slot): void {
      releaseSlot();
      slot = next;
    },
    keepPorts(next: PortLease): void {
      lease?.release();
      lease = next;
    },
    ports: (): readonly number[] => lease?.ports ?? [],
    /** The worker has ended: another one may start. */
    releaseSlot,
    releaseAll(): void {
      releaseSlot();
      lease?.release();
      lease = undefined;
    },
  };
}

/** The ports are saved for a supervisor that takes over. Each becomes the name of a lock, and a worker may have changed the file. */
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
