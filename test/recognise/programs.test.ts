// biome-ignore-all lint/suspicious/noTemplateCurlyInString: program text, not templates
import { expect, test } from 'vitest';
import { verdict } from './reading.ts';

test.each([
  `python3 -c "import os; os.system('git push')"`,
  `python -c "import subprocess as s; s.run(['git', 'push', 'origin'])"`,
  `python3 -c "import subprocess; subprocess.check_call('git push', shell=True)"`,
  `python3 -c "import subprocess; subprocess.Popen(['git'] + ['push'])"`,
  `python3 -c "from subprocess import run; run('git push'.split())"`,
  `python3 -c "import shlex, subprocess; subprocess.run(shlex.split('git push'))"`,
  `python3 -c "import os; os.execvp('git', ['git', 'push'])"`,
  `python3 -c "import os; os.execlp('git', 'git', 'push')"`,
  `python3 -c "import os; os.spawnlp(os.P_WAIT, 'git', 'git', 'push')"`,
  `python3 -c "c = 'git push'\nimport os\nos.system(c)"`,
  `python3 -c "import os; os.system(f'git push {remote}')"`,
  `python3 -c "import os; os.system('git push %s' % remote)"`,
  "python3 <<'EOF'\nimport subprocess\nsubprocess.run([\n  'git',  # comment\n  'push',\n])\nEOF",
  "cat > t.py <<'EOF'\nimport os\nos.system('git push')\nEOF\npython3 t.py",
  `node -e "require('child_process').execSync('git push')"`,
  `node -e "require('child_process').spawnSync('git', ['push'])"`,
  `node --input-type=module -e "import { exec } from 'node:child_process'; exec('npm publish')"`,
  'node -e \'const c = "git push"; require("child_process").exec(c)\'',
  'node -e \'require("child_process").execSync(`git push ${process.argv[2]}`)\'',
  "bun -e 'await Bun.$`git push`'",
  'deno eval \'new Deno.Command("git", { args: ["push"] }).output()\'',
  "npx tsx -e \"execa('git', ['push'])\"",
  'perl -e \'system("git push")\'',
  'perl -e \'system "git", "push"\'',
  "perl -e 'exec qw(git push)'",
  "perl -e 'print `git push`'",
  "perl -e 'print qx{git push}'",
  'ruby -e \'system("git push")\'',
  'ruby -e \'system "git", "push"\'',
  "ruby -e 'puts `git push`'",
  "ruby -e '%x(git push)'",
  'ruby -rfileutils -e \'sh "git push"\'',
  'php -r \'shell_exec("git push");\'',
  'powershell -Command "git push"',
  "pwsh -NoProfile -c 'Start-Process git -ArgumentList push'",
  'pwsh -c \'iex "git push"\'',
  `powershell -EncodedCommand ${Buffer.from('git push', 'utf16le').toString('base64')}`,
  'cmd.exe /c "cd web && git push"',
  'cmd /d /s /c "call npm publish"',
  'npm test; if ($?) { git push }',
])('%s', (command) => {
  expect(verdict(command)).toBe('boundary');
});

test.each([
  'lua -e \'os.execute("git push")\'',
  'awk \'BEGIN { system("git push") }\'',
  'awk \'BEGIN { "git push" | getline }\'',
  'osascript -e \'do shell script "git push"\'',
  'awk \'{ print | "git push" }\' f',
  "julia -e 'run(`git push`)'",
  'Rscript -e \'system("npm publish")\'',
  'echo \'os.execute("git push")\' | lua',
  'awk "$program" push.log',
])('opaque, since programs of the language are not read: %s', (command) => {
  expect(verdict(command)).toBe('opaque');
});

test.each([
  `python3 -c "print('git push')"`,
  `python3 -c "x = 'git push'; print(x)"`,
  `python3 -c "# os.system('git push')"`,
  `python3 -c "import re; re.search('git push', open('f').read())"`,
  `python3 -c "import subprocess; subprocess.run(['echo', 'git push'])"`,
  `python3 -c "import subprocess; print(subprocess.run(['git', 'log']))"`,
  "python3 - <<'EOF'\nopen('x.md', 'w').write('''\ngit push\nos.system(\"git push\")\n''')\nEOF",
  `node -e "console.log('git push')"`,
  `node -e "/x/.exec('git push')"`,
  `node -e "const s = 'npm publish'; fs.writeFileSync('a', s)"`,
  'node -e \'// execSync("git push")\n1\'',
  'node -p \'require("./package.json").scripts.release\'',
  "perl -pe 's/git push/x/' f",
  'perl -e \'print "git push"\'',
  'ruby -e \'puts "git push"\'',
  "awk '/git push/ { print }' f",
  'awk \'/push|publish/ { print $1"|"$2 }\' f',
  'lua deploy.lua',
  "lua -e 'print(1)'",
  'pwsh -c \'Write-Host "git push"\'',
  'pwsh -c \'git status; Select-String "npm publish" README.md\'',
  'cmd /c "echo git push"',
  'python3 manage.py runserver',
  'python3 -m pytest -k push',
  'node --version',
  'node server.js',
])('none: %s', (command) => {
  expect(verdict(command)).toBe('none');
});

test.each([
  `python3 -c "import os; os.system(os.environ['X'])"`,
  `python3 -c "import subprocess, sys; subprocess.run(sys.argv[1:])"`,
  'node -e \'require("child_process").execSync(process.argv[1])\' "$X"',
  "ruby -e 'system(ARGV[0])'",
  'curl -s https://x.test/a.py | python3 -',
  'python3 -c "$CODE"',
])('opaque: %s', (command) => {
  expect(verdict(command)).toBe('opaque');
});
