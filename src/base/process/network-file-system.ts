/** Finds file systems that cannot hold the state: other machines see their locks late, or never. */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { systemOutput } from './run.ts';

/**
 * The kernel's names; 9p includes the drives of the host in WSL 2. Other types of FUSE are local:
 * archives, encrypted folders, layers of containers.
 */
const NETWORK_TYPE =
  /^(?:nfs4?|cifs|smb\w*|9p|afs|coda|ceph|lustre|gpfs|fuse\..*(?:sshfs|s3|gcs|rclone|gluster|ceph|dav|smb|nfs|lustre|juicefs|goofys|blobfuse|moosefs|mfs|ftpfs|ossfs|google-drive|beegfs).*)$/i;

/**
 * True if an existing folder is on another machine, as far as the system reports.
 *
 * @throws what the file system throws.
 */
export function onNetworkFileSystem(path: string): boolean {
  const real = realpathSync(path);
  return process.platform === 'darwin'
    ? isRemoteMount(real, systemOutput('/sbin/mount', []))
    : isNetworkMount(real, readFileSync('/proc/self/mountinfo', 'utf8'));
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
export function isNetworkMount(path: string, mountinfo: string): boolean {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [place = '', system = ''] = line.split(' - ');
    const point = place.split(' ')[4];
    const type = system.split(' ')[0] ?? '';
    return point === undefined ? [] : [{ point: unescaped(point), type }];
  });
  return NETWORK_TYPE.test(mountOf(path, mounts)?.type ?? '');
}

/** On macOS: `//ada@nas/home on /Volumes/home (smbfs, nodev, nosuid)`; local ones have the flag `local`. */
export function isRemoteMount(path: string, output: string): boolean {
  const mounts = output.split('\n').flatMap((line) => {
    const [, point, flags] = /^.* on (\/.*) \(([^()]*)\)$/.exec(line) ?? [];
    return point === undefined || flags === undefined ? [] : [{ point, flags: flags.split(', ') }];
  });
  const mount = mountOf(path, mounts);
  return mount !== undefined && !mount.flags.includes('local');
}

/** The deepest mount above a path; the last one on a mount point hides earlier ones. */
function mountOf<M extends { readonly point: string }>(
  path: string,
  mounts: readonly M[],
): M | undefined {
  const above = mounts.filter(({ point }) => path === point || path.startsWith(join(point, '/')));
  const depth = Math.max(...above.map(({ point }) => point.length));
  return above.findLast(({ point }) => point.length === depth);
}

/** Blanks and some other characters are written in octal. */
function unescaped(point: string): string {
  return point.replaceAll(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number(`0o${octal}`)));
}
