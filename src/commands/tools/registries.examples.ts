import type { Examples } from './rule.ts';

export const javascriptRegistriesExamples: Examples = {
  'npm publish': {
    releases: [
      'npm publish',
      'npm publ',
      'npm -w pkg publish',
      'npm publish --dry-run=false',
      'npm publish --no-dry-run',
      'npm publish --dry-run --no-dry-run',
      'yarn workspaces foreach -pt run npm publish',
    ],
    harmless: [
      'npm publish --dry-run',
      'npm publish --dry-run=true',
      'npm publish --dry-run true',
      'npm publish --registry http://localhost:4873',
      'npm_config_registry=http://localhost:4873 npm publish',
      'npm pack',
      'npm view a',
      'npm install publish',
      'npm run publish-docs',
      'npm version patch',
      'npm help publish',
      'npm unpublish a@1',
      'npm deprecate a@1 old',
    ],
  },
  'npm stage publish': { releases: ['npm stage publish'], harmless: ['npm stage list'] },
  'npm dist-tag add': {
    releases: ['npm dist-tag add a@1 latest', 'npm dist-tags add a@1 x', 'pnpm dist-tag add a@1 x'],
    harmless: ['npm dist-tag ls', 'pnpm dist-tag ls'],
  },
  'pnpm publish': {
    releases: ['pnpm publish -r', 'pnpm --filter a publish'],
    harmless: ['pnpm publish --dry-run', 'pnpm install', 'pnpm add publish'],
  },
  'pnpm npm publish': { releases: ['pnpm npm publish'], harmless: ['pnpm npm view a'] },
  'yarn publish': {
    releases: ['yarn publish --new-version 1.0.0'],
    harmless: ['yarn add publish', 'yarn workspaces foreach run build'],
  },
  'yarn npm publish': {
    releases: ['yarn npm publish', 'yarn workspace a npm publish'],
    harmless: ['yarn npm info a'],
  },
  'yarn npm tag add': { releases: ['yarn npm tag add a@1 x'], harmless: ['yarn npm tag list'] },
  'bun publish': { releases: ['bun publish'], harmless: ['bun publish --dry-run', 'bun pm ls'] },
  'deno publish': { releases: ['deno publish'], harmless: ['deno publish --dry-run'] },
  'jsr publish': {
    releases: ['jsr publish', 'npx jsr publish'],
    harmless: ['jsr publish --dry-run', 'jsr add @std/path'],
  },
};

export const pythonRegistriesExamples: Examples = {
  'twine upload': {
    releases: [
      'twine upload dist/*',
      'twine upload -xn dist/a.whl',
      'python -m twine upload dist/*',
      'twine register dist/a.whl',
    ],
    harmless: [
      'twine check dist/*',
      'twine upload --repository-url http://localhost:8080 dist/*',
      'pip install twine',
    ],
  },
  'setup.py upload': {
    releases: ['python3 setup.py sdist upload', './setup.py register'],
    harmless: ['python3 setup.py sdist', 'python3 setup.py -n sdist upload'],
  },
  'poetry publish': {
    releases: ['poetry publish', 'poetry -C x publish --build'],
    harmless: ['poetry publish --dry-run', 'poetry build'],
  },
  'uv publish': {
    releases: ['uv publish', 'uv --directory x publish dist/*'],
    harmless: ['uv publish --dry-run', 'uv sync', 'uv pip install publish'],
  },
  'hatch publish': { releases: ['hatch publish'], harmless: ['hatch build', 'python -m build'] },
  'flit publish': {
    releases: ['flit publish', 'python -m flit publish'],
    harmless: ['flit install'],
  },
  'pdm publish': {
    releases: ['pdm publish'],
    harmless: ['pdm build', 'pdm publish -r http://localhost:8080'],
  },
  'maturin publish': {
    releases: ['maturin publish', 'maturin upload a.whl'],
    harmless: ['maturin develop --release', 'maturin build'],
  },
  'pixi upload': { releases: ['pixi upload x a.conda'], harmless: ['pixi install'] },
  'R release': {
    releases: ["Rscript -e 'devtools::submit_cran()'", "R -q -e 'rsconnect::deployApp()'"],
    harmless: ["Rscript -e 'devtools::check()'"],
  },
  'anaconda upload': {
    releases: [
      'anaconda upload a.conda',
      'conda upload a',
      'rattler-build upload prefix -c acme a.conda',
    ],
    harmless: ['anaconda search upload', 'conda install upload'],
  },
};

export const jvmRegistriesExamples: Examples = {
  'mvn deploy': {
    releases: [
      'mvn deploy',
      'mvn -q -DskipTests clean deploy',
      'mvn release:perform',
      './mvnw deploy',
      'mvn spring-boot:build-image -Dspring-boot.build-image.publish=true',
      'mvn release:prepare',
    ],
    harmless: [
      'mvn install',
      'mvn -Pdeploy package',
      'mvn deploy -Dmaven.deploy.skip=true',
      'mvn deploy -DaltDeploymentRepository=x::file:./target/repo',
      'mvn release:prepare -DpushChanges=false',
      'mvn spring-boot:build-image',
      'mvn release:clean',
    ],
  },
  'gradle publish': {
    releases: [
      './gradlew publish',
      './gradlew publish -PossrhUsername=x',
      'gradle :lib:publishAllPublicationsToMavenRepository',
      'gradle publishPlugins',
    ],
    harmless: [
      './gradlew publishToMavenLocal',
      './gradlew publish --dry-run',
      './gradlew build',
      './gradlew assembleRelease',
    ],
  },
  'gradle push image': {
    releases: ['./gradlew jib', 'gradle bootBuildImage --publishImage'],
    harmless: ['./gradlew jibDockerBuild', 'gradle bootBuildImage'],
  },
  'sbt publish': {
    releases: ['sbt publishSigned', "sbt 'project core' +publish"],
    harmless: ['sbt publishLocal', 'sbt publishM2', 'sbt test'],
  },
  'mill publish': {
    releases: ['mill core.publish', 'mill mill.scalalib.PublishModule/publishAll'],
    harmless: ['mill core.publishLocal', 'mill core.compile'],
  },
  'lein deploy': { releases: ['lein deploy clojars', 'lein release'], harmless: ['lein install'] },
  'clojure deploy': {
    releases: ['clojure -T:build deploy', 'clj -X:deploy'],
    harmless: ['clojure -T:build jar', 'clj -M:test'],
  },
};

export const languageRegistriesExamples: Examples = {
  'cargo publish': {
    releases: ['cargo publish -p a', 'cargo +nightly publish', 'cargo -C x publish'],
    harmless: [
      'cargo publish --dry-run',
      'cargo publish -n',
      'cargo +nightly publish --dry-run',
      'cargo publish --index file:///tmp/index --registry file:///tmp/r',
      'cargo build --release',
      'cargo install cargo-release',
      'cargo yank --version 1.0.0',
      'cargo +nightly build --release',
    ],
  },
  'cargo release': {
    releases: ['cargo release patch --execute', 'cargo-release release -x'],
    harmless: ['cargo release patch', 'cargo release config --execute', 'cargo-release patch'],
  },
  'cargo smart-release': {
    releases: ['cargo smart-release --execute'],
    harmless: ['cargo smart-release'],
  },
  'cargo dist host': {
    releases: ['cargo dist host --steps=upload'],
    harmless: ['cargo dist host --steps=check', 'cargo dist build'],
  },
  'cargo xtask release': {
    releases: ['cargo xtask release', 'cargo xtask deploy'],
    harmless: ['cargo xtask ci'],
  },
  'dist host': {
    releases: ['dist host --steps=release'],
    harmless: ['dist build', 'dist host --steps=check'],
  },
  'release-plz': {
    releases: ['release-plz release', 'release-plz release-pr'],
    harmless: ['release-plz update', 'release-plz release --dry-run'],
  },
  'gem push': {
    releases: ['gem push a.gem', 'gem push a.gem -xh'],
    harmless: ['gem build a.gemspec', 'gem install push', 'gem yank a -v 1.0.0'],
  },
  'gem release': { releases: ['gem release'], harmless: ['gem install release'] },
  'gem bump': {
    releases: ['gem bump --version minor --tag --push --release'],
    harmless: ['gem bump --version minor'],
  },
  'rake release': {
    releases: ['rake release', 'bundle exec rake release', 'rake gem:release'],
    harmless: ['rake -n release', 'rake test'],
  },
  'dotnet publish to a registry': {
    releases: [
      'dotnet publish -c Release /t:PublishContainer -p:ContainerRegistry=ghcr.io',
      'dotnet publish /p:ContainerRegistry=ghcr.io /t:PublishContainer',
    ],
    harmless: ['dotnet publish -c Release', 'dotnet publish /t:PublishContainer'],
  },
  'dotnet nuget push': {
    releases: ['dotnet nuget push a.nupkg', 'dotnet nuget push a.nupkg -s https://example.com/v3'],
    harmless: [
      'dotnet nuget list source',
      'dotnet nuget push a.nupkg --source http://localhost:5000/v3',
    ],
  },
  'nuget push': {
    releases: ['nuget push a.nupkg -Source x'],
    harmless: ['nuget pack a.nuspec', 'nuget push a.nupkg -Source http://localhost:5000/v3'],
  },
  'mix hex.publish': {
    releases: ['mix hex.publish', 'mix do deps.get, hex.publish'],
    harmless: ['mix hex.publish --dry-run', 'mix release', 'mix test', 'mix do deps.get, test'],
  },
  'rebar3 hex publish': {
    releases: ['rebar3 hex publish', 'rebar3 hex cut'],
    harmless: ['rebar3 release', 'rebar3 hex publish --dry-run'],
  },
  'dart pub publish': {
    releases: ['dart pub publish --force', 'flutter pub publish'],
    harmless: ['dart pub publish -n', 'dart pub get'],
  },
  'melos publish': { releases: ['melos publish --no-dry-run'], harmless: ['melos publish'] },
  'swift package-registry publish': {
    releases: ['swift package-registry publish acme.a 1.0.0'],
    harmless: ['swift build -c release', 'swift package-registry login'],
  },
  'pod trunk push': { releases: ['pod trunk push A.podspec'], harmless: ['pod lib lint'] },
  'pod repo push': { releases: ['pod repo push acme A.podspec'], harmless: ['pod repo update'] },
  'luarocks upload': { releases: ['luarocks upload a.rockspec'], harmless: ['luarocks make'] },
  'opam publish': {
    releases: ['opam publish'],
    harmless: ['opam install publish', 'opam publish --dry-run'],
  },
  'cabal upload': { releases: ['cabal upload a.tar.gz'], harmless: ['cabal build'] },
  'stack upload': { releases: ['stack upload .'], harmless: ['stack build', 'stack test'] },
  'conan upload': {
    releases: ['conan upload a/1.0 -r x'],
    harmless: ['conan create .', 'conan upload a/1.0 -r x --dry-run'],
  },
  'cpan-upload': {
    releases: ['cpan-upload -u me A-1.tar.gz'],
    harmless: ['cpan-upload --dry-run A-1.tar.gz'],
  },
  'dzil release': { releases: ['dzil release', 'minil release'], harmless: ['dzil build'] },
  'spago publish': { releases: ['spago publish'], harmless: ['spago build'] },
  'rye publish': { releases: ['rye publish --yes'], harmless: ['rye build'] },
  'pants publish': { releases: ['pants publish src/a:dist'], harmless: ['pants test ::'] },
  'scala-cli publish': {
    releases: ['scala-cli publish .'],
    harmless: ['scala-cli test .', 'scala-cli publish local .'],
  },
  'wasm-pack publish': { releases: ['wasm-pack publish -t web'], harmless: ['wasm-pack pack'] },
  'dune-release publish': { releases: ['dune-release publish'], harmless: ['dune-release tag'] },
  'dune-release opam submit': {
    releases: ['dune-release opam submit -y'],
    harmless: ['dune-release opam pkg'],
  },
  'zef upload': { releases: ['zef upload'], harmless: ['zef install a'] },
  'fez upload': { releases: ['fez upload'], harmless: ['fez list'] },
  'cachix push': { releases: ['cachix push acme ./result'], harmless: ['cachix use acme'] },
  'attic push': { releases: ['attic push ci result'], harmless: ['attic use ci'] },
  'wash push': { releases: ['wash push ghcr.io/acme/a:1 a.wasm'], harmless: ['wash build'] },
  'nix copy': {
    releases: ['nix copy --to ssh://cache.example.com ./result'],
    harmless: ['nix copy --from https://cache.example.com a', 'nix build'],
  },
  'cargo workspaces publish': {
    releases: ['cargo workspaces publish --from-git', 'cargo ws publish'],
    harmless: ['cargo workspaces publish --dry-run', 'cargo workspaces list'],
  },
  'gleam publish': { releases: ['gleam publish'], harmless: ['gleam build'] },
  'elm publish': { releases: ['elm publish'], harmless: ['elm bump', 'elm make src/Main.elm'] },
  'nimble publish': { releases: ['nimble publish'], harmless: ['nimble build -d:release'] },
  'brew bump-formula-pr': {
    releases: ['brew bump-formula-pr --url=x a', 'brew bump-cask-pr a', 'brew bump --open-pr a'],
    harmless: ['brew bump a', 'brew bump-formula-pr --dry-run a', 'brew install a'],
  },
};
