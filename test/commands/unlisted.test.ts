/**
 * What no rule is about: a release verb at command position is asked about, the same word elsewhere is
 * not.
 */
import { expect, test } from 'vitest';
import { boundaries, verdict } from './reading.ts';

test.each([
  ['acme deploy --env prod', 'acme deploy'],
  ['acme --env prod deploy', 'acme deploy'],
  ['acme app deploy web', 'acme app deploy'],
  ['acme app:deploy', 'acme app:deploy'],
  ['acme deploy:production', 'acme deploy:production'],
  ['acme publishAll', 'acme publishAll'],
  ['acme release-react app ios', 'acme release-react'],
  ['acme deploy -h web1 -n 3', 'acme deploy'],
  ['acme deploy --version 1.0', 'acme deploy'],
  ['npx -y acme@2 publish', 'acme publish'],
  ['sudo ./bin/acmectl promote web staging prod', 'acmectl promote'],
  ['ftp-deploy', 'ftp-deploy'],
  ['deploy staging', 'deploy'],
  ['git ship', 'git ship'],
  // The tool has rules, but none about this command.
  ['vercel ship', 'vercel ship'],
  ['gh --repo a/b stack ship', 'gh stack ship'],
  ['mvn com.acme:tool:publish', 'mvn com.acme:tool:publish'],
  ['fastlane submit', 'fastlane submit'],
  ['cap production publish', 'cap production publish'],
  ['modal --env prod app deploy', 'modal app deploy'],
  ['acme compute publish', 'acme compute publish'],
  ['acme subgraph publish a@prod --schema s.graphql', 'acme subgraph publish'],
])('%s is a release by its name', (command, rule) => {
  expect(boundaries(command)).toMatchObject([{ kind: 'release', rule, isUnlisted: true }]);
});

test.each([
  // It is only looked at, tried or taken back.
  'acme deploy --help',
  'acme deploy -h',
  'acme publish --dry-run',
  'acme release list',
  'acme release view v1',
  'acme deploy status web',
  'acme deploy:check',
  'acme release-notes',
  'acme pre-release',
  'acme unpublish web',
  'acme deploy --registry http://localhost:4873',
  // The word is data.
  'cat deploy',
  'ls release publish',
  'cd deploy',
  'rg publish src',
  'pytest deploy',
  'jest publish',
  'vim release',
  'tar czf release.tgz deploy',
  'tmux new-session -d -s deploy',
  'acme run deploy.yml',
  'acme get deploy',
  'acme build release',
  'npx create-acme deploy',
  'apt install upload',
  'redis-cli publish channel x',
  // The tool is known, and the word stays on the machine.
  'dotnet publish -c Release',
  'mix release',
  'git stash push -m x',
  'git flow release start 1.0',
  'git switch deploy',
  'cargo release --help',
  'prisma db push',
  'docker compose up release',
  'kubectl get deploy',
  './gradlew assembleRelease',
  'pm2 restart deploy',
  'composer show publish',
  'rsync -a dist deploy',
  'scp release deploy',
  'ansible deploy -m ping',
  'salt deploy test.ping',
  'mvn release:clean',
  'release-plz update',
])('%s is none', (command) => {
  expect(verdict(command)).toBe('none');
});
