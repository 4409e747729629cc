/** Programs that run a command on another machine or in a container. */
import type { Wrapper } from './wrapper.ts';

const DOCKER_RUN =
  '-v --volume -w --workdir -e --env --env-file -u --user -p --publish --name --network --net ' +
  '--entrypoint -l --label --mount --platform --memory -m --cpus --add-host --hostname -h --gpus ' +
  '--restart --pull --device --cap-add --cap-drop --tmpfs --ulimit --shm-size --security-opt ' +
  '--log-driver --log-opt --link --ipc --pid --cidfile --dns --expose --label-file --runtime --userns ' +
  '--volumes-from --stop-signal --stop-timeout --health-cmd --ip --mac-address --isolation -c';
const DOCKER_FLAGS =
  '--rm -i --interactive -t --tty -it -ti -d --detach --init --privileged --read-only -P';

export const REMOTE_WRAPPERS: readonly Wrapper[] = [
  {
    names: 'ssh autossh mosh slogin',
    values: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -M --ssh',
    flags: '-4 -6 -A -a -C -f -G -g -K -k -N -n -q -s -T -t -tt -V -v -X -x -Y -y',
    operands: 1,
    runs: 'text',
    remote: true,
  },
  { names: 'sshpass', values: '-p -f -d -P', flags: '-e -v' },
  ...['', 'container '].flatMap((group): Wrapper[] => [
    {
      names: 'docker podman nerdctl',
      path: `${group}exec`,
      values: '-e --env --env-file -u --user -w --workdir --detach-keys',
      flags: DOCKER_FLAGS,
      operands: 1,
      remote: true,
    },
    {
      names: 'docker podman nerdctl',
      path: `${group}run`,
      values: DOCKER_RUN,
      flags: DOCKER_FLAGS,
      runs: 'image',
      remote: true,
    },
  ]),
  {
    names: 'docker podman',
    path: 'compose exec|run',
    values: `-f --file -p --project-name --profile --project-directory --index ${DOCKER_RUN}`,
    flags: `-T --no-deps --service-ports --build ${DOCKER_FLAGS}`,
    operands: 1,
    remote: true,
  },
  {
    names: 'docker-compose podman-compose',
    path: 'exec|run',
    values: `-f --file --profile --project-name --index ${DOCKER_RUN}`,
    flags: `-T --no-deps --service-ports --build ${DOCKER_FLAGS}`,
    operands: 1,
    remote: true,
  },
  {
    names: 'kubectl oc k kubecolor',
    path: 'exec',
    values:
      '-n --namespace -c --container -f --filename --context --kubeconfig --cluster --user --pod-running-timeout',
    flags: '-i -t -it --stdin --tty -q',
    operands: 1,
    afterDashes: 'maybe',
    remote: true,
  },
  {
    names: 'kubectl oc k',
    path: 'run|debug',
    values: '-n --namespace --image --context',
    afterDashes: 'always',
    remote: true,
  },
  {
    names: 'devcontainer',
    path: 'exec',
    values: '--workspace-folder --container-id --id-label --config',
  },
  { names: 'vagrant', path: 'ssh', script: '-c --command', remote: true },
  { names: 'multipass', path: 'exec', operands: 1, afterDashes: 'maybe', remote: true },
  { names: 'wsl wsl.exe', values: '-d --distribution -u --user --cd', flags: '-e --exec --' },
  { names: 'gcloud', path: 'compute ssh', script: '--command', remote: true },
  { names: 'fly flyctl', path: 'ssh console', script: '-C --command', remote: true },
  {
    names: 'heroku',
    path: 'run',
    values: '-a --app -r --remote -s --size -e --env',
    runs: 'text',
    remote: true,
  },
  {
    names: 'parallel-ssh pssh pdsh clush',
    values: '-h -H -l -w -g -x -t -p',
    runs: 'text',
    remote: true,
  },
  { names: 'lxc incus', path: 'exec', operands: 1, afterDashes: 'maybe', remote: true },
  { names: 'toolbox', path: 'run', values: '-c --container', remote: true },
  { names: 'distrobox-enter', values: '-n --name', afterDashes: 'always', remote: true },
  { names: 'distrobox', path: 'enter', afterDashes: 'always', remote: true },
  {
    names: 'ansible',
    script: '-a --args',
    values: '-m --module-name -i',
    afterDashes: 'always',
    remote: true,
  },
];
