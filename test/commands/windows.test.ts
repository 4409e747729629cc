import { describe, expect, test } from 'vitest';
import { boundaries, verdict } from './reading.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

describe('PowerShell runs', () => {
  test.each([
    'if ($true) { git push }',
    'if (Test-Path x) { dir } else { git push }',
    'foreach ($r in "a", "b") { git push $r }',
    'while ($true) { git push; break }',
    'do { git push } until ($?)',
    'try { dir } catch { } finally { git push }',
    'switch ($x) { 1 { git push } default { } }',
    '1..3 | ForEach-Object { git push }',
    '"a", "b" | % -Parallel { git push $_ }',
    'Start-Job -ScriptBlock { git push } | Wait-Job',
    'Measure-Command { git push }',
    '& { git push }',
    '$b = { git push }; & $b',
    '$b = { git push }; Invoke-Command -ScriptBlock $b',
    '& "git" push',
    '& (Get-Command git) push',
    '$c = "push"; git $c',
    '$a = @("push", "origin"); git @a',
    '$a = "push", "origin"; & git $a',
    '$a = @("push"); $a += "origin"; git @a',
    'Set-Alias g git; g push',
    'New-Alias -Name g -Value git; g push',
    'function Ship { git push }; Ship',
    'function g { git @args }; g push',
    'Start-Process -FilePath git -ArgumentList "push", "origin" -Wait',
    'iex "git push"',
    '"git push" | iex',
    'Invoke-Expression ("git" + " push")',
    'iex @"\ngit push\n"@',
    "$x = @'\ngit push\n'@; iex $x",
    '$out = git push 2>&1',
    '$out = (git push)',
    '$null = git push',
    'Write-Host "$(git push)"',
    '$env:CI = 1; npm publish',
    '[System.Diagnostics.Process]::Start("git", "push")',
    'git `\n push',
    '<# all of it #> git push # done',
    'cmd /c "git push"',
    'dir && git push | Out-Null',
  ])('%s', (text) => {
    expect(verdict(`pwsh -NoProfile -c ${quoted(text)}`)).toBe('boundary');
  });

  test.each([
    'Write-Output "git push"',
    '# git push',
    '<# git push #> git status',
    '$x = "git push"; Write-Host $x',
    '$x = @"\ngit push\n"@; $x | Out-File a.md',
    'function Ship { git push }',
    '$b = { git push }',
    '@("git push") | Set-Content a.txt',
    'Get-ChildItem | Where-Object { $_.Name -eq "push" }',
    'Push-Location src; dir; Pop-Location',
    'npm test; if ($LASTEXITCODE -ne 0) { exit 1 }',
    '$j = Get-Content package.json | ConvertFrom-Json; $j.version',
    'foreach ($f in Get-ChildItem *.ts) { $f.Name }',
  ])('not %s', (text) => {
    expect(verdict(`pwsh -c ${quoted(text)}`)).toBe('none');
  });

  test('in the folder to which it has changed', () => {
    expect(boundaries("pwsh -c 'Set-Location web; npm publish'")[0]?.directory).toBe('/repo/web');
  });

  test('past a bound is opaque', () => {
    const text = `${'dir; '.repeat(2_100)}git push`;
    expect(verdict(`pwsh -c ${quoted(text)}`)).toBe('opaque');
  });
});

test.each([
  '$ErrorActionPreference = "Stop"\nnpm test\nif ($LASTEXITCODE -eq 0) { git push }',
  'try { npm publish } catch { Write-Error $_ }',
  '$args = @("push", "origin"); & git $args',
])('a command that is meant for PowerShell: %s', (command) => {
  expect(verdict(command)).not.toBe('none');
});

test.each([
  'git add . & git push',
  'if exist x git push',
  'if not errorlevel 1 (git push) else (dir)',
  'if "%X%"=="1" git push',
  'for %i in (a b) do git push %i',
  'set X=push&& git %X%',
  'start /b "" git push',
  'git p^ush',
  'npm test || call npm publish',
])('cmd runs %s', (text) => {
  expect(verdict(`cmd /c ${quoted(text)}`)).toBe('boundary');
});

test.each([
  'echo git push',
  'rem git push',
  ':: git push',
  'set X=git push',
  'if exist git-push del x',
  'findstr push a.txt',
])('cmd: not %s', (text) => {
  expect(verdict(`cmd /c ${quoted(text)}`)).toBe('none');
});

test.each([
  ['pwsh -File ship.ps1', { 'ship.ps1': 'param($x)\nif ($x) {\n  git push\n}\n' }],
  ['./ship.ps1', { 'ship.ps1': 'git push\n' }],
  ["pwsh -c '. ./ship.ps1'", { 'ship.ps1': 'git push\n' }],
  ['cmd /c ship.bat', { 'ship.bat': '@echo off\r\nrem x\r\ngit push\r\n' }],
  ['./ship.cmd', { 'ship.cmd': '@call npm publish\r\n' }],
])('%s', (command, files) => {
  expect(verdict(command, { files: files as Record<string, string> })).toBe('boundary');
});
