import { describe, expect, test } from 'vitest';
import type { Feature } from '../../../src/base/config/feature.ts';
import { learnedMap } from '../../../src/features/learn/map.ts';
import type { Unit } from '../../../src/features/learn/measure.ts';

interface Wish {
  readonly files: readonly string[];
  readonly units?: readonly Unit[];
  readonly dependsOn?: readonly string[];
}

const reads = (...paths: string[]): Unit => ({ all: new Set(paths), own: new Set(paths) });

function learned(
  wishes: Record<string, Wish>,
  more: Partial<Parameters<typeof learnedMap>[0]> = {},
) {
  const features = Object.entries(wishes).map(([name, { files, dependsOn = [] }]): Feature => {
    return { name, files, dependsOn, smoke: [], description: '' };
  });
  const measured = Object.entries(wishes).flatMap(([name, { units }]) =>
    units === undefined ? [] : [[name, units] as const],
  );
  const map = learnedMap({
    features,
    units: new Map(measured),
    paths: ['a/a', 'a/b', 'b/b', 'c/c', 'd/d', 'util', 'lock', 'data/x'],
    everywhere: new Set(),
    isShared: (path) => path === 'lock',
    rest: undefined,
    ...more,
  });
  return {
    ...map,
    owned: Object.fromEntries([...map.owned].map(([name, it]) => [name, [...it].sort()])),
  };
}

const FOUR = {
  a: { files: ['a/**'], units: [reads('a/a', 'util', 'lock')] },
  b: { files: ['b/**'], units: [reads('b/b', 'util')] },
  c: { files: ['c/**'], units: [reads('c/c', 'util')] },
  d: { files: ['d/**', 'util'], units: [reads('d/d', 'util')] },
};

describe('a file that was read', () => {
  test('belongs to each feature whose tests alone read it, besides what they have', () => {
    const { owned } = learned({
      a: { files: ['a/**'], units: [reads('a/a', 'util')] },
      b: { files: ['b/**'], units: [reads('b/b', 'util')] },
    });
    expect(owned).toEqual({ a: ['a/a', 'a/b', 'util'], b: ['b/b', 'util'] });
  });

  test('belongs to one feature where that one runs all that reads it', () => {
    const [one, other] = [reads('util'), reads('util', 'b/b')];
    const { owned } = learned({
      a: { files: ['a/**'], units: [one, other] },
      b: { files: ['b/**'], units: [other] },
    });
    expect(owned).toEqual({ a: ['a/a', 'a/b', 'util'], b: ['b/b'] });
  });

  test('goes to the nearest of features whose tests are the same', () => {
    const both = reads('a/a', 'b/b', 'data/x');
    const { owned } = learned({
      a: { files: ['a/**'], units: [both] },
      b: { files: ['b/**', 'data/y'], units: [both] },
    });
    expect(owned.b).toEqual(['b/b', 'data/x']);
  });

  test('is left to a dependency that has it', () => {
    const { owned } = learned({
      a: { files: ['a/**'], dependsOn: ['b'], units: [reads('a/a', 'b/b')] },
      b: { files: ['b/**'], units: [reads('b/b')] },
    });
    expect(owned.a).toEqual(['a/a', 'a/b']);
  });

  test('is left where it is if it counts for every feature', () => {
    expect(
      learned({ a: { files: ['a/**'], units: [reads('a/a', 'lock')] } }).owned.a,
    ).not.toContain('lock');
  });

  test('of more than three features goes to the rest, if its tests read as much', () => {
    const rest = new Set(['a/a', 'b/b', 'c/c', 'd/d', 'util']);
    expect(learned(FOUR, { rest })).toMatchObject({
      toRest: ['util'],
      crowded: [],
      owned: { d: ['d/d'] },
    });
    rest.delete('c/c');
    expect(learned(FOUR, { rest })).toMatchObject({ toRest: [], crowded: ['util'] });
    expect(learned(FOUR)).toMatchObject({ toRest: [], crowded: ['util'] });
  });

  test('of more than three features stays where it is while one of them taught nothing', () => {
    const rest = new Set(['a/a', 'b/b', 'c/c', 'd/d', 'util']);
    const { toRest, owned } = learned({ ...FOUR, e: { files: ['x'] } }, { rest });
    expect(toRest).toEqual([]);
    expect(owned.d).toContain('util');
  });

  test('holds no dependent that does not read it, where it would hold more than three', () => {
    const dependent = (name: string): Wish => {
      return {
        files: [`${name}/${name}`],
        dependsOn: ['core'],
        units: [reads(`${name}/${name}`, 'util')],
      };
    };
    const { owned, dependsOn, crowded } = learned({
      a: dependent('a'),
      b: dependent('b'),
      c: { ...dependent('c'), units: [reads('c/c')] },
      core: { files: ['util', 'data/**'], units: [reads('util', 'data/x')] },
    });
    expect(crowded).toEqual([]);
    expect([...dependsOn.values()].flat()).toEqual([]);
    expect(owned).toEqual({
      a: ['a/a', 'util'],
      b: ['b/b', 'util'],
      c: ['c/c'],
      core: ['data/x', 'util'],
    });
  });

  test('keeps a dependency that has what every test reads: who needs that is not known', () => {
    const dependent = (name: string): Wish => {
      return { files: [`${name}/${name}`], dependsOn: ['core'], units: [reads(`${name}/${name}`)] };
    };
    const core = { files: ['util', 'data/**'], units: [reads('data/x')] };
    const { dependsOn } = learned(
      { a: dependent('a'), b: dependent('b'), c: dependent('c'), core },
      { everywhere: new Set(['util']) },
    );
    expect(dependsOn.get('a')).toEqual(['core']);
  });
});
