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
  async ({ agents, play }) => {
    const told: string[][] = [];
    for (const way of ['cold', 'warm'] satisfies Way[]) {
      const world = await makeWorld(place, { agents, way });
      try {
        await play(world);
        told.push(world.told());
        if (way === 'warm' && world.asksResident()) expect(world.resident()).toBeDefined();
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
