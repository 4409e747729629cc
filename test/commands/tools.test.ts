/** How the rules of tools are applied. What each of them finds stands in its examples: `rules.test.ts`. */
import { describe, expect, test } from 'vitest';
import { boundaries, verdict } from './reading.ts';

const RELEASING: Readonly<Record<string, readonly string[]>> = {
  push: [
    'git push',
    'git --unheard-of push',
    'git --unheard-of value push',
    'git.exe push',
    'Git push',
    'git $OPTIONS push',
    'git push $FLAGS',
    'git send-pack host:x main',
    'hub push',
    'jj git push --change @-',
    'gt submit --stack',
    'hg push',
    'svn commit -m x',
    'lerna version minor',
    'gh repo create x --source . --push',
  ],
  'pull-request': [
    'git spr update',
    'gh pr create --fill',
    'gh pr merge --auto',
    'glab mr create',
    'hub pull-request -m x',
    'tea pr create',
    'az repos pr create',
  ],
  release: [
    'gh release create v1 --generate-notes',
    'glab release create v1',
    'semantic-release',
    'release-it --ci',
    'goreleaser release --skip=sign',
    'cargo release patch --execute',
    'cargo xtask release',
    'curl -X POST -d @body https://api.github.com/repos/a/b/releases',
  ],
  publish: [
    'npm publish',
    'yarn npm publish',
    'cargo publish -p a',
    'twine upload dist/*',
    'poetry publish',
    'gem push a.gem',
    'mvn deploy',
    './gradlew publish',
    'dotnet nuget push a.nupkg',
    'changeset publish',
    'nx release',
    'helm push a.tgz oci://x',
    'eas submit -p ios',
  ],
  'image-push': [
    'docker push a/b:1',
    'docker buildx build --push .',
    'podman push a/b',
    'skopeo copy oci:a docker://x/a',
    'ko build ./cmd/a',
    './gradlew jib',
  ],
  deploy: [
    'vercel --prod',
    'rsync -e ssh -a dist/ h:/srv',
    'wrangler deploy',
    'fly deploy',
    'terraform apply',
    'kubectl apply -f x.yaml',
    'kubectl --unheard-of value apply -f x',
    'helm upgrade --install a ./chart',
    'aws s3 sync dist s3://b',
    'gcloud run deploy s --image i',
    'az webapp up',
    'gh-pages -d dist',
    'docker stack deploy -c c.yml s',
  ],
};

describe.each(Object.entries(RELEASING))('%s', (kind, commands) => {
  test.each(commands)('%s', (command) => {
    expect(boundaries(command).map((it) => it.kind)).toContain(kind);
  });
});

test.each(['git -c alias.x=push status', 'make -n release'])('none: %s', (command) => {
  expect(verdict(command)).toBe('none');
});

test.each([
  // Behind an option that no table lists, the last word may be its value.
  'aws s3 cp a s3://b/a --unheard-of value',
  'kubectl cp ./dist web-0:/srv --unheard-of value',
  'vercel --unheard-of value',
  'serverless deploy --unheard-of list',
  // The program takes a value where others show help.
  'hub pull-request -h fork:branch',
])('%s is a boundary if one of its readings is', (command) => {
  expect(verdict(command)).toBe('boundary');
});

test.each(["docker compose run app -c 'echo'", 'docker run -c 512 a/b'])(
  '%s names no other host',
  (command) => {
    expect(verdict(command)).toBe('none');
  },
);
