/** Copies to other hosts: by programs that copy, and through a connection. */
import type { Frame } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { isKnown } from '../shell/unknown.ts';
import { isLocalAddress } from './local.ts';
import { anyOperand, deploy, type Match, type Tool } from './rule.ts';

export const hostsTools = (): readonly Tool[] => [
  deploy('rsync', 'rsync to a host = [-n --dry-run]', {
    values:
      '-e --rsh -f --filter --exclude --include --exclude-from --include-from --files-from -T --temp-dir --port --password-file --bwlimit --timeout --log-file --chmod --chown --rsync-path --backup-dir --suffix --partial-dir -B --max-size --min-size --compare-dest --copy-dest --link-dest -M',
    flags:
      '-a --archive -v --verbose -z --compress -h --human-readable -r --recursive -u --update -P --progress --delete -c --checksum -l -p -t -g -o -D -H -A -X -S -x -W -q -i -R -b -d -k -K -L -O -E -s -m -C -I -0 -4 -6 -8 -y -F -N -U',
    help: '--help --version -V',
    staysHere: '*',
    when: copiesToHost,
  }),
  deploy('scp pscp', 'scp to a host =', {
    values: '-P -i -o -F -c -l -J -S -D -X -pw',
    staysHere: '*',
    when: copiesToHost,
  }),
  deploy('sftp psftp ftp', 'upload by ftp =', {
    values: '-b -B -c -D -F -i -J -l -o -P -R -S -s -X',
    help: '--help',
    staysHere: '*',
    when: (use, frame) => uploads(use.values('-b'), frame),
  }),
  deploy('lftp', 'upload by ftp =', {
    values: '-e -c -f -u -p',
    help: '--help --version',
    staysHere: '*',
    when: (use, frame) =>
      use.values('-e', '-c').some(putsFiles) || uploads(use.values('-f'), frame),
  }),
  deploy('ncftpput curlftpput wput', 'upload by ftp ='),
  deploy('ssh autossh', 'copy by ssh =', {
    values: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -M',
    help: '-V',
    staysHere: '*',
    when: sendsInput,
  }),
  deploy('nc ncat netcat socat', 'copy by a socket =', {
    style: 'word',
    help: '-h --help',
    staysHere: '*',
    when: ({ operands }, { stdin }) =>
      stdin().some((it) => !isKnown(it)) && operands.length > 0 && !operands.some(isLocalAddress),
  }),
  deploy('parallel-scp prsync pscp.pssh', 'scp to a host =', {
    values: '-h -H -l -O -x -X -t -o -e -p',
  }),
  deploy('clush', 'scp to a host = --copy|-c'),
  deploy('fly flyctl', 'fly sftp put = ssh sftp put; fly sftp put = sftp put'),
  deploy('unison', 'unison with a host =', {
    staysHere: '*',
    when: anyOperand(/^(ssh|socket):\/\//),
  }),
  deploy('mutagen', 'sync create', {
    when: ({ operands }) => operands.some((it) => isRemotePath(it) || it.startsWith('docker://')),
  }),
  deploy('wormhole magic-wormhole croc', 'wormhole send = send|tx'),
];

/** Logs are sent to be read: they are no part of a release. */
const LOG = /(\.log(\.\d+)?(\.gz|\.zip)?|(^|\/)logs?\/?)$/i;

/** Files of the machine and of its user, which come from no project. */
const NO_PROJECT =
  /^\/(?:etc|usr|boot|proc|sys)\/|^\/(?:root|(?:home|Users)\/[^/]+)\/\.(?!cache\/)|^\/var\/(?:log|lib)\//;

function copiesToHost({ operands }: Match, frame: Frame): boolean {
  const isOfProject = (it: string): boolean =>
    !NO_PROJECT.test(it) || frame.reader.written(it) !== undefined;
  const sources = operands.slice(0, -1).filter((it) => !LOG.test(it));
  return sources.some(isOfProject) && isRemotePath(operands.at(-1) ?? '');
}

/** `host:path`, `user@host:path`, `rsync://host`; a Windows drive or `./a:b` is not one. */
function isRemotePath(path: string): boolean {
  if (/^(rsync|scp|sftp|ssh):\/\/|^[\w.@-]+::/.test(path)) return !isLocalAddress(path);
  const colon = path.indexOf(':');
  const slash = path.indexOf('/');
  const host = path.slice(0, colon);
  const isDrive = /^[A-Z]$/.test(host) || (/^[a-z]$/.test(host) && path[colon + 1] === '\\');
  // An empty or unknown host comes from a variable.
  return colon >= 0 && !isDrive && (slash < 0 || colon < slash) && !isLocalAddress(host);
}

/** A command of an ftp client that sends a file. */
function putsFiles(text: string): boolean {
  return /(^|[\s;"])(put|mput|reput|send|mirror\s+(-\w*R|.*--reverse))\s/m.test(`${text} `);
}

/** True if the commands on the input, or in a file, send something; unknown ones may. */
function uploads(files: readonly string[], frame: Frame): boolean {
  const inFiles = files.flatMap((it) => fileTexts(it, frame) ?? []);
  const texts = files.length > 0 ? inFiles : frame.stdin();
  if (files.length > 0 && texts.length === 0) return true;
  return texts.some((it) => !isKnown(it) || putsFiles(it));
}

/** A program that takes its input, at the other end of a connection, as a file, an archive or an image. */
const RECEIVES =
  /(\bcat\b[^|;&]*>|\btee\s|\bdd\b[^|;&]*\bof=|\btar\b.*x|\b(docker|podman|nerdctl|ctr|k3s)\b.*\b(load|import)\b|\b(bsdtar|unzip|cpio|pax|zstd|gunzip|unxz)\b|\b(kubectl|oc)\b.*-f\s*-|\bgit\s.*\b(fast-import|apply|am|index-pack|unpack-objects|receive-pack)\b|\bpatch\b)/;

/** `tar c dist | ssh host tar x`: files are sent through the connection. */
function sendsInput({ operands }: Match, frame: Frame): boolean {
  const [host = '', ...remote] = operands;
  if (!RECEIVES.test(remote.join(' ')) || isLocalAddress(host)) return false;
  return frame.stdin().some((it) => it !== '');
}
