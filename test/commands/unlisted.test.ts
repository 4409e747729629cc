/** Tools without a rule: a release verb at command position is asked about, the same word elsewhere is not. */
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
  ['bosun deploy', 'bosun deploy'],
  ['ftp-deploy', 'ftp-deploy'],
  ['deploy staging', 'deploy'],
  ['git ship', 'git ship'],
  ['fastly compute publish', 'fastly compute publish'],
  ['rover subgraph publish a@prod --schema s.graphql', 'rover subgraph publish'],
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
])('%s is none', (command) => {
  expect(verdict(command)).toBe('none');
});

test.each([
  'npm publish --registry http://localhost:4873',
  'npm_config_registry=http://localhost:4873 npm publish',
  'cargo publish --index file:///tmp/index --registry file:///tmp/r',
  'mvn deploy -DaltDeploymentRepository=x::file:./target/repo',
  'docker push localhost:5000/a:1',
  'docker buildx build --push -t localhost:5000/a .',
  'kubectl --context kind-dev apply -f x.yaml',
  'helm --kube-context minikube upgrade a ./c',
  'aws --endpoint-url http://localhost:4566 s3 cp a s3://b/a',
  'curl -T a.zip http://localhost:8080/a.zip',
  'psql -h localhost -f a.sql',
  'docker compose up -d',
  'docker --context desktop-linux compose up -d',
])('%s stays on this machine', (command) => {
  expect(verdict(command)).toBe('none');
});

test.each([
  'docker -H ssh://dev@host compose up -d',
  'docker --context prod compose up -d',
  'DOCKER_HOST=ssh://host docker compose up -d',
  'docker save a | ssh host docker load',
  'tar cz dist | ssh host "tar xz -C /srv"',
  "ssh host 'cat > /srv/a.jar' < a.jar",
  'kubectl cp ./dist web-0:/srv',
  "sftp host <<< 'put -r dist'",
  'sftp -b commands.txt host',
  'rsync -avh dist/ host:/srv',
  'scp a.zip a.log host:/srv',
  'curl --data-binary @a.zip https://example.com/upload',
  'psql -h db.example.com -f a.sql',
  'podman push localhost/a docker://quay.io/a/a',
  'git push origin :old new',
  'git push origin :',
  'kamal deploy -h 10.0.0.1',
])('%s leaves it', (command) => {
  expect(verdict(command)).toBe('boundary');
});

test.each([
  'scp app.log host:/tmp',
  'kubectl cp web-0:/var/log/a.log ./a.log',
  'sftp host:/srv/a.zip .',
  "ssh host 'tail -100 /var/log/a.log'",
  "ssh host 'cat > /dev/null'",
])('%s sends nothing that is released', (command) => {
  expect(verdict(command)).toBe('none');
});

test.each([
  './gradlew publish -PossrhUsername=x',
  'gem push a.gem -xh',
  'twine upload -xn dist/a.whl',
  'ansible-playbook -zC site.yml',
  'unison dist ssh://host//srv -batch',
])('%s: letters that a tool does not declare make no dry run and no help', (command) => {
  expect(verdict(command)).toBe('boundary');
});
