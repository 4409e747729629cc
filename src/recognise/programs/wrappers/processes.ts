/** Programs that run another one with other rights, limits, input, or at another time. */
import type { Wrapper } from './wrapper.ts';

export const PROCESS_WRAPPERS: readonly Wrapper[] = [
  { names: 'nohup chronic unbuffer catchsegv proxychains proxychains4 torsocks torify eatmydata' },
  // Words of zsh and fish that stand before a command.
  { names: 'noglob nocorrect and or not' },
  { names: 'repeat', operands: 1 },
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
  { names: 'prlimit', values: '-p --pid -o --output' },
  {
    names: 'setpriv',
    values:
      '--ruid --euid --reuid --rgid --egid --regid --groups --inh-caps --ambient-caps --bounding-set ' +
      '--securebits --selinux-label --apparmor-profile --pdeathsig',
  },
  { names: 'setarch', operands: 1 },
  { names: 'linux32 linux64 i386 x86_64 fakeroot flatpak-spawn' },
  {
    names: 'unshare',
    values:
      '--map-user --map-group --propagation --setgroups -S --setuid -G --setgid -R --root -w --wd',
    flags: '-m -u -i -n -p -U -C -T -r -c -f --fork --mount --pid --net --user --map-root-user',
  },
  {
    names: 'nsenter',
    values: '-t --target -S --setuid -G --setgid',
    flags: '-a -m -u -i -n -p -U -C -r -w -F',
  },
  {
    names: 'systemd-run',
    values:
      '-p --property -u --unit -M --machine -H --host --slice -E --setenv --working-directory --uid --gid',
    flags: '--scope --user --wait --pipe -P --pty -t -q --collect -G -r --no-block',
  },
  { names: 'systemd-inhibit', values: '--what --who --why --mode' },
  {
    names: 'xvfb-run',
    values: '-n --server-num -s --server-args -e --error-file -f --auth-file -w --wait -p',
    flags: '-a -l',
  },
  {
    names: 'numactl',
    values: '-C -N -m -i -p --physcpubind --cpunodebind --membind --interleave --preferred',
    flags: '-l',
  },
  { names: 'bwrap dbus-run-session', afterDashes: 'maybe' },
  { names: 'guix', path: 'shell', afterDashes: 'always' },
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
  { names: 'busybox toybox', values: '' },
  {
    names: 'concurrently',
    values:
      '-n --names -c --prefix-colors -p --prefix -m --max-processes --restart-tries --restart-after -l --prefix-length -t --timestamp-format --cwd -s --success',
    flags: '-k --kill-others --kill-others-on-fail -r --raw -g --group --no-color -i',
    runs: 'texts',
  },
  { names: 'start-server-and-test server-test', runs: 'texts' },
  {
    names: 'tmux',
    path: 'new-session|new|new-window|neww|split-window|splitw|respawn-pane|run-shell|run',
    values: '-s -n -c -t -x -y -e -F -l',
    flags: '-d -A -P -h -v -b',
    runs: 'text',
  },
  { names: 'tmux', path: 'send-keys|send', values: '-t -N', flags: '-R -l', runs: 'text' },
  { names: 'screen', values: '-S -c -e -p -s -t -T', flags: '-d -m -L -D -R -x' },
  {
    names: 'zellij',
    path: 'run',
    values: '-d -n --name --cwd',
    flags: '-c -f -i',
    afterDashes: 'maybe',
  },
  { names: 'expect', script: '-c' },
  { names: 'dumb-init tini catatonit', flags: '-c -v -s -g', afterDashes: 'maybe' },
];
