import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  isNetworkMount,
  isRemoteMount,
  onNetworkFileSystem,
} from '../../../src/base/process/network-file-system.ts';
import { sandbox } from '../../support/sandbox.ts';

test('a folder of this machine is none', () => {
  expect(onNetworkFileSystem(sandbox().root)).toBe(false);
  expect(onNetworkFileSystem('/')).toBe(false);
});

test('a folder that is not there is an error, not an answer', () => {
  expect(() => onNetworkFileSystem(join(sandbox().root, 'nowhere'))).toThrow('ENOENT');
});

const MOUNTINFO = String.raw`22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:40 / /home/ada rw,nosuid shared:1 master:2 - fuse.sshfs ada@nas: rw,user_id=1000
31 27 0:41 / /home/ada/vault rw - fuse.gocryptfs /home/ada/.vault rw
32 27 0:42 / /mnt/a\040b rw - fuse.rclone remote: rw
33 27 0:43 / /twice rw - fuse.sshfs nas: rw
34 33 0:44 / /twice rw - fuse.bindfs /x rw
35 27 0:45 / /media/stick rw - fuseblk /dev/sdb1 rw
36 27 0:46 / /srv/nfs rw - nfs4 nas:/srv rw
37 27 0:47 / /mnt/c rw - 9p C: rw
38 27 0:48 / /shares rw - cifs //nas/share rw
`;

test.each([
  ['/home/ada', true],
  ['/home/ada/.lanehold', true],
  ['/home/ada/vault/state', false],
  ['/home/adam', false],
  ['/mnt/a b/state', true],
  ['/twice/state', false],
  ['/media/stick', false],
  ['/srv/nfs/ada', true],
  ['/mnt/c/Users', true],
  ['/shares/ada', true],
  ['/', false],
])('%s leads to another machine: %s', (path, expected) => {
  expect(isNetworkMount(path, MOUNTINFO)).toBe(expected);
});

const MOUNT_OUTPUT = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
//ada@nas/on home on /Volumes/home (old) (smbfs, nodev, nosuid, mounted by ada)
nas:/export on /Volumes/export (nfs, nodev, nosuid)
`;

test.each([
  ['/Users/ada/.lanehold', false],
  ['/System/Volumes/Data/Users/ada', false],
  ['/Volumes/home (old)/state', true],
  ['/Volumes/export', true],
  ['/Volumes/exported', false],
])('macOS: %s is on another machine: %s', (path, expected) => {
  expect(isRemoteMount(path, MOUNT_OUTPUT)).toBe(expected);
});
