/** Container images, charts and other artefacts of a container registry. */
import type { Tool, Use } from './rule.ts';

const BUILD =
  '-t --tag -f --file --platform --build-arg --target --cache-from --cache-to -o --output --secret --ssh --label --network --progress --builder --build-context --iidfile --metadata-file --annotation --attest --sbom --provenance --add-host --allow --call --shm-size --ulimit --cgroup-parent --no-cache-filter --jobs --isolation --format --authfile --creds';
const BUILD_FLAGS =
  '--push --load --pull --no-cache --rm --force-rm -q --quiet --squash --layers -D --debug';
const GLOBAL =
  '-H --host --context --config -l --log-level --tlscacert --tlscert --tlskey --root --namespace -c --connection --url';

export function containersTools(): readonly Tool[] {
  return [
    {
      names: 'docker podman nerdctl buildah finch',
      values: GLOBAL,
      flags: '-D --debug --tls --tlsverify --remote',
      help: '--help',
      rules: [
        {
          id: 'docker push',
          kind: 'image-push',
          path: 'push',
          values: '--creds --authfile --cert-dir --sign-by --digestfile -f --format --platform',
          flags: '-a --all-tags -q --quiet --disable-content-trust',
        },
        { id: 'docker image push', kind: 'image-push', path: 'image push' },
        { id: 'docker manifest push', kind: 'image-push', path: 'manifest push' },
        { id: 'docker plugin push', kind: 'image-push', path: 'plugin push' },
        { id: 'docker model push', kind: 'image-push', path: 'model push' },
        {
          id: 'docker buildx build --push',
          kind: 'image-push',
          path: 'buildx build|b',
          values: BUILD,
          flags: BUILD_FLAGS,
          when: pushesImage,
        },
        {
          id: 'docker buildx bake --push',
          kind: 'image-push',
          path: 'buildx bake|f',
          values:
            '-f --file --set --var --builder --metadata-file --progress --provenance --sbom --allow',
          flags: '--push --load --no-cache --pull --print --check',
          when: bakePushes,
        },
        {
          id: 'docker buildx imagetools create',
          kind: 'image-push',
          path: 'buildx imagetools create',
          values: '-t --tag -f --file --annotation',
          dry: '--dry-run',
        },
        {
          id: 'docker bake --push',
          kind: 'image-push',
          path: 'bake',
          values: '-f --file --set',
          flags: '--push --print',
          when: bakePushes,
        },
        {
          id: 'docker build --push',
          kind: 'image-push',
          path: 'build|image',
          values: BUILD,
          flags: BUILD_FLAGS,
          when: pushesImage,
        },
        {
          id: 'docker builder build --push',
          kind: 'image-push',
          path: 'image|builder build',
          values: BUILD,
          flags: BUILD_FLAGS,
          when: pushesImage,
        },
        {
          id: 'docker compose push',
          kind: 'image-push',
          path: 'compose push',
          values: '-f --file -p --project-name --profile --project-directory --env-file',
          dry: '--dry-run',
        },
        {
          id: 'docker compose build --push',
          kind: 'image-push',
          path: 'compose build',
          values: '-f --file -p --project-name --profile --build-arg',
          dry: '--dry-run',
          when: (use) => use.has('--push'),
        },
        {
          id: 'docker compose publish',
          kind: 'image-push',
          path: 'compose publish',
          dry: '--dry-run',
        },
        {
          id: 'docker stack deploy',
          kind: 'deploy',
          path: 'stack deploy|up',
          values: '-c --compose-file --orchestrator --resolve-image',
        },
        { id: 'docker service update', kind: 'deploy', path: 'service update|create' },
        { id: 'docker trust sign', kind: 'image-push', path: 'trust sign' },
        {
          id: 'docker app push',
          kind: 'image-push',
          path: 'app|sandbox|scout push',
          when: (use) => use.argv[1] === 'app' || use.argv.includes('push'),
        },
      ],
    },
    {
      names: 'docker-compose podman-compose',
      values: '-f --file -p --project-name --profile --project-directory --env-file',
      rules: [{ id: 'docker compose push', kind: 'image-push', path: 'push', dry: '--dry-run' }],
    },
    {
      names: 'docker-buildx',
      rules: [
        {
          id: 'docker buildx build --push',
          kind: 'image-push',
          path: 'build',
          values: BUILD,
          flags: BUILD_FLAGS,
          when: pushesImage,
        },
      ],
    },
    {
      names: 'buildctl',
      rules: [
        {
          id: 'buildctl build',
          kind: 'image-push',
          path: 'build',
          values: '--frontend --opt --local --output -o --secret --ssh',
          when: pushesImage,
        },
      ],
    },
    {
      names: 'skopeo',
      values: '--policy --registries.d --override-arch --override-os',
      rules: [
        {
          id: 'skopeo copy',
          kind: 'image-push',
          path: 'copy',
          values:
            '--src-creds --dest-creds --src-tls-verify --dest-tls-verify --format -f --authfile --src-authfile --dest-authfile --digestfile --sign-by',
          when: (use) => isRemoteImage(use.operands[1] ?? ''),
        },
        {
          id: 'skopeo sync',
          kind: 'image-push',
          path: 'sync',
          values: '-s --src -d --dest --src-creds --dest-creds',
          dry: '--dry-run',
          when: (use) => use.value('-d', '--dest') === 'docker',
        },
      ],
    },
    {
      names: 'crane gcrane',
      rules: [
        { id: 'crane push', kind: 'image-push', path: 'push|copy|cp|append|mutate|tag|rebase' },
        { id: 'crane index append', kind: 'image-push', path: 'index append' },
      ],
    },
    {
      names: 'regctl',
      rules: [
        {
          id: 'regctl image copy',
          kind: 'image-push',
          path: 'image|artifact|blob|manifest copy|cp|put|import',
        },
      ],
    },
    {
      names: 'oras',
      rules: [{ id: 'oras push', kind: 'image-push', path: 'push|cp|copy|attach|tag' }],
    },
    {
      names: 'ko',
      rules: [
        {
          id: 'ko build',
          kind: 'image-push',
          path: 'build|publish|resolve',
          values: '--platform -t --tags --image-label -f --filename',
          flags: '-B -P --bare -L --local',
          when: (use) =>
            !use.options.some(
              ({ name, value }) =>
                name === '--local' || name === '-L' || (name === '--push' && value === 'false'),
            ),
        },
        { id: 'ko apply', kind: 'deploy', path: 'apply|create|run' },
      ],
    },
    {
      names: 'jib',
      rules: [
        {
          id: 'jib build',
          kind: 'image-push',
          path: 'build|jar|war',
          when: (use) => (use.value('-t', '--target') ?? '').startsWith('docker://') === false,
        },
      ],
    },
    {
      names: 'pack',
      rules: [
        {
          id: 'pack build --publish',
          kind: 'image-push',
          path: 'build',
          values: '-p --path -B --builder -b --buildpack -e --env -t --tag',
          when: (use) => use.has('--publish'),
        },
      ],
    },
    {
      names: 'kaniko executor',
      rules: [
        {
          id: 'kaniko',
          kind: 'image-push',
          path: '',
          values: '-c --context -f --dockerfile -d --destination',
          when: (use) => use.has('-d', '--destination') && !use.has('--no-push'),
        },
      ],
    },
    { names: 'img', rules: [{ id: 'img push', kind: 'image-push', path: 'push' }] },
    {
      names: 'ctr',
      values: '-n --namespace -a --address',
      rules: [{ id: 'ctr push', kind: 'image-push', path: 'images|image|i push' }],
    },
    {
      names: 'apptainer singularity',
      rules: [{ id: 'apptainer push', kind: 'image-push', path: 'push' }],
    },
    {
      names: 'depot',
      rules: [
        {
          id: 'depot build --push',
          kind: 'image-push',
          path: 'build|bake',
          values: BUILD,
          flags: BUILD_FLAGS,
          when: (use) => use.has('--push'),
        },
        { id: 'depot push', kind: 'image-push', path: 'push' },
      ],
    },
    {
      names: 'earthly',
      rules: [
        { id: 'earthly --push', kind: 'image-push', path: '', when: (use) => use.has('--push') },
      ],
    },
    {
      names: 'dagger',
      rules: [
        {
          id: 'dagger call publish',
          kind: 'image-push',
          path: 'call',
          when: (use) => use.operands.some((it) => /^(publish|deploy|release|push)/.test(it)),
        },
      ],
    },
    {
      names: 'cosign',
      rules: [
        {
          id: 'cosign sign',
          kind: 'image-push',
          path: 'sign|attest|attach|copy',
          when: (use) =>
            !use.options.some(({ name, value }) => name === '--upload' && value === 'false'),
        },
      ],
    },
    {
      names: 'bazel bazelisk',
      rules: [
        {
          id: 'bazel run push',
          kind: 'image-push',
          path: 'run',
          when: (use) =>
            use.operands
              .slice(0, 1)
              .some((it) => /[:/_.-](push|publish|deploy|release)([_.-]|$)/.test(it)),
        },
      ],
    },
    {
      names: 'werf',
      rules: [
        { id: 'werf converge', kind: 'deploy', path: 'converge|publish|export' },
        { id: 'werf bundle publish', kind: 'publish', path: 'bundle publish|apply|copy' },
      ],
    },
    {
      names: 'kustomize flux',
      rules: [{ id: 'flux push artifact', kind: 'image-push', path: 'push artifact' }],
    },
    { names: 'imgpkg', rules: [{ id: 'imgpkg push', kind: 'image-push', path: 'push|copy' }] },
    {
      names: 'opm operator-sdk',
      rules: [{ id: 'opm push', kind: 'image-push', path: 'index|bundle push' }],
    },
  ];
}

function pushesImage(use: Use): boolean {
  const [last] = use.options.filter(({ name }) => name === '--push').slice(-1);
  if (last && last.value !== 'false') return true;
  return use.values('-o', '--output').some((it) => /type=registry|push=true|^registry\b/.test(it));
}

function bakePushes(use: Use): boolean {
  if (use.has('--print', '--check')) return false;
  return (
    pushesImage(use) || use.values('--set').some((it) => /output=type=registry|push=true/.test(it))
  );
}

/** Where an image goes when its name starts with a transport that leaves the machine. */
function isRemoteImage(target: string): boolean {
  return !/^(docker-daemon|docker-archive|oci|oci-archive|dir|containers-storage|tarball|sif|ostree):/.test(
    target,
  );
}
