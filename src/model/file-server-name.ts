// File server name: what a client's line calls the server or target that it waits for, as the server's own log may call it too.

import type { Attributes } from './event.ts';

/** "beegfs-storage stor03 [ID: 3]", "gpfs nsd-02", "ceph osd117". */
const FORMS: Readonly<Record<string, RegExp>> = {
  nfs: /^([\w.-]{1,253})$/,
  smb: /^([\w.-]{1,253})(?:[\\/].*)?$/,
  beegfs: /^beegfs-(?:storage|meta|mgmtd) ([\w.-]{1,253})(?: \[ID: \d{1,10}\])?$/,
  gpfs: /^gpfs ([\w.-]{1,253})$/,
  lustre: /^([\w-]{1,64}-(?:OST|MDT)[0-9a-f]{4})$/,
  ceph: /^ceph (osd)(\d{1,6})$/,
};
const ADDRESS = /^[\d.]+$/;

/** `nas-2` of "nas-2.example.com", `scratch-OST0011`, `osd.117`; null where the line names none. */
export function fileServerName({ file_system: system, server }: Attributes): string | null {
  const form = typeof system === 'string' ? FORMS[system] : undefined;
  const [, name, number] = form === undefined || typeof server !== 'string' ? [] : (form.exec(server) ?? []);
  if (name === undefined || ADDRESS.test(name)) return null;
  return number === undefined ? shortName(name) : `${name}.${number}`;
}

/** Hosts are called with and without their domain. */
export function shortName(host: string): string {
  return (host.split('.', 1)[0] ?? host).toLowerCase();
}
