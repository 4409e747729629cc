/** Programs whose words are files, patterns, texts or names of anything. */
export const TAKES_DATA =
  // Shell and files.
  '[ [[ test echo printf true false cd pushd popd ls dir exa eza lsd cat bat tac head tail less more most cp mv rm ln mkdir rmdir touch chmod ' +
  'chown chgrp stat file du df tree readlink realpath basename dirname mktemp truncate dd split csplit shred install rename trash rip unlink ' +
  'pwd which whereis type hash command man info apropos whatis tldr help id who whoami groups date cal sleep uptime uname hostname lsb_release ' +
  // Texts.
  'grep egrep fgrep zgrep rg ag ack ugrep git-grep sed gsed awk tr cut paste join sort uniq comm diff colordiff cmp patch wc nl fold fmt column expand tee ' +
  'xxd hexdump od strings iconv base64 base32 md5 md5sum sha1sum sha256sum sha512sum shasum b2sum cksum jq yq jaq gojq fx dasel xmllint xq csvkit mlr ' +
  'seq shuf rev look spell aspell envsubst sponge ts pv yes ' +
  // Archives and keys.
  'tar bsdtar zip unzip gzip gunzip zcat bzip2 xz zstd 7z 7za ar cpio openssl ssh-keygen ssh-add ssh-copy-id gpg gpg2 age sops minisign ' +
  // Editors and viewers.
  'vi vim nvim nano emacs emacsclient micro helix hx ed code code-insiders subl zed idea webstorm pycharm goland open xdg-open start glow mdcat ' +
  // Processes, sessions and the machine.
  'ps top htop btop kill killall pkill pgrep pidof lsof fuser ss netstat nc ncat telnet ping dig nslookup host traceroute ip ifconfig watch time ' +
  'tmux screen byobu zellij systemctl service journalctl loginctl launchctl supervisorctl initctl rc-service crontab atq jobs fg bg wait disown ' +
  'export unset set declare local readonly alias unalias source . eval exec trap return exit read let shift getopts ulimit umask env printenv ' +
  'notify-send say pbcopy pbpaste xclip xsel wl-copy wl-paste osascript terminal-notifier sqlite3 duckdb psql mysql mongosh mongo redis-cli valkey-cli usql ' +
  // Messages between programs.
  'nats mosquitto_pub mosquitto_sub rabbitmqadmin kafka-console-producer kafka-console-consumer kcat kafkactl rpk wscat websocat grpcurl evans ab hey wrk k6 ' +
  // Packages of the system and tool versions.
  'apt apt-get apt-cache aptitude dpkg yum dnf rpm apk pacman yay paru zypper emerge brew port snap flatpak winget choco scoop pip pip3 pipx gem asdf mise ' +
  'rtx nvm fnm n volta pyenv rbenv nodenv sdk rustup conda mamba micromamba ghcup opam luarocks cpan cpanm ' +
  // Tests, compilers, formatters and linters.
  'pytest py.test nose2 unittest tox nox vitest jest mocha ava tap c8 nyc karma jasmine playwright cypress wdio rspec minitest cucumber behave phpunit pest ' +
  'ctest bats gtest go gofmt goimports golangci-lint staticcheck gcc g++ cc c++ clang clang++ ld rustc rustfmt javac java kotlinc kotlin scalac scala ghc ' +
  'ghci runghc tsc swc esbuild rollup webpack webpack-cli vite parcel tsup tsdown unbuild babel eslint oxlint oxfmt biome prettier dprint stylelint standard ' +
  'xo tslint knip depcheck madge cspell markdownlint markdownlint-cli2 markdownlint-cli textlint vale alex typedoc jsdoc publint attw size-limit ' +
  'bundlesize commitlint lint-staged ruff black isort flake8 pylint mypy pyright pyre bandit vulture autopep8 yapf interrogate pydocstyle coverage ' +
  'rubocop standardrb brakeman erb php phpcs phpstan psalm php-cs-fixer shellcheck shfmt hadolint yamllint actionlint zizmor ansible-lint tflint tfsec ' +
  'checkov trivy grype syft semgrep snyk gitleaks trufflehog kubeconform kubeval kube-linter conftest opa pluto polaris infracost terraform-docs ' +
  'buf protoc sqlc sqlfluff pgformatter clang-format clang-tidy cppcheck cmake ninja meson zig nim crystal v julia R Rscript octave matlab elixir iex erl erlc ' +
  'lua luac perl ruby node bun python python3 deno tsx ts-node nodemon http-server serve live-server json-server uvicorn gunicorn flask gradio ' +
  'jupyter pandoc latexmk pdflatex xelatex sphinx-build asciidoctor dot mmdc plantuml convert magick ffmpeg ffprobe identify exiftool yt-dlp tesseract ' +
  // Code that is only looked at, and other agents.
  'ansible-inventory ansible-vault createdb dropdb rimraf cpx cpy copyfiles ncp shx venv virtualenv compileall py_compile pydoc zipapp nix-env nix-store nix-build nix-shell dive fzf sk tokei cloc scc ctags universal-ctags ast-grep sg comby gron watchman entr hyperfine aider lanehold degit tiged cookiecutter ' +
  'copier yo plop hygen ollama llm act pre-commit lefthook husky direnv adb xcrun xcodebuild xcodegen simctl stern kubectx kubens k9s lazygit tig gitui ' +
  // Read elsewhere: their tasks are scripts of the project.
  'make gmake just task rake';
