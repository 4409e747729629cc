import type { Examples } from './rule.ts';

export const containersExamples: Examples = {
  'docker push': {
    releases: [
      'docker push a/b:1',
      'docker --context x push a/b',
      'podman push a/b',
      'podman push localhost/a docker://quay.io/a/a',
      'buildah push a/b docker://x/a/b',
      'nerdctl push a/b',
    ],
    harmless: [
      'docker push localhost:5000/a:1',
      'docker push --help',
      'docker pull a/b',
      'docker login',
      'docker images',
    ],
  },
  'docker image push': { releases: ['docker image push a/b'], harmless: ['docker image ls'] },
  'docker manifest push': {
    releases: ['docker manifest push a/b'],
    harmless: ['docker manifest inspect a/b'],
  },
  'docker plugin push': { releases: ['docker plugin push a/b'], harmless: ['docker plugin ls'] },
  'docker model push': { releases: ['docker model push a/b'], harmless: ['docker model list'] },
  'docker buildx build --push': {
    releases: [
      'docker buildx build --push .',
      'docker buildx build -o type=registry .',
      'docker buildx build --output=type=image,push=true,name=a/b .',
      'docker-buildx build --push .',
    ],
    harmless: [
      'docker buildx build --load .',
      'docker buildx build --push=false .',
      'docker buildx build --push -t localhost:5000/a .',
      'docker-buildx build .',
    ],
  },
  'docker buildx bake --push': {
    releases: ['docker buildx bake --push', 'docker buildx bake --set app.output=type=registry'],
    harmless: ['docker buildx bake', 'docker buildx bake --push --print'],
  },
  'docker buildx imagetools create': {
    releases: ['docker buildx imagetools create -t a/b:2 a/b:1'],
    harmless: ['docker buildx imagetools inspect a/b:1'],
  },
  'docker bake --push': { releases: ['docker bake --push'], harmless: ['docker bake'] },
  'docker build --push': {
    releases: ['docker build -t a/b --push .'],
    harmless: ['docker build .', 'docker build -t push .'],
  },
  'docker builder build --push': {
    releases: ['docker builder build --push .', 'docker image build --push .'],
    harmless: ['docker builder build .', 'docker builder prune'],
  },
  'docker compose push': {
    releases: ['docker compose push', 'docker compose -f c.yml push', 'docker-compose push'],
    harmless: ['docker compose push --dry-run', 'docker compose up --build', 'docker-compose pull'],
  },
  'docker compose build --push': {
    releases: ['docker compose build --push'],
    harmless: ['docker compose build', 'docker compose build --push --dry-run'],
  },
  'docker compose publish': {
    releases: ['docker compose publish a/b:1'],
    harmless: ['docker compose config'],
  },
  'docker compose up on a host': {
    releases: [
      'docker -H ssh://dev@host compose up -d',
      'docker --context prod compose up -d',
      'docker -c prod compose up -d',
      'DOCKER_HOST=ssh://host docker compose up -d',
    ],
    harmless: [
      'docker compose up -d',
      'docker --context desktop-linux compose up -d',
      'DOCKER_HOST=unix:///var/run/docker.sock docker compose up -d',
    ],
  },
  'docker run on a host': {
    releases: ['docker --context prod run -d a/b', 'docker -H ssh://host load -i a.tar'],
    harmless: ['docker run a/b push', 'docker run -c 512 a/b'],
  },
  'docker stack deploy': {
    releases: ['docker stack deploy -c c.yml s'],
    harmless: ['docker stack ls'],
  },
  'docker service update': {
    releases: ['docker service update --image a/b:2 web'],
    harmless: ['docker service ls'],
  },
  'docker trust sign': {
    releases: ['docker trust sign a/b:1'],
    harmless: ['docker trust inspect'],
  },
  'buildctl build': {
    releases: ['buildctl build --frontend dockerfile.v0 --output type=image,name=a/b,push=true'],
    harmless: ['buildctl build --frontend dockerfile.v0 --output type=docker', 'buildctl du'],
  },
  'skopeo copy': {
    releases: ['skopeo copy oci:a docker://x/a'],
    harmless: ['skopeo copy docker://x/a oci:a', 'skopeo inspect docker://x/a'],
  },
  'skopeo sync': {
    releases: ['skopeo sync --src dir --dest docker images x/a'],
    harmless: ['skopeo sync --src docker --dest dir x/a images'],
  },
  'crane push': { releases: ['crane push a.tar x/a', 'crane cp a b'], harmless: ['crane ls x/a'] },
  'crane index append': {
    releases: ['crane index append -m x/a -t x/b'],
    harmless: ['crane index filter x/a -o a.tar'],
  },
  'regctl image copy': {
    releases: ['regctl image copy x/a:1 x/a:2'],
    harmless: ['regctl image digest x/a:1'],
  },
  'oras push': { releases: ['oras push x/a:1 f'], harmless: ['oras pull x/a:1'] },
  'ko build': {
    releases: ['ko build ./cmd/a'],
    harmless: ['ko build --local ./cmd/a', 'ko build --push=false ./cmd/a'],
  },
  'ko apply': { releases: ['ko apply -f config/'], harmless: ['ko version'] },
  'jib build': {
    releases: ['jib build -t registry://x/a'],
    harmless: ['jib build -t docker://a', 'jib --version'],
  },
  'pack build --publish': {
    releases: ['pack build a --publish'],
    harmless: ['pack build a --builder x', 'pack inspect a'],
  },
  kaniko: {
    releases: ['executor --context=dir:///w --destination=x/a:1', 'kaniko -d x/a:1'],
    harmless: ['executor --context=dir:///w --destination=x/a:1 --no-push'],
  },
  'ctr push': { releases: ['ctr -n k8s.io images push x/a'], harmless: ['ctr images ls'] },
  'apptainer push': {
    releases: ['apptainer push a.sif library://x/a', 'singularity push a.sif oras://x/a'],
    harmless: ['apptainer pull library://x/a'],
  },
  'depot build --push': { releases: ['depot build --push .'], harmless: ['depot build --load .'] },
  'earthly --push': { releases: ['earthly --push +image'], harmless: ['earthly +test'] },
  'dagger call publish': {
    releases: ['dagger call publish --tag 1', 'dagger call build push'],
    harmless: ['dagger call test'],
  },
  'notation sign': { releases: ['notation sign x/a:1'], harmless: ['notation verify x/a:1'] },
  'cosign sign': {
    releases: ['cosign sign x/a:1', 'cosign attest x/a:1'],
    harmless: ['cosign verify x/a:1', 'cosign sign --upload=false x/a:1'],
  },
  'bazel run push': {
    releases: ['bazel run //app:push', 'bazelisk run //app:image_push'],
    harmless: ['bazel run //app:server', 'bazel build //app:push'],
  },
  'werf converge': { releases: ['werf converge --repo x/a'], harmless: ['werf render'] },
  'werf bundle publish': { releases: ['werf bundle publish'], harmless: ['werf bundle render'] },
  'flux push artifact': {
    releases: ['flux push artifact oci://x/a:1 --path .'],
    harmless: ['flux pull artifact oci://x/a:1 -o .', 'flux get kustomizations'],
  },
  'imgpkg push': { releases: ['imgpkg push -i x/a -f .'], harmless: ['imgpkg pull -i x/a -o .'] },
};
