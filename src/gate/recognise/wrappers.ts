/**
 * Programs that run another command, with the part of their option grammar that says where it
 * starts. Lists are words separated by blanks.
 */
export interface Wrapper {
  readonly names: string;
  /** Words of the subcommand that runs something: `exec`, `compose run`. */
  readonly path?: string;
  readonly values?: string;
  readonly flags?: string;
  readonly style?: 'gnu' | 'word';
  /** Words between the options and the command, as the time limit of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` words stand before the command. */
  readonly assignments?: true;
  /** The command comes after `--`: always, or where there is one. */
  readonly afterDashes?: 'always' | 'maybe';
  /** What the remaining words are; a command's words if absent. */
  readonly runs?: 'words' | 'text' | 'texts' | 'package';
  /** Options whose value is a shell text that runs instead. */
  readonly script?: string;
  /** Options that name the folder the command runs in. */
  readonly directory?: string;
  /** It runs elsewhere: folder and variables are not those of this shell. */
  readonly remote?: true;
}

const DOCKER_RUN =
  '-v --volume -w --workdir -e --env --env-file -u --user -p --publish --name --network --net ' +
  '--entrypoint -l --label --mount --platform --memory -m --cpus --add-host --hostname -h --gpus ' +
  '--restart --pull --device --cap-add --cap-drop --tmpfs --ulimit --shm-size --security-opt ' +
  '--log-driver --log-opt --link --ipc --pid --cidfile --dns --expose --label-file --runtime --userns ' +
  '--volumes-from --stop-signal --stop-timeout --health-cmd --ip --mac-address --isolation -c';
const DOCKER_FLAGS =
  '--rm -i --interactive -t --tty -it -ti -d --detach --init --privileged --read-only -P';

export const WRAPPERS: readonly Wrapper[] = [
  { names: 'nohup chronic unbuffer catchsegv proxychains proxychains4 torsocks torify eatmydata' },
  { names: 'setsid', flags: '-c --ctty -f --fork -w --wait' },
  {
    names: 'time gtime',
    values: '-o --output -f --format',
    flags: '-p -v -a --append --portability --verbose',
  },
  { names: 'caffeinate', values: '-t -w', flags: '-d -i -m -s -u' },
  { names: 'rlwrap', values: '-f -H -s -b -c -C -p', flags: '-a -i -r' },
  { names: 'firejail cgexec', values: '-g' },
  {
    names: 'env genv',
    values: '-u --unset',
    flags: '-i -0 -v --ignore-environment --debug',
    script: '-S --split-string',
    directory: '-C --chdir',
    assignments: true,
  },
  {
    names: 'sudo gosudo',
    values:
      '-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -U --other-user -T -R --chroot',
    flags:
      '-E -H -n -S -b -i -s -k -K -A -P --preserve-env --login --shell --non-interactive --stdin',
    directory: '-D --chdir',
    assignments: true,
  },
  { names: 'doas', values: '-u -C', flags: '-n -s -L', assignments: true },
  { names: 'pkexec', values: '--user', flags: '--disable-internal-agent --keep-cwd' },
  { names: 'gosu su-exec setuidgid chpst', operands: 1 },
  {
    names: 'su runuser',
    values: '-s --shell -g --group -G --supp-group -w --whitelist-environment -u --user',
    flags: '- -l --login -m -p',
    script: '-c --command --session-command',
    afterDashes: 'always',
  },
  {
    names: 'timeout gtimeout',
    values: '-k --kill-after -s --signal',
    flags: '--preserve-status --foreground -v --verbose',
    operands: 1,
  },
  { names: 'nice gnice', values: '-n --adjustment' },
  { names: 'ionice', values: '-c --class -n --classdata', flags: '-t --ignore' },
  { names: 'stdbuf gstdbuf', values: '-i --input -o --output -e --error' },
  { names: 'chrt', flags: '-b -f -i -o -r -R -v', operands: 1 },
  { names: 'taskset', flags: '-c --cpu-list -a', operands: 1 },
  {
    names:
      'numactl prlimit setpriv setarch linux64 linux32 unshare nsenter systemd-run systemd-inhibit dbus-run-session xvfb-run bwrap i386 x86_64 capsh',
    values:
      '-p --property -u --unit --uid --gid -M -t --target -s --server-args -n --what --who --why --mode',
    flags:
      '--scope --user --wait --pipe --pty -a --auto-servernum -R -r -m --mount --pid --net --collect -q',
  },
  { names: 'arch', flags: '-arm64 -x86_64 -arch', values: '-e -d' },
  { names: 'chroot', values: '--userspec --groups', operands: 1 },
  {
    names: 'strace ltrace dtruss',
    values: '-e -o -p -s -u -E -a -I -O -S -P',
    flags: '-f -ff -c -C -t -tt -q -v -x -y',
  },
  { names: 'valgrind heaptrack', flags: '-v -q' },
  { names: 'perf', path: 'stat|record|trace', values: '-e -o -p -r -F -c', flags: '-a -g -d' },
  { names: 'gdb lldb', afterDashes: 'always' },
  {
    names: 'hyperfine',
    values:
      '-w --warmup -r --runs -m --min-runs -M --max-runs -p --prepare -c --cleanup -s --setup -L --parameter-list -P --parameter-scan -n --command-name --export-json --export-markdown --export-csv -S --shell -u --time-unit',
    runs: 'texts',
  },
  {
    names: 'watch viddy',
    values: '-n --interval -q --equexit',
    flags: '-d -t -b -e -g -c -x --differences --no-title --errexit --chgexit --color',
    runs: 'text',
  },
  { names: 'entr', flags: '-a -c -cc -d -n -p -r -rc -z -x', script: '-s' },
  {
    names: 'watchexec',
    values:
      '-w --watch -e --exts -i --ignore -f --filter -s --signal -d --debounce --shell -E --env',
    flags: '-r --restart -c --clear -n -p',
    runs: 'text',
  },
  {
    names: 'nodemon',
    values: '-e --ext -w --watch -i --ignore -d --delay -s --signal --config --cwd',
    script: '-x --exec',
    afterDashes: 'always',
  },
  {
    names: 'onchange chokidar chokidar-cli',
    values: '-d --delay',
    script: '-c --command',
    afterDashes: 'always',
  },
  { names: 'retry', values: '-t --times -d --delay -m --max -u --until -w', afterDashes: 'maybe' },
  {
    names: 'script',
    values: '-E -I -O -B -T -m -o',
    flags: '-q -a -e -f --quiet --return --flush',
    script: '-c --command',
    operands: 1,
  },
  {
    names: 'flock',
    values: '-w --wait --timeout -E --conflict-exit-code',
    flags: '-n -s -x -e -u -o -F',
    operands: 1,
    script: '-c --command',
  },
  { names: 'setlock lckdo softlimit envdir', operands: 1 },
  {
    names: 'ssh autossh mosh slogin',
    values: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -M --ssh',
    flags: '-4 -6 -A -a -C -f -G -g -K -k -N -n -q -s -T -t -tt -V -v -X -x -Y -y',
    operands: 1,
    runs: 'text',
    remote: true,
  },
  { names: 'sshpass', values: '-p -f -d -P', flags: '-e -v' },
  {
    names: 'docker podman nerdctl',
    path: 'exec',
    values: '-e --env --env-file -u --user -w --workdir --detach-keys',
    flags: DOCKER_FLAGS,
    operands: 1,
    remote: true,
  },
  {
    names: 'docker podman nerdctl',
    path: 'container exec',
    values: '-e --env --env-file -u --user -w --workdir',
    flags: DOCKER_FLAGS,
    operands: 1,
    remote: true,
  },
  {
    names: 'docker podman nerdctl',
    path: 'run',
    values: DOCKER_RUN,
    flags: DOCKER_FLAGS,
    operands: 1,
    remote: true,
  },
  {
    names: 'docker podman nerdctl',
    path: 'container run',
    values: DOCKER_RUN,
    flags: DOCKER_FLAGS,
    operands: 1,
    remote: true,
  },
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
  { names: 'busybox toybox', values: '' },
  {
    names: 'npx pnpx',
    values: '-p --package -w --workspace --prefix --cache --registry --userconfig',
    flags: '-y --yes --no -q --quiet --no-install --ignore-existing --prefer-offline',
    script: '-c --call',
    runs: 'package',
  },
  {
    names: 'npm',
    path: 'exec|x',
    values: '-p --package -w --workspace --prefix',
    flags: '-y --yes --no -ws --workspaces',
    script: '-c --call',
    runs: 'package',
    directory: '--prefix -C',
  },
  {
    names: 'pnpm',
    path: 'exec|x',
    values: '-F --filter --filter-prod --workspace-concurrency --loglevel',
    flags: '-r --recursive --parallel -w --workspace-root --no-bail -c --shell-mode',
    directory: '-C --dir',
    runs: 'package',
  },
  {
    names: 'pnpm',
    path: 'dlx',
    values: '--package -F --filter',
    flags: '-c --shell-mode -s --silent',
    directory: '-C --dir',
    runs: 'package',
  },
  { names: 'yarn', path: 'exec', directory: '--cwd', runs: 'package' },
  {
    names: 'yarn',
    path: 'dlx',
    values: '-p --package',
    flags: '-q --quiet',
    directory: '--cwd',
    runs: 'package',
  },
  {
    names: 'yarn',
    path: 'workspaces foreach',
    values: '--since --include --exclude -j --jobs --from --limit',
    flags:
      '-A --all -R --recursive -W --worktree --no-private -p --parallel -i --interlaced -t --topological --topological-dev -v --verbose --dry-run',
    runs: 'package',
  },
  { names: 'bunx', flags: '--bun -y', values: '-p --package', runs: 'package' },
  { names: 'bun', path: 'x', flags: '--bun -y', runs: 'package' },
  { names: 'deno', path: 'task', values: '--cwd' },
  { names: 'corepack', values: '', runs: 'package' },
  {
    names: 'uvx',
    values: '--from --with -p --python --index --index-url --default-index',
    flags: '-q --isolated --refresh',
    runs: 'package',
  },
  {
    names: 'uv',
    path: 'tool run',
    values: '--from --with -p --python --index',
    flags: '-q --isolated',
    runs: 'package',
  },
  {
    names: 'uv',
    path: 'run',
    values:
      '--with --extra --group -p --python --env-file --package --index --with-requirements --with-editable --only-group --no-group',
    flags:
      '-q --frozen --locked --no-sync --no-dev --all-extras --isolated --active --no-project -v',
    directory: '--directory --project',
  },
  {
    names: 'pipx',
    path: 'run',
    values: '--spec --python --pip-args --index-url',
    flags: '--no-cache',
    runs: 'package',
  },
  {
    names: 'poetry pdm pipenv hatch rye pixi',
    path: 'run',
    values: '-e --env --environment --manifest-path',
    directory: '-C --directory -P --project -p',
  },
  { names: 'bundle', path: 'exec', values: '--gemfile', flags: '--keep-file-descriptors' },
  {
    names: 'conda mamba micromamba',
    path: 'run',
    values: '-n --name -p --prefix --cwd',
    flags: '--no-capture-output --live-stream -v',
  },
  {
    names: 'mise rtx',
    path: 'exec|x',
    values: '-C --cd -j --jobs',
    script: '-c --command',
    afterDashes: 'always',
  },
  { names: 'asdf', path: 'exec' },
  { names: 'direnv', path: 'exec', operands: 1, directory: '' },
  {
    names: 'nix',
    path: 'develop|shell',
    values: '--profile -I --arg --argstr --override-input --option -k --keep --unset',
    script: '',
  },
  {
    names: 'nix-shell',
    values: '-p --packages -A --attr -I -E --arg',
    script: '--run --command',
    afterDashes: 'always',
  },
  {
    names: 'nix',
    path: 'run',
    values: '-I --arg --override-input',
    operands: 1,
    afterDashes: 'maybe',
  },
  {
    names: 'devbox devenv',
    path: 'run|shell',
    values: '-c --config -e --env',
    afterDashes: 'maybe',
  },
  {
    names: 'volta',
    path: 'run',
    values: '--node --npm --yarn --pnpm',
    flags: '--bundled-npm --no-yarn',
  },
  { names: 'fnm', path: 'exec', values: '--using', afterDashes: 'maybe' },
  { names: 'nvm n', path: 'exec|run', operands: 1 },
  { names: 'rbenv pyenv nodenv jenv', path: 'exec' },
  { names: 'rvm', afterDashes: 'always', path: 'exec|do' },
  {
    names: 'dotenv dotenvx dotenv-cli',
    path: '',
    values: '-e -f -v -c -p --env-file --env',
    afterDashes: 'maybe',
  },
  { names: 'dotenv dotenvx', path: 'run', values: '-f -e --env-file --env', afterDashes: 'maybe' },
  {
    names: 'cross-env cross-env-shell env-cmd',
    values: '-f --file -e --environments',
    flags: '--silent --no-override',
    assignments: true,
  },
  {
    names: 'op doppler infisical teller phase',
    path: 'run',
    values: '--env-file --project -p --config -c --env --path --token',
    afterDashes: 'maybe',
  },
  { names: 'doppler', path: 'run', script: '--command' },
  {
    names: 'aws-vault chamber summon envchain aws-okta saml2aws',
    path: 'exec',
    values: '-d --duration --region',
    operands: 1,
    afterDashes: 'maybe',
  },
  { names: 'sops', path: 'exec-env', operands: 1, runs: 'text' },
  { names: 'envchain', operands: 1 },
  {
    names: 'concurrently',
    values:
      '-n --names -c --prefix-colors -p --prefix -m --max-processes --restart-tries --restart-after -l --prefix-length -t --timestamp-format --cwd -s --success',
    flags: '-k --kill-others --kill-others-on-fail -r --raw -g --group --no-color -i',
    runs: 'texts',
  },
  { names: 'start-server-and-test server-test', runs: 'texts' },
  {
    names: 'lerna',
    path: 'exec',
    values: '--scope --ignore --since --concurrency',
    flags: '--parallel --no-bail --stream --no-prefix --no-private',
    afterDashes: 'maybe',
    runs: 'text',
  },
  { names: 'rushx', values: '' },
  {
    names: 'tmux',
    path: 'new-session|new|new-window|neww|split-window|splitw|respawn-pane|run-shell|run',
    values: '-s -n -c -t -x -y -e -F -l',
    flags: '-d -A -P -h -v -b',
    runs: 'text',
  },
  { names: 'tmux', path: 'send-keys|send', values: '-t -N', flags: '-R -l', runs: 'text' },
  { names: 'screen', values: '-S -c -e -p -s -t -T', flags: '-d -m -dm -dmS -L', script: '' },
  {
    names: 'zellij',
    path: 'run',
    values: '-d -n --name --cwd',
    flags: '-c -f -i',
    afterDashes: 'maybe',
  },
  { names: 'expect', script: '-c' },
  {
    names: 'parallel-ssh pssh pdsh clush',
    values: '-h -H -l -w -g -x -t -p',
    runs: 'text',
    remote: true,
  },
  { names: 'dumb-init tini catatonit', flags: '-c -v -s -g', afterDashes: 'maybe' },
  { names: 'go', path: 'run', values: '-C -mod -tags -ldflags', style: 'word', runs: 'package' },
  {
    names: 'cargo',
    path: 'watch',
    values: '-w --watch -i --ignore -d --delay',
    script: '-s --shell -x --exec',
  },
];
