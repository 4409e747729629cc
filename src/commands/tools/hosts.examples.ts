import type { Examples } from './rule.ts';

export const hostsExamples: Examples = {
  'rsync to a host': {
    releases: [
      'rsync -e ssh -a dist/ h:/srv',
      'rsync -av dist/ host:/srv',
      'rsync -avh dist/ host:/srv',
    ],
    harmless: [
      'rsync -av a/ b/',
      'rsync -av dist/ deploy',
      'rsync -avn dist/ host:/srv',
      'rsync -av host:/srv/ ./x',
      'rsync -a app.log host:/tmp',
    ],
  },
  'scp to a host': {
    releases: [
      'scp a.zip dev@host:/srv',
      'scp a.zip a.log host:/srv',
      'scp /tmp/a.zip host:/srv',
      'cp a.zip /etc/a.zip && scp /etc/a.zip host:/srv',
      'parallel-scp -h hosts a.zip /srv',
      'clush -w web[1-9] --copy a.zip',
    ],
    harmless: [
      'scp host:/srv/a .',
      'scp /etc/hosts host:/tmp/hosts',
      'scp a.txt C:/temp',
      "scp a.txt 'c:\\temp'",
      'scp app.log host:/tmp',
      'clush -w web[1-9] uptime',
      'parallel-scp --help',
    ],
  },
  'upload by ftp': {
    releases: [
      "sftp host <<< 'put -r dist'",
      'sftp -b commands.txt host',
      "lftp -e 'mirror -R dist /srv' host",
      "ftp host <<< 'put a.zip'",
      'ncftpput host /srv a.zip',
    ],
    harmless: ['sftp host:/srv/a.zip .', "lftp -e 'get a.zip' host", "ftp host <<< 'get a.zip'"],
  },
  'copy by ssh': {
    releases: [
      'docker save a | ssh host docker load',
      'tar cz dist | ssh host "tar xz -C /srv"',
      "ssh host 'cat > /srv/a.jar' < a.jar",
      "git fast-export --all | ssh host 'cd r && git fast-import'",
      "git diff | ssh host 'cd r && git apply'",
    ],
    harmless: ["ssh host 'tail -100 /var/log/a.log'", "ssh host 'cat > /dev/null'"],
  },
  'copy by a socket': {
    releases: ['cat a.zip | nc host 9000', 'socat - TCP:host:9000 < a.zip'],
    harmless: ['nc -z host 9000', 'cat a.zip | nc localhost 9000'],
  },
  'fly sftp put': {
    releases: ['fly ssh sftp put a.zip', 'flyctl sftp put a.zip'],
    harmless: ['fly ssh sftp get /srv/a.zip', 'flyctl sftp find /srv'],
  },
  'unison with a host': {
    releases: ['unison dist ssh://host//srv', 'unison dist ssh://host//srv -batch'],
    harmless: ['unison a b'],
  },
  'mutagen sync create': {
    releases: ['mutagen sync create . host:/srv'],
    harmless: ['mutagen sync create a b', 'mutagen sync list'],
  },
  'wormhole send': {
    releases: ['wormhole send a.zip', 'croc send a.zip'],
    harmless: ['wormhole receive 1-a-b'],
  },
};
