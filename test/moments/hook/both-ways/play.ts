/** Tests that play stories both ways. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { differences } from './records.ts';
import type { Story } from './stories.ts';
import { makePlace, makeWorld, type Place, type Way } from './world.ts';

export function testBothWays(stories: readonly Story[]): void {
  let place: Place;
  beforeAll(() => {
    place = makePlace();
  });
  afterAll(() => place.remove());

  test.each(stories)(
    '$name',
    async ({ agents, play, interrupted }) => {
      const told: string[][] = [];
      for (const way of ['cold', 'warm'] satisfies Way[]) {
        const world = await makeWorld(place, { agents, way });
        try {
          await play(world);
          told.push(world.told());
          const { events, byResident } = await world.answered();
          // The first one starts the resident process, and an empty input is left to Node.
          if (way === 'cold') expect(byResident).toBe(0);
          else if (!interrupted) expect(byResident).toBeGreaterThan((events - 1) * 0.85);
        } finally {
          expect(await world.end()).toBe(0);
        }
      }
      const [cold = [], warm = []] = told;
      expect(cold.length).toBeGreaterThan(5);
      expect(differences(cold, warm)).toEqual([]);
    },
    180_000,
  );
}
