/** Programs that run a command on another machine or in a container. */
import { type Wrapper, wrapper } from './wrapper.ts';

const DOCKER_RUN =
  '-v --volume -w --workdir -e --env --env-file -u --user -p --publish --name --network --net ' +
  '--entrypoint -l --label --mount --platform --memory -m --cpus --add-host --hostname -h --gpus ' +
  '--restart --pull --device --cap-add --cap-drop --tmpfs --ulimit --shm-size --security-opt ' +
  '--log-driver --log-opt --link --ipc --pid --cidfile --dns --expose --label-file --runtime --userns ' +
  '--volumes-from --stop-signal --stop-timeout --health-cmd --ip --mac-address --isolation -c';
const DOCKER_FLAGS =
  '--rm -i --interactive -t --tty -it -ti -d --detach --init --privileged --read-only -P';

export const REMOTE_WRAPPERS: readonly Wrapper[] = [
  wrapper('ssh autossh mosh slogin', {
    values: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -M --ssh',
    flags: '-4 -6 -A -a -C -f -G -g -K -k -N -n -q -s -T -t -tt -V -v -X -x -Y -y',
    operands: 1,
    runs: 'text',
    remote: true,
  }),
  wrapper('sshpass', { values: '-p -f -d -P', flags: '-e -v' }),
  ...['', 'container '].flatMap((group): Wrapper[] => [
    wrapper('docker podman nerdctl', {
      path: `${group}exec`,
      values: '-e --env --env-file -u --user -w --workdir --detach-keys',
      flags: DOCKER_FLAGS,
      operands: 1,
      remote: true,
    }),
    wrapper('docker podman nerdctl', {
      path: `${group}run`,
      values: DOCKER_RUN,
      flags: DOCKER_FLAGS,
      runs: 'image',
      remote: true,
    }),
  ]),
  wrapper('docker podman', {
    path: 'compose exec|run',
    values: `-f --file -p --project-name --profile --project-directory --index ${DOCKER_RUN}`,
    flags: `-T --no-deps --service-ports --build ${DOCKER_FLAGS}`,
    operands: 1,
    remote: true,
  }),
  wrapper('docker-compose podman-compose', {
    path: 'exec|run',
    values: `-f --file --profile --project-name --index ${DOCKER_RUN}`,
    flags: `-T --no-deps --service-ports --build ${DOCKER_FLAGS}`,
    operands: 1,
    remote: true,
  }),
  wrapper('kubectl oc k kubecolor', {
    path: 'exec',
    values:
      '-n --namespace -c --container -f --filename --context --kubeconfig --cluster --user --pod-running-timeout',
    flags: '-i -t -it --stdin --tty -q',
    operands: 1,
    afterDashes: 'maybe',
    remote: true,
  }),
  wrapper('kubectl oc k', {
    path: 'run|debug',
    values: '-n --namespace --image --context',
    afterDashes: 'always',
    remote: true,
  }),
  wrapper('devcontainer', {
    path: 'exec',
    values: '--workspace-folder --container-id --id-label --config',
  }),
  wrapper('vagrant', { path: 'ssh', script: '-c --command', remote: true }),
  wrapper('gcloud', { path: 'compute ssh', script: '--command', remote: true }),
  wrapper('fly flyctl', { path: 'ssh console', script: '-C --command', remote: true }),
  wrapper('heroku', {
    path: 'run',
    values: '-a --app -r --remote -s --size -e --env',
    runs: 'text',
    remote: true,
  }),
  wrapper('lxc incus multipass', { path: 'exec', operands: 1, afterDashes: 'maybe', remote: true }),
  wrapper('parallel-ssh pssh pdsh clush', {
    values: '-h -H -l -w -g -x -t -p',
    runs: 'text',
    remote: true,
  }),
  wrapper('toolbox', { path: 'run', values: '-c --container', remote: true }),
  wrapper('distrobox', { path: 'enter', afterDashes: 'always', remote: true }),
  wrapper('ansible', {
    script: '-a --args',
    values: '-m --module-name -i',
    afterDashes: 'always',
    remote: true,
  }),
];
