import { expect, test } from 'vitest';
import { boundaries } from './reading.ts';

test.each([
  ['git remote-https origin https://example.com/r.git', 'git remote helper'],
  ['/usr/lib/git-core/git-remote-https origin https://example.com/r.git', 'git remote helper'],
  ['mvn -q compile jib:build', 'mvn deploy'],
  ['mvn com.google.cloud.tools:jib-maven-plugin:3.4.0:build', 'mvn deploy'],
])('%s is a boundary', (command, rule) => {
  expect(boundaries(command).map((it) => it.rule)).toEqual([rule]);
});

test.each(['git remote -v', 'git remote add https x', 'mvn jib:dockerBuild', 'mvn jib:buildTar'])(
  '%s is none',
  (command) => {
    expect(boundaries(command)).toEqual([]);
  },
);
