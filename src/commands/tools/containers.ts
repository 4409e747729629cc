/** Container images, charts and other artefacts of a container registry. */
import type { Use } from '../../base/text/options.ts';
import type { Frame } from '../reader.ts';
import { lookUp } from '../shell/parameter.ts';
import { isKnown } from '../shell/unknown.ts';
import { isLocalAddress, isLocalContext } from './local.ts';
import { anyOperand, deploy, imagePush, publish, type Tool, tool } from './rule.ts';

const BUILD =
  '-t --tag -f --file --platform --build-arg --target --cache-from --cache-to -o --output --secret --ssh --label --network --progress --builder --build-context --iidfile --metadata-file --annotation --attest --sbom --provenance --add-host --allow --call --shm-size --ulimit --cgroup-parent --no-cache-filter --jobs --isolation --format --authfile --creds';
const BUILD_FLAGS =
  '--push --load --pull --no-cache --rm --force-rm -q --quiet --squash --layers -D --debug';
const GLOBAL =
  '-H --host --context --config -l --log-level --tlscacert --tlscert --tlskey --root --namespace -c --connection --url';

/** Options of the commands that build an image and may push it. */
const BUILDS = { values: BUILD, flags: BUILD_FLAGS, when: pushesImage };

export const containersTools = (): readonly Tool[] => [
  tool('docker podman nerdctl buildah finch', {
    values: GLOBAL,
    flags: '-D --debug --tls --tlsverify --remote',
    help: '--help',
    rules: [
      imagePush('push', {
        values: '--creds --authfile --cert-dir --sign-by --digestfile -f --format --platform',
        flags: '-a --all-tags -q --quiet --disable-content-trust',
      }),
      imagePush('image push'),
      imagePush('manifest push'),
      imagePush('plugin push'),
      imagePush('model push'),
      imagePush('buildx build|b', { id: 'docker buildx build --push', ...BUILDS }),
      imagePush('buildx bake|f', {
        id: 'docker buildx bake --push',
        values:
          '-f --file --set --var --builder --metadata-file --progress --provenance --sbom --allow',
        flags: '--push --load --no-cache --pull --print --check',
        when: bakePushes,
      }),
      imagePush('buildx imagetools create', {
        values: '-t --tag -f --file --annotation',
        dry: '--dry-run',
      }),
      imagePush('bake', {
        id: 'docker bake --push',
        values: '-f --file --set',
        flags: '--push --print',
        when: bakePushes,
      }),
      imagePush('build|image', { id: 'docker build --push', ...BUILDS }),
      imagePush('image|builder build', { id: 'docker builder build --push', ...BUILDS }),
      imagePush('compose push', {
        values: '-f --file -p --project-name --profile --project-directory --env-file',
        dry: '--dry-run',
      }),
      imagePush('compose build', {
        id: 'docker compose build --push',
        values: '-f --file -p --project-name --profile --build-arg',
        dry: '--dry-run',
        only: '--push',
      }),
      imagePush('compose publish', { dry: '--dry-run' }),
      deploy('compose up|run|restart|start|create|build|watch', {
        id: 'docker compose up on a host',
        dry: '--dry-run',
        values: '-f --file -p --project-name --profile',
        when: isOnHost,
      }),
      deploy('run|load|create|cp|build', { id: 'docker run on a host', when: isOnHost }),
      deploy('stack deploy|up', { values: '-c --compose-file --orchestrator --resolve-image' }),
      deploy('service update|create'),
      imagePush('trust sign'),
      imagePush('app|sandbox|scout push', {
        when: (use) => use.argv[1] === 'app' || use.argv.includes('push'),
      }),
    ],
  }),
  tool('docker-compose podman-compose', {
    values: '-f --file -p --project-name --profile --project-directory --env-file',
    rules: [imagePush('push', { id: 'docker compose push', dry: '--dry-run' })],
  }),
  imagePush('docker-buildx', 'build', { id: 'docker buildx build --push', ...BUILDS }),
  imagePush('buildctl', 'build', {
    values: '--frontend --opt --local --output -o --secret --ssh',
    when: pushesImage,
  }),
  tool('skopeo', { values: '--policy --registries.d --override-arch --override-os' }, [
    imagePush('copy', {
      values:
        '--src-creds --dest-creds --src-tls-verify --dest-tls-verify --format -f --authfile --src-authfile --dest-authfile --digestfile --sign-by',
      when: (use) => isRemoteImage(use.operands[1] ?? ''),
    }),
    imagePush('sync', {
      values: '-s --src -d --dest --src-creds --dest-creds',
      dry: '--dry-run',
      when: (use) => use.value('-d', '--dest') === 'docker',
    }),
  ]),
  tool('crane gcrane', [
    imagePush('push|copy|cp|append|mutate|tag|rebase'),
    imagePush('index append'),
  ]),
  imagePush('regctl', 'image|artifact|blob|manifest copy|cp|put|import'),
  imagePush('oras', 'push|cp|copy|attach|tag'),
  tool('ko', [
    imagePush('build|publish|resolve', {
      values: '--platform -t --tags --image-label -f --filename',
      flags: '-B -P --bare -L --local',
      unless: '--local -L --push=false',
    }),
    deploy('apply|create|run'),
  ]),
  imagePush('jib', 'build|jar|war', {
    when: (use) => (use.value('-t', '--target') ?? '').startsWith('docker://') === false,
  }),
  imagePush('pack', 'build', {
    id: 'pack build --publish',
    values: '-p --path -B --builder -b --buildpack -e --env -t --tag',
    only: '--publish',
  }),
  imagePush('kaniko executor', '', {
    values: '-c --context -f --dockerfile -d --destination',
    only: '-d --destination',
    unless: '--no-push',
  }),
  imagePush('img', 'push'),
  tool('ctr', { values: '-n --namespace -a --address' }, [
    imagePush('images|image|i push', { id: 'ctr push' }),
  ]),
  imagePush('apptainer singularity', 'push'),
  tool('depot', [
    imagePush('build|bake', {
      id: 'depot build --push',
      values: BUILD,
      flags: BUILD_FLAGS,
      only: '--push',
    }),
    imagePush('push'),
  ]),
  imagePush('earthly', '', { id: 'earthly --push', only: '--push' }),
  imagePush('dagger', 'call', {
    id: 'dagger call publish',
    when: anyOperand(/^(publish|deploy|release|push)/),
  }),
  imagePush('notation', 'sign'),
  imagePush('cosign', 'sign|attest|attach|copy', { unless: '--upload=false' }),
  imagePush('bazel bazelisk', 'run', {
    id: 'bazel run push',
    when: (use) =>
      use.operands
        .slice(0, 1)
        .some((it) => /[:/_.-](push|publish|deploy|release)([_.-]|$)/.test(it)),
  }),
  tool('werf', [deploy('converge|publish|export'), publish('bundle publish|apply|copy')]),
  imagePush('kustomize flux', 'push artifact', { id: 'flux push artifact' }),
  imagePush('imgpkg', 'push|copy'),
  imagePush('opm operator-sdk', 'index|bundle push', { id: 'opm push' }),
];

/** True if the daemon is not the one of this machine. */
function isOnHost(use: Use, frame: Frame): boolean {
  const variable = (name: string): string => lookUp(name, frame)[0]?.[0] ?? '';
  const host = use.value('-H', '--host') ?? variable('DOCKER_HOST');
  if (isKnown(host) && host !== '')
    return !(/^(unix|npipe|fd):/.test(host) || isLocalAddress(host));
  const short = use.argv[1] === '-c' ? use.argv[2] : undefined;
  const context = use.value('--context') ?? short ?? variable('DOCKER_CONTEXT');
  return isKnown(context) && context !== '' && !isLocalContext(context) && context !== 'default';
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

/** True unless the image's name starts with a transport that stays on the machine. */
function isRemoteImage(target: string): boolean {
  return !/^(docker-daemon|docker-archive|oci|oci-archive|dir|containers-storage|tarball|sif|ostree):/.test(
    target,
  );
}
