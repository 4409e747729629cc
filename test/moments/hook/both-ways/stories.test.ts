/** Whatever answers an event, a Node of its own or the resident process: the same bytes, the same rows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { differences } from './records.ts';
import { stories } from './stories.ts';
import { makePlace, makeWorld, type Place, type Way } from './world.ts';

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

// Without a resident process it is shown that a story is the same when it is played again.
test.each(stories())(
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
