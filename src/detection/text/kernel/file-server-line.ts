// File servers and cluster file systems as their clients in the kernel report them: servers that do not answer, and answer again.

import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import { serverRow } from './file-server-rows.ts';
import type { StateFinding } from './finding.ts';
import { gpfsLine } from './gpfs-line.ts';
import { wekaLine } from './weka-line.ts';

/** A host name, an address, a target of the file system; with a port where there is one. */
const SERVER = String.raw`[\w.:%@\[\]()/\\-]{1,128}`;
/** "(1)10.0.0.4:6789", "(2)[fd00::4]:3300": nonce and address of a Ceph daemon; the file system's id before or behind it. */
const CEPH = String.raw`(?:\(fsid[= ]?[0-9a-f-]{36}\) )?(\(\d{1,3}\)[\w.:\[\]-]{3,64}|[\w.:\[\]-]{3,64})`;
const FSID = String.raw`(?: \(fsid[= ]?[0-9a-f-]{36}(?: client\d+)?\))?`;
const CLUSTER = String.raw`[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}`;
/** The daemon writes to syslog; its messages begin with their severity. */
const MMFS = String.raw`mmfs(?:\[\d{1,10}\])?: (?:\[[A-Z]\] )?`;
const CLIENT = String.raw`(?:\[[0-9a-f-]{36} \d+\]: {0,2})?`;

interface Form {
  readonly form: RegExp;
  readonly system: string;
  readonly state: 'onset' | 'clear' | 'point';
  readonly kind?: 'storage.io_error' | 'storage.full';
  /** Before the part of the name that the line has. */
  readonly prefix?: string;
  readonly severity?: Severity;
  /** What it did, where it did not refuse this host. */
  readonly did?: string;
  /** Worth no incident of its own, but may be behind one. */
  readonly explains?: true;
  /** Only of a server that this log has shown to go down, and not to be back. */
  readonly afterDown?: true;
}

const onset = { state: 'onset' } as const;
const clear = { state: 'clear' } as const;
const point = { state: 'point' } as const;
const fact = { severity: 'info', explains: true } as const;
const FAILED = 'does not answer, and requests to it failed';

/** The group is the server (net/sunrpc, fs/lockd, fs/smb/client, net/ceph, fs/ceph, lustre/ptlrpc, and the modules of BeeGFS and WEKA). */
const FORMS: readonly Form[] = [
  { system: 'nfs', ...onset, form: re(`^nfs: server (${SERVER}) not responding, still trying`) },
  // Of a soft mount (net/sunrpc/clnt.c, call_timeout): whoever asked gets EIO, and does not wait any more.
  { system: 'nfs', ...onset, did: FAILED, form: re(`^nfs: server (${SERVER}) not responding, timed out`) },
  { system: 'nfs', ...clear, form: re(`^nfs: server (${SERVER}) OK`) },
  { system: 'nfs', ...onset, form: re(`^lockd: server (${SERVER}) not responding, (?:still trying|timed out)`) },
  { system: 'nfs', ...clear, form: re(`^lockd: server (${SERVER}) OK`) },
  {
    system: 'nfs',
    ...point,
    form: re(`^NFS: state manager: [\\w /-]{1,64} failed on NFSv4 server (${SERVER}) with error -?\\d{1,6}`),
  },
  {
    system: 'smb',
    ...onset,
    form: re(`^CIFS: (?:VFS: )?(${SERVER}) has not responded in \\d{1,6} seconds\\. Reconnecting\\.\\.\\.`),
  },
  { system: 'ceph', ...onset, prefix: 'ceph ', form: re(`^libceph: (mon\\d{1,4}) ${CEPH} session lost, hunting for new mon${FSID}`) },
  { system: 'ceph', ...clear, prefix: 'ceph ', form: re(`^libceph: (mon\\d{1,4}) ${CEPH} session established${FSID}`) },
  // Its placement groups are served by others within seconds: no incident alone, but it explains what waits all the same.
  { system: 'ceph', ...onset, ...fact, prefix: 'ceph ', form: re(`^libceph: ${CLIENT}(osd\\d{1,6}) down`) },
  { system: 'ceph', ...clear, prefix: 'ceph ', form: re(`^libceph: ${CLIENT}(osd\\d{1,6}) up`) },
  // Down for mon_osd_down_out_interval, ten minutes by default; one that was not down an administrator took out.
  { system: 'ceph', ...point, afterDown: true, severity: 'warning', did: 'was taken out of the cluster', prefix: 'ceph ', form: re(`^libceph: ${CLIENT}(osd\\d{1,6}) weight 0x0 \\(out\\)`) },
  // con_fault_finish(); that an idle connection was closed while it was open says nothing.
  { system: 'ceph', ...point, ...fact, prefix: 'ceph ', form: re(`^libceph: ${CLIENT}((?:osd|mds|mon)\\d{1,6}) ${CEPH} (?:socket error on (?:read|write)|connect error|missed keepalive|socket closed \\(con state (?:PREOPEN|CONNECTING|NEGOTIATING|V[12]_\\w{1,32})\\))${FSID}`) },
  { system: 'ceph', ...onset, prefix: 'ceph ', form: re(`^ceph: ${CLIENT}(mds\\d{1,4}) hung`) },
  { system: 'ceph', ...clear, prefix: 'ceph ', form: re(`^ceph: ${CLIENT}(mds\\d{1,4}) (?:came back|recovery completed|reconnect success)`) },
  { system: 'ceph', ...point, prefix: 'ceph ', form: re(`^ceph: ${CLIENT}(mds\\d{1,4}) (?:caps (?:stale|went stale, renewing)|reconnect start)`) },
  { system: 'ceph', ...point, kind: 'storage.io_error', prefix: 'ceph ', did: 'evicted this host', form: re(`^ceph: ${CLIENT}(mds\\d{1,4}) (?:session blocklisted|session blacklisted|reconnect denied)`) },
  // Of a session that was lost, or of a first mount with the wrong key, which loses nothing.
  { system: 'ceph', ...point, kind: 'storage.io_error', prefix: 'ceph ', did: 'rejected this host', form: re(`^ceph: ${CLIENT}(mds\\d{1,4}) rejected session`) },
  // Addresses are left out where people show such lines, "<ip>@tcp".
  // "Lustre: scratch-OST0011-osc-ffff…: Connection to scratch-OST0011 (at 10.20.0.7@o2ib) was lost; …" and "Connection restored to …".
  { system: 'lustre', ...onset, form: re(`^Lustre: ([\\w.:@-]{1,160}): Connection to [\\w.:@-]{1,128} \\(at ([\\w.:@<>*-]{1,128})\\) was lost[^\\n]{0,200}`) },
  { system: 'lustre', ...clear, form: re(`^Lustre: ([\\w.:@-]{1,160}): Connection restored to [^\\n]{1,200}`) },
  // A request is sent again; where the target stays away, the line on the lost connection follows.
  {
    system: 'lustre',
    ...point,
    severity: 'info',
    form: re(
      `^Lustre: \\d{1,10}:\\d{1,10}:\\(client\\.c:\\d{1,6}:ptlrpc_expire_one_request\\(\\)\\) @@@ Request sent has (?:timed out for (?:slow reply|sent delay)|failed due to network error): [^\\n]{0,200}?->([\\w.-]{1,64}?-(?:OST|MDT)[0-9a-f]{4})[-\\w]{0,64}@[^\\n]{0,400}`,
    ),
  },
  {
    system: 'lustre',
    ...point,
    kind: 'storage.io_error',
    did: 'evicted this host',
    form: re(
      `^LustreError: \\d{1,10}-\\d{1,3}: [\\w.-]{1,96}: This client was evicted by ([\\w.-]{1,64}); in progress operations using this service will fail\\.?`,
    ),
  },
  // The manager of the configuration, and requests that a server refuses to know or never answers (lustre/ptlrpc/import.c, client.c; ENOTCONN, ETIMEDOUT, ESHUTDOWN, EIO).
  { system: 'lustre', ...onset, form: re(`^LustreError: 166-1: ([\\w.:@-]{1,160}): Connection to MGS \\(at [\\w.:@<>*-]{1,128}\\) was lost[^\\n]{0,200}`) },
  { system: 'lustre', ...point, form: re(`^LustreError: 11-0: ([\\w.:@-]{1,160}): operation \\w{1,40} to node ([\\w.:@<>*-]{1,128}) failed: rc = -(?:5|19|107|108|110|113)\\.?`) },
  // ENOSPC: the target is full, or has no inode left.
  { system: 'lustre', ...point, kind: 'storage.full', form: re(`^LustreError: 11-0: ([\\w.:@-]{1,160}): operation \\w{1,40} to node ([\\w.:@<>*-]{1,128}) failed: rc = -28\\.?`) },
  { system: 'lustre', ...point, kind: 'storage.io_error', form: re(`^LustreError: 15[c-f]-[0-9a-f]: ([\\w.:@-]{1,160}): (?:The configuration from log '[\\w.-]{1,64}' failed|Configuration from log [\\w.-]{1,64} failed)[^\\n]{0,300}`) },
  // LNet over InfiniBand and sockets: a peer took nothing for the limit of a transmission (lnet/klnds).
  { system: 'lustre', ...point, form: re(`^LNet(?:Error)?: \\d{1,10}:\\d{1,10}:\\([\\w.]{1,40}:\\d{1,6}:(?:kiblnd|ksocknal)_\\w{1,40}\\(\\)\\) Timed out (?:tx for|RDMA with|tx:) ?([\\w.:@-]{1,128})[^\\n]{0,200}`) },
  // GPFS: a client without its lease may not write, and waits until the cluster's manager answers (Problem Determination Guide, GC28-3163).
  { system: 'gpfs', ...onset, prefix: 'gpfs ', form: re(`^${MMFS}Disk lease period expired [\\d.]{1,16} seconds ago in cluster (${CLUSTER})\\. Attempting to reacquire the lease\\.?`) },
  { system: 'gpfs', ...clear, prefix: 'gpfs ', form: re(`^${MMFS}Disk lease reacquired in cluster (${CLUSTER})\\.?`) },
  { system: 'gpfs', ...point, prefix: 'gpfs ', form: re(`^${MMFS}Lease overdue with unsuccessful replies to lease requests\\. Probing cluster (${CLUSTER})\\.?`) },
  { system: 'gpfs', ...point, kind: 'storage.io_error', prefix: 'gpfs ', did: 'lost this host as a member', form: re(`^${MMFS}Lost membership in cluster (${CLUSTER})\\. Unmounting file systems?\\.?`) },
  { system: 'weka', ...onset, prefix: 'weka ', form: re('^(?:wekafsio|wekafsgw): [\\w ,.:/=-]{0,80}?\\b(ALL FEs|FE)(?: \\d{1,4})? (?:was |is |are )?down\\b[\\w ,.:/=-]{0,120}') },
  { system: 'weka', ...clear, prefix: 'weka ', form: re('^(?:wekafsio|wekafsgw): [\\w ,.:/=-]{0,80}?\\b(ALL FEs|FE)(?: \\d{1,4})? (?:was |is |are )?(?:back )?up\\b[\\w ,.:/=-]{0,120}') },
]; // biome-ignore format: one form a line

/** A rack of storage hosts; beyond it the names are made up. */
const MOST_DOWN = 512;

function re(form: string): RegExp {
  return new RegExp(`${form}\\s*$`);
}

export function fileServerLine(text: string, context: KernelContext): StateFinding | null {
  if (!OPENS.test(text)) return null; // nearly every line: spares it the patterns
  for (const {
    form,
    system,
    state,
    kind = 'storage.stall',
    prefix = '',
    severity,
    explains,
    did,
    afterDown,
  } of FORMS) {
    const [found, server = '', address] = form.exec(text) ?? [];
    if (found === undefined) continue;
    if (afterDown === true && !context.serversDown.has(server)) return null;
    if (explains === true && state === 'onset' && context.serversDown.size < MOST_DOWN) context.serversDown.add(server);
    if (state === 'clear') context.serversDown.delete(server);
    const named = system === 'lustre' ? targetOf(server) : server;
    const network = system === 'lustre' ? NETWORK.exec(found)?.[1] : undefined;
    const at = { address, ...(network === undefined ? {} : { network }) };
    return serverFinding({ kind, system, state, server: `${prefix}${named}`, ...at, severity, explains, did }, context);
  }
  return text.startsWith('mmfs') ? catalogued(text, context) : wekaLine(text, context);
}

function catalogued(text: string, context: KernelContext): StateFinding | null {
  const row = serverRow(text);
  return row === null ? null : serverFinding({ ...row, state: 'point' }, context);
}

/** "10.20.0.7@o2ib": the LNet that leads to a server (lnet/nidstr.c). */
const NETWORK = /@((?:o2ib|tcp|kfi|gni|ptlf)\d{0,5})\b/;

const OPENS =
  /^(?:mmfs(?:\[\d{1,10}\])?|nfs|NFS|lockd|CIFS|libceph|ceph|Lustre|LustreError|LNet|LNetError|wekafsio|wekafsgw): /;

/** What the daemon of a file system writes, which a user might, too. Its words do not count in the kernel's log: a process can begin a line there with its name. */
export function programStorageLine(text: string, context: KernelContext): StateFinding | null {
  return text.startsWith('mmfs') ? (fileServerLine(text, context) ?? gpfsLine(text, context)) : null;
}

/** "scratch-OST0011" of "scratch-OST0011-osc-ffff9c3b4e2f1000", which is a client's own name for its side. */
function targetOf(device: string): string {
  return /^(.+?)-(?:osc|mdc|mgc)(?:-|$)/.exec(device)?.[1] ?? device;
}

/**
 * "beegfs: python3(4242): NodeConn (acquire stream): Connect failed: beegfs-storage@10.0.0.1:8003 (protocol: TCP)": the name of the
 * task is a user's, so that the line is known by its other words, to its end (client_module: common/Common.h, NodeConnPool.c,
 * MessagingTk.c).
 */
const BEEGFS =
  /^beegfs: [\s\S]{0,15}\(\d{1,10}\): (?:[\w.-]{1,96}: )?(?:NodeConn \(acquire stream\): (?:Connect failed: (beegfs-(?:mgmtd|meta|storage)@[\w.:[\]-]{3,64}) \(protocol: \w{1,12}\)|Connect failed on all available routes: (beegfs-(?:mgmtd|meta|storage) [\w.:-]{1,96}(?: \[ID: \d{1,10}\])?)|(Connected): (beegfs-(?:mgmtd|meta|storage)@[\w.:[\]-]{3,64}) \(protocol: \w{1,12}(?:; fallback route)?\))|Messaging \(RPC(?: node)?\): Retrying communication with node: (beegfs-(?:mgmtd|meta|storage) [\w.:-]{1,96}(?: \[ID: \d{1,10}\])?))\s*$/;

export function beegfsLine(text: string, context: KernelContext): StateFinding | null {
  if (!text.startsWith('beegfs: ')) return null;
  const [found, failed, allFailed, back, connected, retried] = BEEGFS.exec(text) ?? [];
  if (found === undefined) return catalogued(text, context);
  const server = failed ?? allFailed ?? connected ?? retried ?? '';
  // A route that failed is an end of its own name; the node behind it, by whatever route, has no line of its return.
  const state = back !== undefined ? 'clear' : failed !== undefined ? 'onset' : 'point';
  return serverFinding({ system: 'beegfs', state, server }, context);
}

/** "beegfs-server: [Messaging (RPC)] >> text": what the client writes into a log of its own, without its task. */
export function beegfsClientLine(text: string, context: KernelContext): StateFinding | null {
  const [, said, more] = /^beegfs-server: \[([^\]\n]{1,96})\] >> (.{1,400})$/.exec(text) ?? [];
  return said === undefined ? null : beegfsLine(`beegfs: client(0): ${said}: ${more}`, context);
}

interface ServerState {
  readonly kind?: 'storage.stall' | 'storage.io_error' | 'storage.full';
  readonly system: string;
  readonly state: 'onset' | 'clear' | 'point';
  readonly server: string;
  readonly address?: string | undefined;
  readonly network?: string;
  readonly did?: string | undefined;
  readonly disk?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly explains?: true | undefined;
}

/** A stall of this host, which waits; what has to be looked at is the server, so that it is named. */
export function serverFinding(
  { kind = 'storage.stall', system, state, server, address, network, did, disk, severity, explains }: ServerState,
  context: KernelContext,
): StateFinding {
  const name = evidenceText(server).replace(/^\\\\/, '');
  return {
    kind,
    component: hostOf(context),
    ...(state === 'point' ? {} : { state }),
    ...(severity === undefined ? {} : { severity }),
    attributes: {
      server: name,
      file_system: system,
      ...(address === undefined ? {} : { address: evidenceText(address) }),
      ...(network === undefined ? {} : { network }),
      ...(did === undefined ? {} : { did }),
      ...(disk === undefined ? {} : { disk }),
      ...(explains === undefined ? {} : { may_explain: true }),
    },
    // A client that lost its monitor hunts for any.
    ...(state === 'point' ? {} : { discriminator: `${system} ${name.replace(/^(ceph mon)\d+$/, '$1')}` }),
  };
}
