// GPFS: what to do about a file system, a disk or a node of it, by what its daemon said that it did.

import { shellWord } from '../../helpers/shell-word.ts';
import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { NAME } from './drain.ts';
import { gpfsHealth } from './gpfs-health.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const CALL = 'who runs the file system';
const LONGEST = 64;
const CARD = /^(?:mlx\d|hfi\d|bnxt_re|irdma|ib\d)/;

/** Null where its root is none of GPFS. */
export function gpfs({ root, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (!root.kind.startsWith('storage.') || own.file_system !== 'gpfs') return null;
  const name = plain(String(own.server ?? '').replace(/^gpfs ?/, ''), LONGEST);
  if (root.kind === 'storage.full') return full(name);
  const health = gpfsHealth({ root, events });
  if (health !== null) return health;
  const disk = root.kind === 'storage.stall' ? diskWithErrors(events) : undefined;
  const ofDisk = disk === undefined ? null : byDid(disk.attributes, '');
  if (ofDisk !== null) return ofDisk;
  if (root.kind === 'storage.stall') return stalled(name, events.some(({ kind, attributes }) => kind === 'storage.io_error' && attributes.file_system === 'gpfs')); // biome-ignore format: one question
  return byDid(own, name);
}

/** That a disk answers with an error is not of the node that has it, however that was heard of before. */
function diskWithErrors(events: Incident['events']): Incident['events'][number] | undefined {
  return events.find(
    ({ kind, attributes, evidence }) =>
      kind === 'storage.io_error' &&
      attributes.file_system === 'gpfs' &&
      attributes.did === 'lost a disk' &&
      evidence.some((seen) => 'text' in seen && /\bEIO\b|\brc = 5\b/.test(seen.text)),
  );
}

function byDid({ did, disk }: Attributes, name: string): Special | null {
  const system = name === '' ? 'FILESYSTEM' : shellWord(name);
  if (did === 'lost a disk' && typeof disk === 'string' && NAME.test(disk))
    return {
      does: `see what disk ${disk} of GPFS has`,
      now: `on @, sudo mmlsnsd -X -d ${disk} names the servers that have it; there, sudo dmesg -T | tail -n 50 says whether the disk, its path or the server failed; once it answers, sudo mmchdisk FILESYSTEM start -d ${disk} (sudo mmlsdisk FILESYSTEM -e shows what is down)`,
      call: CALL,
    };
  if (did === 'was unmounted' || did === 'cannot be mounted')
    return {
      does: `see why % ${did === 'was unmounted' ? 'lost' : 'cannot mount'} GPFS ${name === '' ? 'file systems' : name}`,
      now: `DRAIN; on @, sudo tail -n 50 /var/adm/ras/mmfs.log.latest says why, sudo mmgetstate -a which nodes are out, sudo mmlsdisk ${system} -e which disks; once these are back, sudo mmmount ${system}. What ran on @ had I/O errors: tell its owners`,
      call: CALL,
    };
  if (name === 'daemon')
    return {
      does: 'see why the GPFS daemon of % ended, and whether it is back',
      now: 'DRAIN; on @, sudo mmgetstate says whether it is back (else sudo mmstartup), /var/adm/ras/mmfs.log.previous why it ended. What ran on @ had I/O errors: tell its owners. Where it ends again, a case at IBM with what sudo gpfs.snap collects',
      call: CALL,
    };
  if (did === 'has invalid data on a disk' || did === 'cannot write its recovery log')
    return {
      does: `have GPFS ${name === '' ? 'checked' : `${name} checked`}: it ${did}`,
      now: `sudo mmlsdisk ${system} -e shows which disks are down; change nothing: a case at IBM with what sudo gpfs.snap collects comes before any mmfsck`,
      call: CALL,
    };
  return null;
}

function full(name: string): Special {
  const system = name === '' ? 'FILESYSTEM' : shellWord(name);
  return {
    does: `get space in GPFS ${name === '' ? 'for its users' : name}: it has none left`,
    now: `sudo mmdf ${system} says which pool, or whether inodes, ran out, sudo mmrepquota -j ${system} whose it is: ask the owners what may go, or add disks; delete nothing unasked`,
    call: CALL,
  };
}

/** `isLost`: it lost a file system over it. */
function stalled(name: string, isLost: boolean): Special {
  if (CARD.test(name))
    return {
      does: `see why GPFS cannot use ${name} of %`,
      now: `on @, ibstat ${shellWord(name.replace(/[/:].*$/, ''))} and rdma link say whether its port is up, sudo dmesg -T | tail -n 50 why not; GPFS continues over TCP, slower`,
      call: HOST,
    };
  const lost = isLost ? '. What ran on @ had I/O errors: tell its owners' : '';
  const host = name.includes('.') ? null : name;
  if (host !== null && NAME.test(host) && !/\s|^(?:quorum|cluster|daemon)/.test(name))
    return {
      does: `see whether ${host}, a node of GPFS, is up and reaches the others`,
      now: `ping -c 3 ${host}; ssh ${host} uptime; there, sudo mmgetstate and sudo dmesg -T | tail -n 50 say whether its daemon, the host or the network failed. What waits for it continues once it answers, or the cluster has expelled it${lost}`,
      call: CALL,
    };
  return {
    does: 'see why % does not reach its GPFS cluster',
    now: `on @, sudo mmgetstate -a says which nodes are out, sudo mmlsmgr -c who manages the cluster: ping it; sudo tail -n 50 /var/adm/ras/mmfs.log.latest and sudo dmesg -T | tail -n 50 say what failed at TIME. Without its lease it neither reads nor writes, and continues once it has one${lost}`,
    call: CALL,
  };
}
