/** Container images, charts and other artefacts of a container registry. */
import type { Frame } from '../reader.ts';
import { lookUp } from '../shell/parameter.ts';
import { isKnown } from '../shell/unknown.ts';
import { isLocalAddress, isLocalContext } from './local.ts';
import { anyOperand, deploy, imagePush, type Match, publish, type Tool, tool } from './rule.ts';

const BUILD =
  '-t --tag -f --file --platform --build-arg --target --cache-from --cache-to -o --output --secret --ssh --label --network --progress --builder --build-context --iidfile --metadata-file --annotation --attest --sbom --provenance --add-host --allow --call --shm-size --ulimit --cgroup-parent --no-cache-filter --jobs --isolation --format --authfile --creds';
const GLOBAL =
  '-H --host --context --config -l --log-level --tlscacert --tlscert --tlskey --root --namespace -c --connection --url';
const STAYS_HERE =
  'build run exec ps images logs stop start restart rm rmi tag pull inspect cp volume network system save load login logout history stats top events attach create kill pause unpause port rename wait update diff export import commit search info version compose context buildx builder container image stack service node secret config swarm scout';

const BUILDS = { values: BUILD, when: pushesImage };
const BAKES = {
  values: '-f --file --set --var --builder --metadata-file --progress --provenance --sbom --allow',
  dry: '--print --check',
  when: bakePushes,
};

export const containersTools = (): readonly Tool[] => [
  tool(
    'docker podman nerdctl buildah finch',
    {
      values: GLOBAL,
      flags: '-D --debug --tls --tlsverify --remote',
      help: '--help',
      staysHere: STAYS_HERE,
    },
    [
      imagePush('push; image push; manifest push; plugin push; model push; trust sign'),
      imagePush('compose push [--dry-run]; compose publish [--dry-run]'),
      imagePush('docker compose build --push = compose build --push [--dry-run]'),
      imagePush('docker buildx build --push = buildx build|b', BUILDS),
      imagePush('docker buildx bake --push = buildx bake|f', BAKES),
      imagePush('buildx imagetools create [--dry-run]', {
        values: '-t --tag -f --file --annotation',
      }),
      imagePush('docker bake --push = bake', BAKES),
      imagePush('docker build --push = build', BUILDS),
      imagePush('docker builder build --push = image|builder build', BUILDS),
      deploy(
        'docker compose up on a host = compose up|run|restart|start|create|build|watch [--dry-run]',
        { when: isOnHost },
      ),
      deploy('docker run on a host = run|load|create|cp|build', { when: isOnHost }),
      deploy('stack deploy|up', { values: '-c --compose-file --orchestrator --resolve-image' }),
      deploy('service update|create'),
    ],
  ),
  imagePush('docker-compose podman-compose', 'docker compose push = push [--dry-run]', {
    staysHere: STAYS_HERE,
  }),
  imagePush('docker-buildx', 'docker buildx build --push = build', BUILDS),
  imagePush('buildctl', 'build', {
    values: '--frontend --opt --local --output -o --secret --ssh',
    when: pushesImage,
  }),
  imagePush('skopeo', 'copy', {
    values:
      '--src-creds --dest-creds --src-tls-verify --dest-tls-verify --format -f --authfile --src-authfile --dest-authfile --digestfile --sign-by',
    when: ({ operands }) => isRemoteImage(operands[1] ?? ''),
  }),
  imagePush('skopeo', 'sync --dest=docker|-d=docker [--dry-run]', {
    values: '-s --src -d --dest --src-creds --dest-creds',
  }),
  imagePush('crane gcrane', 'push|copy|cp|append|mutate|tag|rebase; index append'),
  imagePush('regctl', 'image|artifact|blob|manifest copy|cp|put|import'),
  imagePush('oras', 'push|cp|copy|attach|tag'),
  imagePush('ko', 'build|publish|resolve [--local -L --push=false]', { flags: '-B -P --bare' }),
  deploy('ko', 'apply|create|run'),
  imagePush('jib', 'build|jar|war', {
    values: '-t --target',
    when: ({ value }) => !value('-t', '--target')?.startsWith('docker://'),
  }),
  imagePush('pack', 'pack build --publish = build --publish'),
  imagePush('kaniko executor', '-d|--destination [--no-push]'),
  imagePush('ctr', 'ctr push = images|image|i push'),
  imagePush('apptainer singularity', 'push'),
  imagePush('depot', 'depot build --push = build|bake --push', { values: BUILD }),
  imagePush('earthly', 'earthly --push = --push'),
  imagePush('dagger', 'dagger call publish = call', {
    when: anyOperand(/^(publish|deploy|release|push)/),
  }),
  imagePush('notation', 'sign'),
  imagePush('cosign', 'sign|attest|attach|copy [--upload=false]'),
  imagePush('bazel bazelisk', 'bazel run push = run', {
    when: ({ operands: [target = ''] }) =>
      /[:/_.-](push|publish|deploy|release)([_.-]|$)/.test(target),
  }),
  deploy('werf', 'converge|publish|export'),
  publish('werf', 'bundle publish|apply|copy'),
  imagePush('flux kustomize', 'push artifact'),
  imagePush('imgpkg', 'push|copy'),
];

function isOnHost({ value, globals }: Match, frame: Frame): boolean {
  const variable = (name: string): string => lookUp(name, frame)[0]?.[0] ?? '';
  const host = value('-H', '--host') ?? variable('DOCKER_HOST');
  if (isKnown(host) && host !== '')
    return !(/^(unix|npipe|fd):/.test(host) || isLocalAddress(host));
  // After the subcommand, `-c` is another option.
  const short = globals.find(({ name }) => name === '-c')?.value;
  const context = value('--context') ?? short ?? variable('DOCKER_CONTEXT');
  return isKnown(context) && context !== '' && !isLocalContext(context) && context !== 'default';
}

function pushesImage({ options, values }: Match): boolean {
  const last = options.findLast(({ name }) => name === '--push');
  if (last && last.value !== 'false') return true;
  return values('-o', '--output').some((it) => /type=registry|push=true|^registry\b/.test(it));
}

function bakePushes(use: Match): boolean {
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
