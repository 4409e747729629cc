/** The table of programs that run another command: which of their words come before that command. */

/** A row of the table. Lists are words separated by blanks. */
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
  /** The kind of the remaining words; they are a command's words if it is absent. */
  readonly runs?: 'words' | 'text' | 'texts' | 'package' | 'image' | 'subcommand';
  /** Options that name a module of Python to run instead. */
  readonly module?: string;
  /** Options whose value is a shell text that runs instead. */
  readonly script?: string;
  /** Its texts are shell commands only after this: `\\!`. */
  readonly after?: RegExp;
  /** Options that name the folder the command runs in. */
  readonly directory?: string;
  /** It runs on another machine or in a container: folder and variables are unknown there. */
  readonly remote?: true;
}

const wrapper = (names: string, rest?: Omit<Wrapper, 'names'>): Wrapper => ({ names, ...rest });

const DOCKER_RUN =
  '-v --volume -w --workdir -e --env --env-file -u --user -p --publish --name --network --net ' +
  '--entrypoint -l --label --mount --platform --memory -m --cpus --add-host --hostname -h --gpus ' +
  '--restart --pull --device --cap-add --cap-drop --tmpfs --ulimit --shm-size --security-opt ' +
  '--log-driver --log-opt --link --ipc --pid --cidfile --dns --expose --label-file --runtime --userns ' +
  '--volumes-from --stop-signal --stop-timeout --health-cmd --ip --mac-address --isolation -c';
const DOCKER_FLAGS =
  '--rm -i --interactive -t --tty -it -ti -d --detach --init --privileged --read-only -P';

const COMPOSE = {
  values: `-f --file -p --project-name --profile --project-directory --index ${DOCKER_RUN}`,
  flags: `-T --no-deps --service-ports --build ${DOCKER_FLAGS}`,
  operands: 1,
  remote: true,
} as const;

const NPX = {
  values: '-p --package -w --workspace --prefix --cache --registry --userconfig',
  flags:
    '-y --yes --no -q --quiet --no-install --ignore-existing --prefer-offline -ws --workspaces',
  script: '-c --call',
  runs: 'package',
} as const;
const UV_TOOL = {
  values: '--from --with -p --python --index --index-url --default-index',
  flags: '-q --isolated --refresh',
  runs: 'package',
} as const;
const DOTENV = { values: '-e -f -v -c -p --env-file --env', afterDashes: 'maybe' } as const;

export const WRAPPERS: readonly Wrapper[] = [
  // Programs that run another one with other rights, limits, input, or at another time.
  // Their own options are read both with and without a value.
  wrapper(
    'nohup chronic unbuffer catchsegv proxychains proxychains4 torsocks torify eatmydata rlwrap firejail cgexec chrt prlimit ' +
      'noglob nocorrect and or not setpriv setarch unshare nsenter systemd-inhibit numactl valgrind heaptrack linux32 linux64 i386 x86_64 fakeroot flatpak-spawn',
  ),
  // `repeat`, `noglob` and the like are words of zsh and fish.
  wrapper('repeat gosu su-exec setuidgid chpst setlock lckdo softlimit envdir', { operands: 1 }),
  wrapper('setsid', { flags: '-c --ctty -f --fork -w --wait' }),
  wrapper('time gtime', {
    values: '-o --output -f --format',
    flags: '-p -v -a --append --portability --verbose',
  }),
  wrapper('ssh-agent', { values: '-a -E -P -t', flags: '-c -D -d -k -s' }),
  wrapper('faketime', { values: '--date-prog', flags: '-m -f', operands: 1 }),
  wrapper('cmake', { path: 'env|time', flags: '-E', assignments: true }),
  wrapper('cmake', { path: 'chdir', flags: '-E', operands: 1 }),
  wrapper('caffeinate', { values: '-t -w', flags: '-d -i -m -s -u' }),
  wrapper('env genv', {
    values: '-u --unset',
    flags: '-i -0 -v --ignore-environment --debug',
    script: '-S --split-string',
    directory: '-C --chdir',
    assignments: true,
  }),
  wrapper('sudo gosudo', {
    values:
      '-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -U --other-user -T -R --chroot',
    flags:
      '-E -H -n -S -b -i -s -k -K -A -P --preserve-env --login --shell --non-interactive --stdin',
    directory: '-D --chdir',
    assignments: true,
  }),
  wrapper('doas', { values: '-u -C', flags: '-n -s -L', assignments: true }),
  wrapper('pkexec', { values: '--user', flags: '--disable-internal-agent --keep-cwd' }),
  wrapper('su runuser', {
    values: '-s --shell -g --group -G --supp-group -w --whitelist-environment -u --user',
    flags: '- -l --login -m -p',
    script: '-c --command --session-command',
    afterDashes: 'always',
  }),
  wrapper('timeout gtimeout', {
    values: '-k --kill-after -s --signal',
    flags: '--preserve-status --foreground -v --verbose',
    operands: 1,
  }),
  wrapper('nice gnice', { values: '-n --adjustment' }),
  wrapper('ionice', { values: '-c --class -n --classdata', flags: '-t --ignore' }),
  wrapper('stdbuf gstdbuf', { values: '-i --input -o --output -e --error' }),
  wrapper('taskset', { flags: '-c --cpu-list -a', operands: 1 }),
  wrapper('systemd-run', {
    values:
      '-p --property -u --unit -M --machine -H --host --slice -E --setenv --working-directory --uid --gid',
    flags: '--scope --user --wait --pipe -P --pty -t -q --collect -G -r --no-block',
  }),
  wrapper('xvfb-run', {
    values: '-n --server-num -s --server-args -e --error-file -f --auth-file -w --wait -p',
    flags: '-a -l',
  }),
  wrapper('bwrap dbus-run-session', { afterDashes: 'maybe' }),
  wrapper('arch', { flags: '-arm64 -x86_64 -arch', values: '-e -d' }),
  wrapper('chroot', { values: '--userspec --groups', operands: 1 }),
  wrapper('strace ltrace dtruss', {
    values: '-e -o -p -s -u -E -a -I -O -S -P',
    flags: '-f -ff -c -C -t -tt -q -v -x -y',
  }),
  wrapper('gdb lldb', { afterDashes: 'always' }),
  wrapper('hyperfine', {
    values:
      '-w --warmup -r --runs -m --min-runs -M --max-runs -p --prepare -c --cleanup -s --setup -L --parameter-list -P --parameter-scan -n --command-name --export-json --export-markdown --export-csv -S --shell -u --time-unit',
    runs: 'texts',
  }),
  wrapper('watch viddy', {
    values: '-n --interval -q --equexit',
    flags: '-d -t -b -e -g -c -x --differences --no-title --errexit --chgexit --color',
    runs: 'text',
  }),
  wrapper('entr', { flags: '-a -c -cc -d -n -p -r -rc -z -x', script: '-s' }),
  wrapper('watchexec', {
    values:
      '-w --watch -e --exts -i --ignore -f --filter -s --signal -d --debounce --shell -E --env',
    flags: '-r --restart -c --clear -n -p',
    runs: 'text',
  }),
  wrapper('nodemon', {
    values: '-e --ext -w --watch -i --ignore -d --delay -s --signal --config --cwd',
    script: '-x --exec',
    afterDashes: 'always',
  }),
  wrapper('onchange chokidar chokidar-cli', {
    values: '-d --delay',
    script: '-c --command',
    afterDashes: 'always',
  }),
  wrapper('retry', {
    values: '-t --times -d --delay -m --max -u --until -w',
    afterDashes: 'maybe',
  }),
  wrapper('script', {
    values: '-E -I -O -B -T -m -o',
    flags: '-q -a -e -f --quiet --return --flush',
    script: '-c --command',
    operands: 1,
  }),
  wrapper('flock', {
    values: '-w --wait --timeout -E --conflict-exit-code',
    flags: '-n -s -x -e -u -o -F',
    operands: 1,
    script: '-c --command',
  }),
  wrapper('busybox toybox', { values: '' }),
  wrapper('concurrently', {
    values:
      '-n --names -c --prefix-colors -p --prefix -m --max-processes --restart-tries --restart-after -l --prefix-length -t --timestamp-format --cwd -s --success',
    flags: '-k --kill-others --kill-others-on-fail -r --raw -g --group --no-color -i',
    runs: 'texts',
  }),
  wrapper('start-server-and-test server-test', { runs: 'texts' }),
  wrapper('tmux', {
    path: 'new-session|new|new-window|neww|split-window|splitw|respawn-pane|run-shell|run',
    values: '-s -n -c -t -x -y -e -F -l',
    flags: '-d -A -P -h -v -b',
    runs: 'text',
  }),
  wrapper('tmux', { path: 'send-keys|send', values: '-t -N', flags: '-R -l', runs: 'text' }),
  wrapper('screen', { path: 'stuff', values: '-S -p', flags: '-X', runs: 'text' }),
  wrapper('screen', { values: '-S -c -e -p -s -t -T', flags: '-d -m -L -D -R -x' }),
  wrapper('zellij', { path: 'run', values: '-d -n --name --cwd', afterDashes: 'maybe' }),
  wrapper('perf', { path: 'stat|record|trace', values: '-e -o -p -r -F -c', flags: '-a -g -d' }),
  wrapper('nu xonsh elvish', { script: '-c --commands', afterDashes: 'always' }),
  // Programs for which starting others is a side matter.
  wrapper('rsync', { script: '-e --rsh', afterDashes: 'always' }),
  wrapper('tar gtar bsdtar', { script: '--to-command', afterDashes: 'always' }),
  wrapper('tar gtar', { script: '--checkpoint-action', after: /^exec=/, afterDashes: 'always' }),
  wrapper('gdb', { script: '-ex', style: 'word', after: /^\s*(?:shell|!)/, afterDashes: 'always' }),
  wrapper('psql', { script: '-c --command', after: /\\!/, afterDashes: 'always' }),
  wrapper('sqlite3', { runs: 'text', operands: 1, after: /^\.(?:shell|system)/ }),
  wrapper('dumb-init tini catatonit', { flags: '-c -v -s -g', afterDashes: 'maybe' }),
  // Programs that run a command on another machine or in a container.
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
  wrapper('docker podman', { path: 'compose exec|run', ...COMPOSE }),
  wrapper('docker-compose podman-compose', { path: 'exec|run', ...COMPOSE }),
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
  // Package runners, environments and secret stores: the program is prepared for the command.
  wrapper('npx pnpx', NPX),
  wrapper('npm', { path: 'explore', operands: 1, afterDashes: 'maybe', runs: 'text' }),
  wrapper('npm', { path: 'exec|x', ...NPX, directory: '--prefix -C' }),
  wrapper('pnpm', {
    path: 'exec|x|dlx',
    values: '-F --filter --filter-prod --workspace-concurrency --loglevel --package',
    flags: '-r --recursive --parallel -w --workspace-root --no-bail -c --shell-mode -s --silent',
    directory: '-C --dir',
    runs: 'package',
  }),
  wrapper('yarn', {
    path: 'exec|dlx',
    values: '-p --package',
    flags: '-q --quiet',
    directory: '--cwd',
    runs: 'package',
  }),
  wrapper('yarn', {
    path: 'workspaces foreach',
    values: '--since --include --exclude -j --jobs --from --limit',
    flags:
      '-A --all -R --recursive -W --worktree --no-private -p --parallel -i --interlaced -t --topological --topological-dev -v --verbose --dry-run',
    runs: 'subcommand',
  }),
  wrapper('bunx', { flags: '--bun -y', values: '-p --package', runs: 'package' }),
  wrapper('bun', { path: 'x', flags: '--bun -y', runs: 'package' }),
  wrapper('deno', { path: 'task', values: '--cwd' }),
  wrapper('corepack', { values: '', runs: 'package' }),
  wrapper('uvx', UV_TOOL),
  wrapper('uv', { path: 'tool run', ...UV_TOOL }),
  wrapper('uv', {
    path: 'run',
    module: '-m --module',
    values:
      '--with --extra --group -p --python --env-file --package --index --with-requirements --with-editable --only-group --no-group',
    flags:
      '-q --frozen --locked --no-sync --no-dev --all-extras --isolated --active --no-project -v',
    directory: '--directory --project',
  }),
  wrapper('pipx', {
    path: 'run',
    values: '--spec --python --pip-args --index-url',
    flags: '--no-cache',
    runs: 'package',
  }),
  wrapper('poetry pdm pipenv hatch rye pixi', {
    path: 'run',
    values: '-e --env --environment --manifest-path',
    directory: '-C --directory -P --project -p',
  }),
  wrapper('bundle', { path: 'exec', values: '--gemfile', flags: '--keep-file-descriptors' }),
  wrapper('conda mamba micromamba', {
    path: 'run',
    values: '-n --name -p --prefix --cwd',
    flags: '--no-capture-output --live-stream -v',
  }),
  wrapper('mise rtx', {
    path: 'exec|x',
    values: '-C --cd -j --jobs',
    script: '-c --command',
    afterDashes: 'always',
  }),
  wrapper('direnv', { path: 'exec', operands: 1, directory: '' }),
  wrapper('nix', {
    path: 'develop|shell',
    values: '--profile -I --arg --argstr --override-input --option -k --keep --unset',
  }),
  wrapper('nix-shell', {
    values: '-p --packages -A --attr -I -E --arg',
    script: '--run --command',
    afterDashes: 'always',
  }),
  wrapper('nix', { path: 'run', values: '-I --arg --override-input', runs: 'package' }),
  wrapper('volta', {
    path: 'run',
    values: '--node --npm --yarn --pnpm',
    flags: '--bundled-npm --no-yarn',
  }),
  wrapper('fnm', { path: 'exec', values: '--using', afterDashes: 'maybe' }),
  wrapper('nvm n', { path: 'exec|run', operands: 1 }),
  wrapper('asdf rbenv pyenv nodenv jenv', { path: 'exec' }),
  wrapper('devbox devenv', {
    path: 'run|shell',
    values: '-c --config -e --env',
    afterDashes: 'maybe',
  }),
  wrapper('dotenv dotenvx dotenv-cli', DOTENV),
  wrapper('dotenv dotenvx', { path: 'run', ...DOTENV }),
  wrapper('cross-env cross-env-shell env-cmd', {
    values: '-f --file -e --environments',
    flags: '--silent --no-override',
    assignments: true,
  }),
  wrapper('op doppler infisical teller phase', {
    path: 'run',
    values: '--env-file --project -p --config -c --env --path --token',
    afterDashes: 'maybe',
  }),
  wrapper('doppler', { path: 'run', script: '--command' }),
  wrapper('aws-vault chamber summon envchain aws-okta saml2aws', {
    path: 'exec',
    values: '-d --duration --region',
    operands: 1,
    afterDashes: 'maybe',
  }),
  wrapper('sops', { path: 'exec-env', operands: 1, runs: 'text' }),
  wrapper('lerna', {
    path: 'exec',
    values: '--scope --ignore --since --concurrency',
    flags: '--parallel --no-bail --stream --no-prefix --no-private',
    afterDashes: 'maybe',
    runs: 'text',
  }),
  wrapper('go', { path: 'run', values: '-C -mod -tags -ldflags', style: 'word', runs: 'package' }),
  wrapper('cargo', {
    path: 'watch',
    values: '-w --watch -i --ignore -d --delay',
    script: '-s --shell -x --exec',
  }),
];
