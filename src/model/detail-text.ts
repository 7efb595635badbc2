// What an event says of its object besides its name: which disk is full, whose process was killed, what a rank did not do.

import type { Component } from './component.ts';
import type { Attributes } from './event.ts';
import type { Kind } from './kind.ts';
import { cardText, linkText, nvlinkText, switchText } from './link-text.ts';
import { lackText } from './not-ready.ts';
import { podOf } from './pod-name.ts';
import { NO_DIRECTORY, OVER_CERTIFICATE } from './served-by-unit.ts';
import { shortened } from './shortened.ts';
import { isStandIn } from './unnamed-host.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const LONGEST_PATH = 120;
const LONGEST_DEED = 200;
const LONGEST_NAME = 32;
/** From here on whole minutes. */
const SHORT_MS = 120_000;
const COLLECTIVE: ReadonlySet<Kind> = new Set<Kind>([
  'job.collective_desync',
  'job.collective_mismatch',
  'job.collective_timeout',
]);
const UPS_KINDS: ReadonlySet<Kind> = new Set<Kind>([
  'power.source_transfer',
  'power.battery_low',
  'power.battery_worn',
]);
const WHY_MISSING: Readonly<Record<string, string>> = {
  no_driver: 'on the bus, bound to no driver',
  not_in_driver: 'on the bus, not in the driver',
  not_in_library: 'in the driver, not in its library',
  not_there: 'not there',
};
/** Of which a job's own line says most: how many came, which path was full. */
const SAID_BY_JOB: ReadonlySet<Kind> = new Set<Kind>([
  'job.bootstrap_timeout',
  'job.checkpoint_failed',
  'host.disk_full',
]);
/** From here on it is the inodes that are short. */
const INODES_SHORT = 0.99;

/** Null where the kind and its attributes add nothing to the name. The text may hold anything: others wrote it. */
export function detailText(kind: Kind, attributes: Attributes, of: Component | null = null): string | null {
  const what = ownDetail(kind, attributes, of);
  const served = kind.startsWith('job.') ? servedText(attributes) : null;
  return served === null || what?.includes(String(attributes.model ?? attributes.served_model)) === true
    ? what
    : [served, what].filter((part) => part !== null).join(': ');
}

/** "model caption_0_1": which of the models of an inference server it is, of which the job's name says nothing. */
function servedText({ model, served_model: served }: Attributes): string | null {
  const name = model ?? served;
  return typeof name === 'string' && name !== '' ? `model ${shortened(name, LONGEST_PATH)}` : null;
}

function ownDetail(kind: Kind, attributes: Attributes, of: Component | null): string | null {
  if (COLLECTIVE.has(kind)) return didText(attributes);
  if (typeof attributes.diagnosis === 'string')
    return `dcgmi diag: Fail, ${shortened(attributes.diagnosis, LONGEST_NAME)} test${saidText(attributes)}`;
  if (kind === 'host.oom') return victimText(attributes);
  if (kind === 'job.rank_crashed') return crashText(attributes);
  if (typeof attributes.why === 'string' && Object.hasOwn(WHY_MISSING, attributes.why)) return whyMissing(attributes);
  if (kind === 'agent.source_failed' || kind === 'agent.source_stalled') return ownText(attributes);
  if (typeof attributes.previous_xid === 'number') return `because of XID ${attributes.previous_xid}`;
  if (kind === 'nic.command_timeout') return queueText(attributes);
  if (attributes.recovered === true) return 'its driver recovered it';
  if (kind.startsWith('pod.')) return podText(attributes, of);
  if (kind === 'host.not_ready') return lackText(attributes);
  if (kind === 'host.pressure') return shortageText(attributes);
  if (kind === 'nic.link_degraded' || kind === 'nic.port_down') return linkText(attributes);
  if (kind === 'pcie.link_down' && attributes.driver === 'nvme') return 'an NVMe disk';
  if (kind.startsWith('pcie.')) return cardText(attributes);
  if (kind.startsWith('nvswitch.')) return switchText(attributes);
  if (kind === 'nvlink.degraded') return nvlinkText(attributes);
  if (kind.startsWith('net.')) return peerText(attributes);
  if (kind.startsWith('storage.')) return deviceText(kind, attributes, of);
  if (kind === 'gpu.thermal_throttle') return heatText(attributes);
  if (kind === 'host.overtemp') return sensorText(attributes);
  if (UPS_KINDS.has(kind)) return upsText(attributes);
  if (kind === 'power.voltage_sag') return readText(attributes);
  if (kind === 'gpu.fault')
    return testText(attributes) ?? wordsOf(attributes.says) ?? resetText(attributes) ?? xidText(attributes);
  if (kind === 'process.segfault') return programText(attributes);
  if (kind === 'job.hang') return hungText(attributes);
  if (kind === 'host.panic') return wordsOf(attributes.reason);
  if (kind === 'host.clock_wrong') return clockText(attributes);
  if (kind === 'host.degraded') return degradedText(attributes);
  if (SAID_BY_JOB.has(kind)) return fullnessText(attributes) ?? mountText(attributes) ?? wordsOf(attributes.message);
  return kind === 'gpu.call_stalled' ? callText(attributes) : fullnessText(attributes);
}

/** "GPU 5 (DCGM) failed the PCIe test", "GPU 5 (DCGM): health Failure, Memory system": what a diagnosis says of a device by a number of its own; null for anything else. */
export function testText(attributes: Attributes): string | null {
  const { test, result, dcgm_gpu: gpu } = attributes;
  if (typeof test !== 'string' || test === '') return null;
  if (result === 'Failure')
    return `${typeof gpu === 'number' ? `GPU ${gpu} (DCGM)` : 'DCGM'}: health Failure, ${shortened(test, LONGEST_NAME)}${saidText(attributes)}`;
  if (result !== 'Fail') return null;
  return `${typeof gpu === 'number' ? `GPU ${gpu} (DCGM)` : 'a GPU (DCGM)'} failed the ${shortened(test, LONGEST_NAME)} test${saidText(attributes)}`;
}

/** "Processor CPU2, Thermal Trip": which sensor is too warm, as a log of a BMC has it. */
function sensorText({ sensor, event }: Attributes): string | null {
  if (typeof sensor !== 'string' || sensor === '') return null;
  return shortened(sensor, LONGEST_NAME) + (typeof event === 'string' ? `, ${shortened(event, LONGEST_NAME)}` : '');
}

/** Why, in the words of the diagnosis. */
function saidText({ said }: Attributes): string {
  return typeof said === 'string' && said !== '' ? `: ${shortened(said, LONGEST_PATH)}` : '';
}

/** "XID 54, auxiliary power is not connected or not sufficient": what is public of a code without a kind of its own. */
function xidText({ xid, note }: Attributes): string | null {
  if (typeof xid !== 'number') return null;
  const said = typeof note === 'string' && !/^only the name|^reserved|^XID/.test(note) ? note : null;
  return `XID ${xid}${said === null ? '' : `, ${shortened(said.replace(/^unused since Ampere; before: /, ''), LONGEST_PATH)}`}`;
}

/** "on the bus, not in the driver", "not there, 7 of 8 are". */
function whyMissing({ why, present, known }: Attributes): string | null {
  const text = WHY_MISSING[String(why)] ?? null;
  const count = typeof present === 'number' && typeof known === 'number' ? `, ${present} of ${known} are` : '';
  return text === null ? null : text + count;
}

/** That say how it failed; the others are sent by someone else. */
const SIGNALS: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  11: 'SIGSEGV',
};

/** "KeyError: 'labels'", "exited with exit code 1", "task 3 sent no heartbeat", "SIGBUS"; null where a rank's end is all that is known. */
function crashText({ task, how, exception, message, signal }: Attributes): string | null {
  if (typeof exception !== 'string' || exception === '') {
    if (typeof how === 'string' && how !== '')
      return shortened(how.charAt(0).toLowerCase() + how.slice(1), LONGEST_DEED);
    if (typeof task === 'number') return `task ${task} sent no heartbeat`;
    return typeof signal === 'number' ? (SIGNALS[signal] ?? null) : null;
  }
  const text = typeof message === 'string' && message !== '' ? `${exception}: ${message}` : exception;
  return shortened(text, LONGEST_DEED);
}

/** "did not enter all_reduce number 9 of the world group, last called from step (train.py:93)"; a watchdog's line: "waited 10 min in ALLREDUCE, number 48210". */
function didText({ did, operation, sequence, waited_ms: waited }: Attributes): string | null {
  if (typeof did === 'string' && did !== '') return shortened(did, LONGEST_DEED);
  if (typeof waited !== 'number' || waited <= 0) return null;
  const time = waited < SHORT_MS ? `${Math.round(waited / 1000)} s` : `${Math.round(waited / 60_000)} min`;
  const where = typeof operation === 'string' && operation !== '' ? ` in ${shortened(operation, LONGEST_NAME)}` : '';
  return `waited ${time}${where}${typeof sequence === 'number' ? `, number ${sequence}` : ''}`;
}

/** "Faultline's own process faultline-fr (flight-recorder): ended by the out-of-memory killer"; null for any other trouble. */
function ownText({ own, process, source, reason }: Attributes): string | null {
  if (own !== true || typeof reason !== 'string') return null;
  const name = typeof process === 'string' ? ` ${shortened(process, LONGEST_NAME)}` : '';
  return `Faultline's own process${name} (${shortened(String(source), LONGEST_NAME)}): ${reason}`;
}

/** "Timed out after 901 seconds waiting for clients. 15/16 clients joined". */
function wordsOf(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return shortened(text.replace(/\.\s*$/, '').replace(RUST_ERROR, '$2 (os error $1)'), LONGEST_PATH);
}
/** As Rust prints an error for its programmers; the other is what it prints for people. */
const RUST_ERROR = /(?:IoError\()?Os \{ code: (\d{1,4}), kind: \w{1,40}, message: "([^"]{1,80})" \}\)?/;

/** "python3, in libnccl.so.2". */
function programText({ process, library }: Attributes): string | null {
  if (typeof process !== 'string' || process === '') return null;
  const where = typeof library === 'string' && library !== '' ? `, in ${shortened(library, LONGEST_NAME)}` : '';
  return shortened(process, LONGEST_NAME) + where;
}

/** "pod ml/trainer-2, MountVolume.SetUp failed for volume …"; the pod's name is left out where it stands for the host already. */
function podText(attributes: Attributes, of: Component | null): string | null {
  const pod = placedByPod('pod.', attributes, of) === null ? podOf(attributes) : null;
  const what = fewerDevices(attributes) ?? wordsOf(causeOf(attributes.message));
  const parts = [pod === null ? null : `pod ${shortened(pod, LONGEST_PATH)}`, what];
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? null : said.join(', ');
}

/** Each program on the way puts its own words before the error that it was given: the cause is behind the last of them. */
function causeOf(message: unknown): unknown {
  if (typeof message !== 'string' || message.length <= LONGEST_PATH) return message;
  const parts = message.split(': ');
  let cause = parts.pop() ?? '';
  for (let before = parts.pop(); before !== undefined; before = parts.pop()) {
    if (before.length + cause.length + 4 > LONGEST_PATH) break;
    cause = `${before}: ${cause}`;
  }
  return cause.length > LONGEST_PATH || parts.length === 0 ? message : `…${cause}`;
}

const FEWER =
  /requested number of devices unavailable for ([\w./-]{1,100})\. Requested: (\d{1,6}), Available: (\d{1,6})|enough resource: ([\w./-]{1,100}), requested: (\d{1,6}), used: (\d{1,6}), capacity: (\d{1,6})/;

/** "8 nvidia.com/gpu asked for, 7 available", "… 4 of 8 in use"; null where the words are others. */
function fewerDevices({ message }: Attributes): string | null {
  const [, resource, asked, available, other, wanted, used, all] = FEWER.exec(String(message ?? '')) ?? [];
  if (resource !== undefined) return `${asked} ${resource} asked for, ${available} available`;
  return other === undefined ? null : `${wanted} ${other} asked for, ${used} of ${all} in use`;
}

/** "pod ml/trainer-2", "the node of pod ml/trainer-2": what an event of a pod is on where no line names its node; null for anything else. */
export function placedByPod(kind: string, attributes: Attributes, of: Component | null): string | null {
  const pod = isStandIn(of) ? podOf(attributes) : null;
  if (pod === null) return null;
  return `${kind.startsWith('pod.') ? '' : 'the node of '}pod ${shortened(pod, LONGEST_PATH)}`;
}

/** "41.2 s off", "no selectable sources". */
function clockText({ off_s: off, error_s: error, reason }: Attributes): string | null {
  const seconds = Math.abs(Number(off ?? error ?? Number.NaN));
  return Number.isFinite(seconds) ? `${Number(seconds.toFixed(1))} s off` : wordsOf(reason);
}

const SAID: ReadonlySet<unknown> = new Set(['slurmdbd is not reached', NO_DIRECTORY, OVER_CERTIFICATE]);

/** "slurmdbd.service", "slurmdbd is not reached": what of the host it is. */
function degradedText({ unit, reason }: Attributes): string | null {
  if (typeof unit === 'string') return shortened(unit, LONGEST_PATH);
  return SAID.has(reason) ? String(reason) : null;
}

/** "no step for 300 s, by its own watchdog", "task 3 sent no heartbeat". */
function hungText({ message, stuck_for: seconds, task }: Attributes): string | null {
  if (message === 'no heartbeat' && typeof task === 'number') return `task ${task} sent no heartbeat`;
  if (message !== 'Watchdog timeout') return null;
  return `no step${typeof seconds === 'string' && /^\d{1,9}$/.test(seconds) ? ` for ${seconds} s` : ''}, by its own watchdog`;
}

/** "at 91 °C". */
function heatText({ temperature }: Attributes): string | null {
  return typeof temperature === 'number' ? `at ${temperature} °C` : null;
}

/** "108.2 V (limit 110 V)": of what is known to be low now, and not from what; null where the change is known. */
function readText({ before, value, limit, unit }: Attributes): string | null {
  if (typeof value !== 'number' || before !== undefined || typeof unit !== 'string') return null;
  const name = shortened(unit, LONGEST_NAME);
  return `${value} ${name}${typeof limit === 'number' ? ` (limit ${limit} ${name})` : ''}`;
}

/** "rack4@localhost", "rack4@localhost, its host shuts down": which UPS it is, and what comes of it. */
function upsText({ shuts_down: shuts, ups }: Attributes): string | null {
  const parts = [
    typeof ups === 'string' && ups !== '' ? shortened(ups, LONGEST_NAME) : '',
    shuts === true ? 'its host shuts down' : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(', ');
}

/** "queue gfx_0.0.0 hangs": what a driver that resets its GPUs itself did, and for what; null where it names neither. */
function resetText({ ring, memory_lost: lost, driver_reset: reset }: Attributes): string | null {
  if (lost === true) return 'what its memory held is lost';
  if (typeof ring === 'string' && ring !== '') return `queue ${shortened(ring, LONGEST_NAME)} hangs`;
  return reset === true ? 'the driver resets it' : null;
}

/** "nvmlDeviceGetUUID, 2.1 s": the call that did not return, and for how long when it was given up. */
function callText({ call, stalled_ms: stalled }: Attributes): string | null {
  if (typeof call !== 'string' || call === '') return null;
  const time = typeof stalled === 'number' && stalled >= 0 ? `, ${Number((stalled / 1000).toFixed(1))} s` : '';
  return shortened(call, LONGEST_PATH) + time;
}

/** "transmit queue 5 of eth2, 5.01 s"; null for a command of the driver. */
function queueText({ interface: port, transmit_queue: queue, waited_ms: waited }: Attributes): string | null {
  if (typeof port !== 'string' || queue === undefined) return null;
  const time = typeof waited === 'number' ? `, ${Number((waited / 1000).toFixed(2))} s` : '';
  return `transmit queue${typeof queue === 'number' ? ` ${queue}` : ''} of ${shortened(port, LONGEST_NAME)}${time}`;
}

/** "nvme0n1, Unrecovered Read Error", "server 10.0.0.4": the disk, which is of this host, or the server, which is not. */
function deviceText(kind: Kind, attributes: Attributes, of: Component | null): string | null {
  const { device, server, status, array, client, program, took } = attributes;
  if (program === 'etcd' && kind === 'storage.stall')
    return `etcd waits for its disk${typeof took === 'string' ? `, ${shortened(took, LONGEST_NAME)} for one fdatasync` : ''}`;
  if (attributes.file_system === 'ceph' && typeof attributes.part === 'string') return osdText(attributes, of);
  if (typeof client === 'string' && kind === 'storage.stall')
    return `client ${shortened(client, LONGEST_PATH)} given up`;
  if (typeof server === 'string' && kind === 'storage.full') return `${shortened(server, LONGEST_PATH)} has no space`;
  if (typeof server === 'string') return `${shortened(server, LONGEST_PATH)} ${serverText(kind, attributes)}`;
  if (typeof device !== 'string') return null;
  if (typeof array === 'string' && attributes.raid === true && of?.type === 'disk')
    return `thrown out of ${shortened(array, LONGEST_NAME)}`;
  // The name next to it says which disk already.
  if (of?.type === 'disk' && of.id === device)
    return typeof status === 'string' ? shortened(status, LONGEST_NAME) : null;
  return shortened(device, LONGEST_NAME) + (typeof status === 'string' ? `, ${shortened(status, LONGEST_NAME)}` : '');
}

/** "osd.117", "osd.117 of ceph-12" where a monitor says so. */
function osdText({ part, osd_host: at }: Attributes, of: Component | null): string {
  const where = typeof at === 'string' && at !== of?.id ? ` of ${shortened(at, LONGEST_NAME)}` : '';
  return shortened(String(part), LONGEST_NAME) + where;
}

/** "does not answer", "lost disk nsd_07", "was unmounted": what the server did. */
function serverText(kind: Kind, { did, disk }: Attributes): string {
  if (typeof disk === 'string') return `lost disk ${shortened(disk, LONGEST_NAME)}`;
  if (typeof did === 'string') return shortened(did, LONGEST_DEED);
  return kind === 'storage.stall' ? 'does not answer' : 'refused this host';
}

/** "python3 of /slurm/job_991, 192 GiB of the 504 GiB of the host", "…, at its limit of 64 GiB": the control group names the job or the container. */
function victimText(attributes: Attributes): string | null {
  const { process, memcg, reason, told_by: by, ended_by: endedBy } = attributes;
  // A launcher's or scheduler's word names no process.
  if (typeof process !== 'string' || process === '')
    return typeof reason === 'string' && endedBy === undefined
      ? shortened(reason, LONGEST_PATH) + (typeof by === 'string' ? `, reported by ${shortened(by, LONGEST_NAME)}` : '')
      : null;
  const group =
    typeof memcg === 'string' && memcg !== '' && memcg !== '/' ? ` of ${shortened(memcg, LONGEST_PATH)}` : '';
  return shortened(process, LONGEST_PATH) + group + heldText(attributes);
}

/** How much it held of what there was, as far as the kernel's lines say. */
function heldText(attributes: Attributes): string {
  const { constraint, limit_kib: limit, ram_kib: ram } = attributes;
  const held = heldKib(attributes);
  if (constraint === 'CONSTRAINT_MEMCG')
    return typeof limit === 'number' ? `, at its limit of ${memoryText(limit)}` : '';
  if (held === null || held < 1024) return '';
  return `, which held ${memoryText(held)}${typeof ram === 'number' ? ` of the ${memoryText(ram)} of the host` : ''}`;
}

/** What a process that was killed for memory had, private and shared; null where no line says. */
export function heldKib({ anon_rss_kib: own, shmem_rss_kib: shared, rss_mib: all }: Attributes): number | null {
  if (typeof all === 'number') return all * 1024;
  return typeof own === 'number' ? own + (typeof shared === 'number' ? shared : 0) : null;
}

/** "60 MiB", "1,813 GiB". */
export function memoryText(kib: number): string {
  const gib = kib / 2 ** 20;
  return gib < 1
    ? `${Math.round(kib / 1024)} MiB`
    : `${gib >= 100 ? thousands(Math.round(gib)) : Number(gib.toFixed(1))} GiB`;
}

/** "1,813", as every other figure of a report. */
function thousands(whole: number): string {
  return String(whole).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** "ephemeral-storage": what is short, where the title does not say it. */
function shortageText({ resource }: Attributes): string | null {
  const isSaid = typeof resource !== 'string' || /^(?:unknown|memory|disk|pids?|)$/.test(resource);
  return isSaid ? null : shortened(resource, LONGEST_NAME);
}

/** "mlx5_4, peer 10.0.0.10": the card and the other side, as far as the line names them. */
function peerText({ device, peer }: Attributes): string | null {
  const own = typeof device === 'string' && device !== '' ? shortened(device, LONGEST_NAME) : null;
  const other = typeof peer === 'string' && peer !== '' ? `peer ${shortened(peer, LONGEST_PATH)}` : null;
  const parts = [own, other].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

/** "/lustre/ost0007, 100 % used": as df prints it. */
function mountText({ mount, utilization }: Attributes): string | null {
  if (typeof mount !== 'string' || typeof utilization !== 'number') return null;
  return `${shortened(mount, LONGEST_PATH)}, ${Math.round(utilization * 100)} % used`;
}

/** "/var/log, 0.3 of 240 GiB left"; null for an event without a file system. */
function fullnessText(attributes: Attributes): string | null {
  const { path, size_bytes: size, available_bytes: available, inode_utilization: inodes } = attributes;
  if (typeof path !== 'string' || typeof size !== 'number' || typeof available !== 'number') return null;
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(size, 1)) / 10)));
  const [left, whole] = [available, size].map((bytes) => Number((bytes / 1024 ** power).toPrecision(3)));
  const files =
    typeof inodes === 'number' && inodes >= INODES_SHORT ? `, ${Math.round(inodes * 100)} % of inodes used` : '';
  return `${shortened(path, LONGEST_PATH)}, ${left} of ${whole} ${UNITS[power]} left${files}`;
}
