// Line form: what collectors, relays and loggers put before the line that the kernel or a program wrote, one form an entry.

import { BSD, bootStamp, CTIME, ISO, type Stamp, wallStamp } from './stamp.ts';

/** What one head says. */
export interface Head {
  readonly stamp?: Stamp | null;
  readonly host?: string;
  /** Whether the kernel wrote the line; left out where the head does not say. */
  readonly kernel?: boolean;
  /** syslog's number of who wrote it: 0 is the kernel. */
  readonly facility?: number;
  readonly priority?: number;
  /** The program that wrote it, as it names itself: "slurmd[12]". */
  readonly program?: string;
  /** Its own log, which others may not write. */
  readonly own?: boolean;
  /** The line is a part of a longer one. */
  readonly part?: boolean;
}

export interface LineForm {
  readonly name: string;
  /** What it may begin with: a digit (0), a letter or anything else (a), < or [. Most forms are done with by that. */
  readonly begins: string;
  readonly head: RegExp;
  readonly says: (found: RegExpExecArray) => Head;
}

/** Of any script, as some name them; in a pattern with the flag u. A command would take what begins with a dash for an option. */
const ANY_HOST = String.raw`(?!-)[\p{L}\p{N}_.:-]{0,127}[\p{L}\p{N}_.-]`;
const HOST = String.raw`(?!-)[\w.:-]{0,127}[\w.-]`;
/** syslog(3) */
const DAEMON = 3;
const FACILITIES = 'kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-7]';
const LEVELS = 'emerg|alert|crit|err|error|warn|warning|notice|info|debug';
/** "daemon.crit ", "kern.info ": what BusyBox and OpenWrt's logread put before the program. */
const RANKED = String.raw`(?:(?:${FACILITIES})\.(?:${LEVELS}) +)?`;
/** "UTC: %SYS-5-CONFIG_I": the zone of a switch's clock, and none of its programs. */
const NO_ZONE = '(?![A-Z]{2,5}: %[A-Z])';
/** "INFO ": SONiC writes the level in capitals there. */
const CAPITAL = '(?:(?:EMERG|ALERT|CRIT|ERR|ERROR|WARNING|NOTICE|INFO|DEBUG) +)?';
const NOT_RANKED = String.raw`(?!(?:${FACILITIES})\.(?:${LEVELS}) )`;
/** A host is not called like a level: "2024-01-01T00:00:00Z INFO trainer: ...". */
const NOT_LEVEL = '(?!(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|NOTICE|TRACE) )';

const byNumber = (text: string | undefined): Head =>
  text === undefined ? {} : { facility: Number(text) >> 3, priority: Number(text) & 7 };

/** Of the groups `pri`, `year`, `stamp`, `host`, `tag` and `pid`. */
function tagged({ groups = {} }: RegExpExecArray): Head {
  const { pri, year, stamp: written = '', host, tag = '', pid } = groups;
  const stamp = year === undefined ? written : ofYear(year, written);
  const own = tag === 'kernel' ? ({ kernel: true, facility: 0 } as const) : programOf(tag, pid);
  return { ...byNumber(pri), ...own, stamp: wallStamp(stamp), ...(host === undefined || host === '-' ? {} : { host }) };
}

/** The year behind the day, where other forms have it. */
function ofYear(year: string, stamp: string): string {
  return stamp.replace(/ (\d\d:)/, ` ${year} $1`);
}

/** With the journal's `-o with-unit` the name of its unit stands for the program's. */
const UNIT = /\.(?:service|scope)$/;

function programOf(named: string, pid: string | undefined): Head {
  const tag = named === 'init.scope' ? 'systemd' : named.replace(UNIT, '');
  return { kernel: false, facility: DAEMON, program: pid === undefined || pid === '-' ? tag : `${tag}[${pid}]` };
}

/** What people and tools call a log, rather than a host: "kernel-log: NVRM: …", "dmesg.1: [12.3] …". */
const LOG_NAME = String.raw`(?:(?:kernel|kern|kmsg|dmesg|printk|klogd?|syslogd?|messages?|journal(?:ctl|d)?|console|serial|ring|buffer|boot|previous|last|log|logs|output|stdout|stderr|line|text|out|err|txt|file|error|warning|info|note|nvidia|nvrm|driver|xid)(?:[-_.]\d{1,3})?[-_.]?){1,4}`;
const NOT_LOG = `(?!${LOG_NAME}:)`;
/** "CudaAPIError: [700] …" names an exception, not a host. */
const NOT_RAISED = String.raw`(?![\w.]{1,120}(?:Error|Exception): )`;
/** What follows the name of a host or a log that another tool put before lines. */
const KERNEL_BEHIND = String.raw`(?=(?:<\d{1,3}>)?\[ *[+\d.]{3,24}(?: <[ \d.]{3,20}>)?\]|\[(?:\p{L}{2,4}|[\p{sc=Han}\p{sc=Hangul}])\.? {1,2}(?:\p{L}{3,9}\.? {1,2})?\d|\d{1,5},\d{1,20},\d{1,20},|(?:kern) *: *[a-z]|NVRM: |(?:${ISO}|${BSD}) \S)`;

/** What cards of PDUs and UPSs write as their program: "Metered Rack PDU: Overload."; a host is never its first word. */
const POWER_UNIT = String.raw`(?<!\d [A-Z][a-z]{1,15} )(?:[A-Z][\w-]{1,16} ){1,3}(?:PDU|UPS|ATS)`;

export const LINE_FORMS: readonly LineForm[] = [
  {
    // "6,3973,227996636,-;text": /dev/kmsg; microseconds since boot.
    name: 'kmsg',
    begins: '0',
    head: /^(\d{1,5}),\d{1,20},(\d{1,20}),[^;]{1,80};/,
    says: ([, pri, us = '']) => {
      const facility = Number(pri) >> 3;
      return { ...byNumber(pri), stamp: { kind: 'boot', ms: Number(us) / 1000, digits: 6 }, kernel: facility === 0 };
    },
  },
  {
    // "192.0.2.119: kern: warning: [2026-04-22T21:30:51.52643656Z]: ": talosctl dmesg; of the one node in a talosconfig without its name.
    name: 'talos',
    begins: '0a',
    head: new RegExp(String.raw`^(?:(${HOST}): )?(${FACILITIES}): {1,8}(?:${LEVELS}): \[(${ISO})\]: (?:\[(talos)\] )?`),
    says: ([, host, facility, stamp = '', program]) => ({
      ...(program === undefined ? { kernel: facility === 'kern' } : programOf(program, undefined)),
      ...(host === undefined ? {} : { host }),
      stamp: wallStamp(stamp),
    }),
  },
  {
    // "kern  :warn  : ": dmesg --decode.
    name: 'dmesg',
    begins: 'a',
    head: new RegExp(String.raw`^(${FACILITIES}) *: *(?:${LEVELS}) *: (?=\[|\d{4}-)`),
    says: ([, facility]) => ({ kernel: facility === 'kern', facility: facility === 'kern' ? 0 : 1 }),
  },
  {
    // "<4>1 2024-12-02T02:43:35.528856Z node-a kernel - - - text" (RFC 5424).
    name: 'syslog_rfc5424',
    begins: '<',
    head: new RegExp(String.raw`^<(?<pri>\d{1,3})>1 (?<stamp>${ISO}|-) (?<host>\S{1,255}) (?<tag>\S{1,48}) (?<pid>\S{1,128}) \S{1,32} (?:-|(?:\[(?:[^\]\\"]|"(?:[^"\\]|\\.)*"|\\.){0,2000}\])+) ?\ufeff?`),
    says: tagged,
  },
  {
    // "2026-11-28T01:16:50.123456789Z stdout F text": what a container runtime keeps.
    name: 'cri',
    begins: '0',
    head: new RegExp(String.raw`^(${ISO}) (?:stdout|stderr) ([FP])(?::\S{0,64})? ?`),
    says: ([, stamp = '', tag]) => ({ stamp: wallStamp(stamp), part: tag === 'P' }),
  },
  {
    // "Feb 14 05:03:41 node-a kernel: text"; some write the priority or the year first (SONiC), and some no host.
    name: 'syslog_rfc3164',
    begins: '<a0',
    head: new RegExp(String.raw`^(?:<(?<pri>\d{1,3})>)?(?:(?<year>\d{4}) (?=\p{L}{3} ))?(?<stamp>${BSD}|${CTIME}) +${NO_ZONE}(?:${NOT_RANKED}(?<host>${ANY_HOST}) +)?${RANKED}${CAPITAL}(?<tag>[^\s:[\]]{1,64}|${POWER_UNIT})(?:\[(?<pid>\d{1,10})\])?: +`, 'u'),
    says: tagged,
  },
  {
    // "2026 Nov 30 11:51:02 leaf-3 %ETHPORT-5-IF_UP: text", "*Nov 30 11:51:02.123: %LINK-3-UPDOWN: text": the logs of switches of Cisco
    // and Arista; relays put their own time, the switch's name and a number before it.
    name: 'switch',
    begins: '<0a',
    head: new RegExp(String.raw`^(?:<(?<pri>\d{1,3})>)?(?:(?<stamp>${BSD}) (?<relayed>${HOST}) )?(?:(?:\d{1,9})?: )?[*.]?(?:(?<year>\d{4}) )?(?<own>${BSD})(?: [A-Z]{2,5})?:? (?:(?<host>${HOST}) )?(?=%[A-Z][A-Z0-9_]{1,31}-\d-\w{2,60} ?:)`, 'u'),
    says: ({ groups = {} }) => {
      const { pri, stamp, relayed, year, own = '', host = relayed } = groups;
      return {
        ...byNumber(pri),
        ...programOf('switch', undefined),
        own: true,
        stamp: wallStamp(year === undefined ? (stamp ?? own) : ofYear(year, own)),
        ...(host === undefined ? {} : { host }),
      };
    },
  },
  {
    // "2025-01-21T04:41:44,283302+00:00 text": dmesg --time-format iso, which alone has a comma; "nvme nvme0: " is a device, not a host.
    name: 'dmesg_iso',
    begins: '0',
    head: /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d) (?!\S{1,255} kernel: )/,
    says: ([, stamp = '']) => ({ stamp: wallStamp(stamp), kernel: true }),
  },
  {
    // "2024-12-02T10:43:35+0800 node-a kernel: text": the journal's short-iso, and rsyslog's own file format.
    name: 'journal_short_iso',
    begins: '<0',
    head: new RegExp(String.raw`^(?:<(?<pri>\d{1,3})>)?(?<stamp>${ISO.replace('[T ]', 'T')}) +${NOT_LEVEL}(?<host>${HOST}) +(?<tag>[^\s:[\]]{1,64})(?:\[(?<pid>\d{1,10})\])?: +`),
    says: tagged,
  },
  {
    // "2026-11-28T10:43:35+0000 kernel: text": the same with --no-hostname; any other word there may be a job's own.
    name: 'journal_short_iso',
    begins: '0',
    head: new RegExp(`^(${ISO.replace('[T ]', 'T')}) +kernel: +`),
    says: ([, stamp = '']) => ({ stamp: wallStamp(stamp), kernel: true, facility: 0 }),
  },
  {
    // "Thu 2024-11-28 12:00:00 UTC node-a kernel: text": the journal's short-full; of zones by name only UTC says which.
    name: 'journal_short_full',
    begins: 'a',
    head: new RegExp(String.raw`^\p{L}{2,4}\.? (?<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?(?: UTC)?)(?: [A-Z0-9+-]{2,5})? (?<host>${ANY_HOST}) (?<tag>[^\s:[\]]{1,64})(?:\[(?<pid>\d{1,10})\])?: `, 'u'),
    says: tagged,
  },
  {
    // "1732795200.123456 node-a kernel: text": the journal's short-unix.
    name: 'journal_short_unix',
    begins: '0',
    head: new RegExp(String.raw`^(?<seconds>\d{9,10}\.\d{6}) (?<host>${HOST}) (?<tag>[^\s:[\]]{1,64})(?:\[(?<pid>\d{1,10})\])?: `),
    says: (found) => {
      const utcMs = Number(found.groups?.seconds) * 1000;
      return { ...tagged(found), stamp: { kind: 'wall', utcMs, digits: 6, zoned: true, yearless: false } };
    },
  },
  {
    // "[Feb 27 2025 15:10:02] [ERROR] [tid 12727] text": the log of NVIDIA's fabric manager.
    name: 'fabric_manager',
    begins: '[',
    head: new RegExp(String.raw`^\[(${BSD})\] \[(?:INFO|ERROR|WARNING|CRITICAL|NOTICE|DEBUG)\] \[tid \d{1,10}\] `, 'u'),
    says: ([, stamp = '']) => ({ ...programOf('nv-fabricmanager', undefined), stamp: wallStamp(stamp), own: true }),
  },
  {
    // "Mon Jun 25 22:23:36.298 2018: text": the log of GPFS' daemon before its release 4.
    name: 'mmfs',
    begins: 'a',
    head: /^(\p{L}{3} \p{L}{3} {1,2}\d{1,2} \d\d:\d\d:\d\d)(?:\.\d{3})? (\d{4}): (?=(?:\[[A-Z]\] )?(?:Lost membership|Close connection|Recover(?:ing|ed) |Connecting to|Connected to|Accepted and connected|Disk lease|Lease overdue|File System|This node will be expelled|Node .{3,128} is being expelled|mmfsd |Unable to contact))/u,
    says: ([, clock, year]) => ({ ...programOf('mmfs', undefined), stamp: wallStamp(`${clock} ${year}`), own: true }),
  },
  {
    // "2026-11-28_10:37:26.823-0400: [E] text": the same since, /var/adm/ras/mmfs.log.latest.
    name: 'mmfs',
    begins: '0',
    head: /^(\d{4}-\d\d-\d\d)_(\d\d:\d\d:\d\d\.\d{3})([+-]\d{4}): (?=\[[A-Z]\] )/,
    says: ([, day, clock, zone]) => ({
      ...programOf('mmfs', undefined),
      stamp: wallStamp(`${day}T${clock}${zone}`),
      own: true,
    }),
  },
  {
    // "(1) Nov28 11:02:11 Worker3 [ChunkStore (write)] >> text": the logs of the servers of BeeGFS, with the level of the line; of its client,
    // "(2) Nov28 11:02:11 python3(40177) [Messaging (RPC)] >> text", where it writes one of its own.
    name: 'beegfs',
    begins: 'a',
    head: /^\((\d)\) ([A-Z][a-z]{2})(\d\d) (\d\d:\d\d:\d\d) (?:[\w.*:-]{1,48}|\S{1,15}\(\d{1,10}\)) (?=\[[^\]\n]{1,96}\] >> )/,
    says: ([, , month, day, clock]) => ({
      ...programOf('beegfs-server', undefined),
      stamp: wallStamp(`${month} ${day} ${clock}`),
      own: true,
    }),
  },
  {
    // "2023-12-04T10:49:30.127Z In(05) vcpu-5 - Guest: ": the log of a virtual machine's host.
    name: 'hypervisor',
    begins: '0',
    head: new RegExp(String.raw`^(${ISO})\|? (?:[A-Z][a-z]\(\d\d\)|[\w-]{1,24}\|)\S{0,24} [\w-]{1,32}\|? ?- Guest: `),
    says: ([, stamp = '']) => ({ stamp: wallStamp(stamp) }),
  },
  {
    // "[Mon Jan 27 19:27:15 2020] text": dmesg --ctime; "[Mon Jan 27 19:27:15 2020 <    0.000012>] " with --show-delta.
    name: 'dmesg_ctime',
    begins: '[<',
    head: new RegExp(String.raw`^(?:<(\d{1,3})>)?\[(${CTIME})(?: <[ \d]{1,10}\.\d{6}>)?\](?: \[ *[CT]\d+\])?:? `, 'u'),
    says: ([, pri, stamp = '']) => ({ ...byNumber(pri), stamp: wallStamp(stamp), kernel: true }),
  },
  {
    // "[Feb22 04:01] text": the first of a minute in dmesg --reltime.
    name: 'dmesg',
    begins: '[',
    head: /^\[(\p{L}{3,5}\.?) ?(\d{1,2}) (\d\d:\d\d)\] /u,
    says: ([, month, day, clock]) => ({ stamp: wallStamp(`${month} ${day} ${clock}:00`), kernel: true }),
  },
  {
    // "[  +0.000844] text": those behind it; "[<    0.012345>] text": dmesg --show-delta --notime.
    name: 'dmesg',
    begins: '[',
    head: /^\[(?: *\+|< *)(\d{1,9})\.(\d{1,9})>?\] /,
    says: ([, seconds = '', fraction = '']) => {
      const ms = Number(`${seconds}.${fraction}`) * 1000;
      return { stamp: { kind: 'after', ms, digits: fraction.length }, kernel: true };
    },
  },
  {
    // "<4>[   12.345678][  T1] text": printk's own stamp; "[   12.345678 <    0.012345>] text" with --show-delta.
    name: 'dmesg',
    begins: '[<',
    // Ten digits are seconds of the calendar, as UCX prints them.
    head: /^(?:<(\d{1,3})>)?\[ *(\d{1,9})\.(\d{1,9})(?: <[ \d]{1,10}\.\d{6}>)?\](?: ?\[ *[CT]\d+\])?:? /,
    says: ([, pri, seconds = '', fraction = '']) => ({ ...byNumber(pri), stamp: bootStamp(seconds, fraction), kernel: true }),
  },
  {
    // "[ T292] text": dmesg --notime with printk's callers (CONFIG_PRINTK_CALLER).
    name: 'dmesg',
    begins: '[<',
    head: /^(?:<(\d{1,3})>)?\[ *[CT]\d{1,10}\] (?=\S)/,
    says: ([, pri]) => ({ ...byNumber(pri), kernel: true }),
  },
  {
    // "[2023-06-22 21:55:31.352444][5975153.869131] text": ts(1) of moreutils and loggers of consoles, before the kernel's own stamp.
    name: 'console',
    begins: '[',
    head: new RegExp(String.raw`^\[(${ISO}|${CTIME}|${BSD})\]:? ?(?=(?:<\d{1,3}>)?\[ *\d{1,9}\.\d{6}\])`, 'u'),
    says: ([, stamp = '']) => ({ stamp: wallStamp(stamp) }),
  },
  {
    // "[123] text": whole seconds, or the number of a process.
    name: 'dmesg',
    begins: '[<',
    head: /^(?:<\d{1,3}>)?\[ *(\d{1,10})\] (?=\S)(?!\[)/,
    says: ([, seconds = '']) => ({ stamp: bootStamp(seconds) }),
  },
  {
    // "<4>text"
    name: 'plain',
    begins: '<',
    head: /^<(\d{1,3})>(?=[^\d\s])/,
    says: ([, pri]) => byNumber(pri),
  },
  {
    // "Message from syslogd@node-a at May 20 19:29:01 ...": rsyslog's omusrmsg, the head above such a message; inetutils' has a comma.
    name: 'wall',
    begins: 'a',
    head: new RegExp(String.raw`^Message from syslogd@(${HOST}) at (?:\p{L}{2,4} )?(${BSD})(?: \d{4})? \.\.\.\s*$`, 'u'),
    says: ([, host, stamp = '']) => ({ host: host ?? '', stamp: wallStamp(stamp), kernel: false }),
  },
  {
    // " kernel:[55716.328117] text": what a syslog daemon writes on every terminal.
    name: 'wall',
    begins: 'a ',
    head: /^ ?kernel:(?=\[ *\d)/,
    says: () => ({ kernel: true, facility: 0 }),
  },
  {
    // " kernel:NMI watchdog: text": the same of a kernel without stamps; programs time kernels of their own, "kernel:matmul 12 us".
    name: 'wall',
    begins: 'a ',
    head: /^ ?kernel:(?=(?:NMI watchdog|watchdog|BUG|mce|EDAC \w{1,8}|NVRM|INFO): ?\S|Kernel panic - |(?:\{\d{1,6}\})?\[Hardware Error\]: )/,
    says: () => ({}),
  },
  {
    // "node-a kernel: text", "kernel: text"
    name: 'plain',
    begins: 'a0',
    // A time alone before it, whose day was cut off, names nothing.
    head: new RegExp(String.raw`^(?:\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})? |(${HOST}) )?kernel: (?=\S)`),
    says: ([, host]) => ({ kernel: true, facility: 0, ...(host === undefined ? {} : { host }) }),
  },
  {
    // "node-b: [14280.445220] text": pdsh, clush and their like, before a line whose own head is one of the above; of an exception, "[700]" is its code.
    name: 'pdsh',
    begins: 'a0',
    head: new RegExp(`^${NOT_LOG}${NOT_RAISED}(${HOST}): +${KERNEL_BEHIND}`, 'iu'),
    says: ([, host]) => ({ host: host ?? '' }),
  },
  {
    // "kernel-log: NVRM: Xid …": a label before a quoted line, and no host.
    name: 'label',
    begins: 'a',
    head: new RegExp(`^${LOG_NAME}: +${KERNEL_BEHIND}`, 'iu'),
    says: () => ({}),
  },
  {
    // "messages:Jun 17 20:18:08 node-a kernel: text", "kern.log.1-412-[ 12.345678] text": grep with the names and numbers of what it found.
    name: 'grep',
    begins: 'a0',
    head: new RegExp(String.raw`^(?:(?:[\w.~/-]{1,200}[:-])?\d{1,8}[:-]|[\w.~/-]{1,200}:) {0,4}(?=(?:<\d{1,3}>)?\[ *\d{1,10}\.\d{1,9}\]|(?:${CTIME}|${BSD}|${ISO.replace('[T ]', 'T')}) +\S+ +\S|kernel: \S|kern *: *[a-z])`, 'u'),
    says: () => ({}),
  },
  {
    // "2016-07-31 16:26:53 +0000 UTC kern.crit kernel: text", "2026-03-02T05:03:41Z | node-a | kernel: [12.3] text": a collector's own
    // order of time, zone, host and level; which word is the host, none of them says. The facility or the kernel's stamp shows who
    // wrote it: programs speak of kernels of their own.
    name: 'syslog',
    begins: 'a0[',
    head: new RegExp(String.raw`^\[?(?<stamp>${ISO}|${CTIME}|${BSD})\]?(?:[ ,|]{1,8}[\w.+:/<>()@-]{1,64}){0,4}[ ,|]{1,8}(?:kern\.(?:${LEVELS})[ ,|]{1,8}kernel(?:\[0?\])?: {1,4}|kernel(?:\[0?\])?: {1,4}(?=\[ *\d{1,9}\.\d{6}\]))(?=\S)`, 'u'),
    says: ({ groups = {} }) => ({ stamp: wallStamp(groups.stamp ?? ''), kernel: true, facility: 0 }),
  },
  {
    // "Feb  9 22:22:29 [kern.warning] [  377.489617] text": the facility is where the host and the program would.
    name: 'syslog',
    begins: 'a0',
    head: new RegExp(String.raw`^(?<stamp>${ISO}|${CTIME}|${BSD}) {1,4}\[kern\.(?:${LEVELS})\] {1,4}(?=\S)`, 'u'),
    says: ({ groups = {} }) => ({ stamp: wallStamp(groups.stamp ?? ''), kernel: true, facility: 0 }),
  },
]; // biome-ignore format: one form an entry

const BY_BEGIN: Readonly<Record<string, readonly LineForm[]>> = Object.fromEntries(
  ['0', 'a', '<', '['].map((begin) => [begin, LINE_FORMS.filter(({ begins }) => begins.includes(begin))]),
);

/** Those that a text may be in, by its first character. */
export function formsOf(text: string): readonly LineForm[] {
  const first = text[0] ?? '';
  const begin = first >= '0' && first <= '9' ? '0' : first === '<' || first === '[' ? first : 'a';
  return BY_BEGIN[begin] ?? [];
}
