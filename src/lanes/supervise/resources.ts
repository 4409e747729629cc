/** What a supervisor holds while it lives; the kernel releases the locks if it is killed. */
import type { PortLease } from '../../process/ports.ts';
import type { Slot } from '../../process/slots.ts';

export interface Resources {
  keepSlot(slot: Slot): void;
  keepPorts(lease: PortLease): void;
  ports(): readonly number[];
  /** The worker has ended: another one may start. */
  releaseSlot(): void;
  releaseAll(): void;
}

export function resources(): Resources {
  let slot: Slot | undefined;
  let lease: PortLease | undefined;
  const releaseSlot = (): void => {
    slot?.release();
    slot = undefined;
  };
  return {
    keepSlot(next) {
      releaseSlot();
      slot = next;
    },
    keepPorts(next) {
      lease?.release();
      lease = next;
    },
    ports: () => lease?.ports ?? [],
    releaseSlot,
    releaseAll() {
      releaseSlot();
      lease?.release();
      lease = undefined;
    },
  };
}
