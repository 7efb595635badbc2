// File server: what to type where a client waits for one, by what its file system asks: whether its port answers, and where its service runs.

import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { NAME } from './drain.ts';
import { evictedHost } from './evicted.ts';
import { failedWritesText } from './failed-writes.ts';
import type { Special } from './special-step.ts';

const FILE_SYSTEM = 'who runs the file system';
const WAITS = 'what waits for it here continues by itself once it answers';
const WHY = 'sudo dmesg -T | tail -n 50 say why not';

/** Null where it is not of another host that it is waited for. */
export function fileServer(incident: Incident): Special | null {
  const { root, action, host } = incident;
  const isElsewhere = root.kind.startsWith('storage.') && action.target?.id !== host;
  if (action.kind !== 'inspect_hardware' || action.target?.type !== 'host' || !isElsewhere) return null;
  const after = failedWritesText(incident) ?? WAITS;
  const own = ownOf(incident);
  const asked = serverNid(incident) === null ? (ASKED[String(own.file_system)]?.(own) ?? null) : ofNid(incident);
  if (asked === null)
    return {
      does: 'look after the file server %: its service, its disks, the network to it',
      now: `ask whether % answers others, and see its service, disks and network; ${after}`,
      call: 'who runs the file server %',
    };
  // The target is the server: what is typed is typed where it is missed.
  const client = evictedHost(incident);
  return { ...asked, now: `${asked.now.replace('on CLIENT, ', () => `on ${client}, `)}; ${after}` };
}

/** "10.12.4.203@o2ib", as Lustre's own tools take a server, or a client that it gave up; null where the lines have none. */
export function serverNid(incident: Pick<Incident, 'root' | 'events'>): string | null {
  const { file_system: system, client, address = client } = ownOf(incident);
  return system === 'lustre' && typeof address === 'string' && NID.test(address) ? address : null;
}
const NID = /^[\w.:-]{2,64}@[a-z]\w{0,11}$/;

function ownOf({ root, events }: Pick<Incident, 'root' | 'events'>): Attributes {
  return events.find(({ id }) => id === root.eventId)?.attributes ?? {};
}

/** A target of Lustre never names a host: the server that it is on is known by its address. */
function ofNid(incident: Incident): Special {
  const [address = '', network = ''] = serverNid(incident)?.split('@') ?? [];
  return {
    does: `look after the file server of %, ${address} on ${network}: its service, its disks, the network to it`,
    now: 'ask whether % answers others (sudo lctl ping NID), and see its service, disks and network',
    call: FILE_SYSTEM,
  };
}

type Asked = (own: Attributes) => Special | null;
/** By what the event calls its file system; null where the line names nothing that can be typed. */
const ASKED: Readonly<Record<string, Asked | undefined>> = { lustre: ofTarget, beegfs: ofBeegfs, nfs: ofPort('2049', 'nfs-server'), smb: ofPort('445', 'smbd'), ceph: ofCeph }; // biome-ignore format: one line

/** Of a target alone the client itself knows on which server it is. */
function ofTarget({ server }: Attributes): Special | null {
  const [, target, kind] = /^([\w-]{1,64}-(OST|MDT)[0-9a-f]{4})$/.exec(String(server ?? '')) ?? [];
  if (target === undefined) return null;
  return {
    does: 'look after the file server of %: its service, its disks, the network to it',
    now: `on CLIENT, sudo lctl get_param -n ${kind === 'MDT' ? 'mdc' : 'osc'}.${target}-*.import has its state and the address of its server (current_connection), sudo lctl ping of that address whether it answers; there, mount -t lustre and ${WHY}`,
    call: FILE_SYSTEM,
  };
}

/** "beegfs-storage stor03 [ID: 3]", "beegfs-meta@10.9.0.2:8005". */
function ofBeegfs({ server, address }: Attributes): Special | null {
  const [, service, name, at] =
    /^(beegfs-(?:storage|meta|mgmtd))(?: ([\w.-]{1,64})(?: \[ID: \d{1,10}\])?|@([\w.:-]{3,64}))$/.exec(String(server ?? '')) ?? []; // biome-ignore format: one form
  const [, ip, port] = /^([\w.-]{1,64}):(\d{1,5})$/.exec(at ?? String(address ?? '')) ?? [];
  const host = name ?? ip;
  if (service === undefined || host === undefined || !NAME.test(host)) return null;
  const answers = ip === undefined ? `ping -c 3 ${host}` : `nc -zv ${ip} ${port}`;
  const states =
    service === 'beegfs-mgmtd' ? '' : `; beegfs-ctl --listtargets --nodetype=${service.slice(7)} --state (8: beegfs target list --state)`; // biome-ignore format: one choice
  return {
    does: `look after ${service} on ${host}: its service, its disks, the network to it`,
    now: `on CLIENT, ${answers}${states}; on ${host}, systemctl status ${service} and ${WHY}`,
    call: FILE_SYSTEM,
  };
}

function ofPort(port: string, service: string): Asked {
  return ({ server }) => {
    const name = String(server ?? '');
    if (!NAME.test(name)) return null;
    return {
      does: 'look after the file server %: its service, its disks, the network to it',
      now: `on CLIENT, ping -c 3 ${name}; nc -zv ${name} ${port}; there, where it is a host of yours, systemctl status ${service} and ${WHY}`,
      call: `who runs the file server %`,
    };
  };
}

/** "ceph osd12", "ceph mds0", "ceph mon1", as the kernel's client counts them. */
function ofCeph({ server }: Attributes): Special | null {
  const [, kind, number] = /^ceph (osd|mds|mon)(\d{1,6})$/.exec(String(server ?? '')) ?? [];
  if (kind === undefined) return null;
  const where = { osd: `ceph osd find ${number}`, mds: 'ceph fs status', mon: 'ceph mon stat' }[kind];
  return {
    does: `see whether ${kind}.${number} of Ceph is up`,
    now: `on a monitor's host, ceph health detail; ${where} names its host; there, its service, and sudo dmesg -T | tail -n 50`,
    call: 'who runs the Ceph cluster',
  };
}
