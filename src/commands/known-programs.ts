/**
 * Programs that release nothing by themselves: their words are files, patterns, texts or names of
 * anything, so that a release verb among them names nothing. A program is added as a word of the row that
 * says the same of others, or as a row of its own.
 */

interface KnownProgram {
  readonly names: string;
  readonly readsOnly?: true;
  /** It changes files: what it leaves differs from the present content. */
  readonly edits?: true;
  /** It is an agent that asks no hooks of lanehold before it runs something. */
  readonly startsAgent?: true;
  /** It is assumed to succeed: its failure is no second outcome of a command. */
  readonly succeeds?: true;
}

const PROGRAMS: readonly KnownProgram[] = [
  // The shell itself.
  {
    names: ': cd pushd popd echo printf export set true declare local readonly unset',
    readsOnly: true,
    succeeds: true,
  },
  { names: 'source . mkdir', succeeds: true },
  // Programs that print what they read.
  {
    names: `[ arch basename cat cmp comm cut date df diff dirname du egrep exit false fgrep grep head hostname id jq ls
    md5sum nl nproc od paste pgrep ps pwd readlink realpath rev rg seq sha1sum sha256sum shopt sleep sort stat
    strings tac tail test tr type ulimit umask uname uniq uptime wait wc which whoami`,
    readsOnly: true,
  },
  // Programs that run another, which is looked at by itself.
  {
    names: 'builtin command doas env eval exec nice nohup setsid stdbuf sudo time timeout',
    readsOnly: true,
  },
  // Programs that change files.
  { names: 'cp dd ed ex install ln mv patch perl rm rsync sed tee truncate unlink', edits: true },
  {
    names: `goose amp aider llm crush cline plandex mods sgpt aichat gptme interpreter droid auggie qwen
    codebuff openhands`,
    startsAgent: true,
  },
  // Files, texts and archives; processes and the machine; packages of the system; tests, compilers and
  // linters; and programs whose tasks are scripts of the project, which are looked at by themselves.
  {
    names: `[[ dir exa eza lsd bat less more most rmdir touch chmod chown chgrp file tree mktemp split csplit shred rename
    trash rip whereis hash man info apropos whatis tldr help who groups cal lsb_release zgrep ag ack ugrep git-grep
    gsed awk join colordiff fold fmt column expand xxd hexdump iconv base64 base32 md5 sha512sum shasum b2sum cksum
    yq jaq gojq fx dasel xmllint xq csvkit mlr shuf look spell aspell envsubst sponge ts pv yes tar bsdtar zip unzip
    gzip gunzip zcat bzip2 xz zstd 7z 7za ar cpio openssl ssh-keygen ssh-add ssh-copy-id gpg gpg2 age sops minisign
    vi vim nvim nano emacs emacsclient micro helix hx code code-insiders subl zed idea webstorm pycharm goland open
    xdg-open start glow mdcat top htop btop kill killall pkill pidof lsof fuser ss netstat nc ncat telnet ping dig
    nslookup host traceroute ip ifconfig watch tmux screen byobu zellij systemctl service journalctl loginctl
    launchctl supervisorctl initctl rc-service crontab atq jobs fg bg disown alias unalias trap return read let
    shift getopts printenv notify-send say pbcopy pbpaste xclip xsel wl-copy wl-paste osascript terminal-notifier
    sqlite3 duckdb psql mysql mongosh mongo redis-cli valkey-cli usql nats mosquitto_pub mosquitto_sub rabbitmqadmin
    kafka-console-producer kafka-console-consumer kcat kafkactl rpk wscat websocat grpcurl evans ab hey wrk k6 apt
    apt-get apt-cache aptitude dpkg yum dnf rpm apk pacman yay paru zypper emerge brew port snap flatpak winget
    choco scoop pip pip3 pipx gem asdf mise rtx nvm fnm n volta pyenv rbenv nodenv sdk rustup conda mamba micromamba
    ghcup opam luarocks cpan cpanm pytest py.test nose2 unittest tox nox vitest jest mocha ava tap c8 nyc karma
    jasmine playwright cypress wdio rspec minitest cucumber behave phpunit pest ctest bats gtest go gofmt goimports
    golangci-lint staticcheck gcc g++ cc c++ clang clang++ ld rustc rustfmt javac java kotlinc kotlin scalac scala
    ghc ghci runghc tsc swc esbuild rollup webpack webpack-cli vite parcel tsup tsdown unbuild babel eslint oxlint
    oxfmt biome prettier dprint stylelint standard xo tslint knip depcheck madge cspell markdownlint
    markdownlint-cli2 markdownlint-cli textlint vale alex typedoc jsdoc publint attw size-limit bundlesize
    commitlint lint-staged ruff black isort flake8 pylint mypy pyright pyre bandit vulture autopep8 yapf interrogate
    pydocstyle coverage rubocop standardrb brakeman erb php phpcs phpstan psalm php-cs-fixer shellcheck shfmt
    hadolint yamllint actionlint zizmor ansible-lint tflint tfsec checkov trivy grype syft semgrep snyk gitleaks
    trufflehog kubeconform kubeval kube-linter conftest opa pluto polaris infracost terraform-docs buf protoc sqlc
    sqlfluff pgformatter clang-format clang-tidy cppcheck cmake ninja meson zig nim crystal v julia R Rscript octave
    matlab elixir iex erl erlc lua luac ruby node bun python python3 deno tsx ts-node nodemon http-server serve
    live-server json-server uvicorn gunicorn flask gradio jupyter pandoc latexmk pdflatex xelatex sphinx-build
    asciidoctor dot mmdc plantuml convert magick ffmpeg ffprobe identify exiftool yt-dlp tesseract ansible-inventory
    ansible-vault createdb dropdb rimraf cpx cpy copyfiles ncp shx venv virtualenv compileall py_compile pydoc
    zipapp nix-env nix-store nix-build nix-shell dive fzf sk tokei cloc scc ctags universal-ctags ast-grep sg comby
    gron watchman entr hyperfine lanehold degit tiged cookiecutter copier yo plop hygen ollama llm act
    pre-commit lefthook husky direnv adb xcrun xcodebuild xcodegen simctl stern kubectx kubens k9s lazygit tig gitui
    make gmake just task rake Push-Location Pop-Location`,
  },
];

let byName: ReadonlyMap<string, KnownProgram> | undefined;

export function knownProgram(name: string): KnownProgram | undefined {
  byName ??= new Map(
    PROGRAMS.flatMap((row) => row.names.split(/\s+/).map((it) => [it, row] as const)),
  );
  return byName.get(name);
}
