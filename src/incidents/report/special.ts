// Special: what an action is on an object that has no such part: a link without a cable, a host whose part is to be replaced, a file server.

import type { Action } from '../../model/action.ts';
import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { podOf } from '../../model/pod-name.ts';
import { arrayMember } from './array-member.ts';
import { beegfsTarget } from './beegfs-target.ts';
import { busError } from './bus-error.ts';
import { cephHealth } from './ceph.ts';
import { changedExport } from './changed-export.ts';
import { cudaError } from './cuda-error.ts';
import { driverFit } from './driver-fit.ts';
import { driverReset } from './driver-reset.ts';
import { evicted } from './evicted.ts';
import { fabricFit } from './fabric-fit.ts';
import { failedDiagnosis } from './failed-diagnosis.ts';
import { failedDisk } from './failed-disk.ts';
import { failedFan } from './failed-fan.ts';
import { failedModule } from './failed-module.ts';
import { failedProlog } from './failed-prolog.ts';
import { afterFailedWrites } from './failed-writes.ts';
import { fileServer } from './file-server.ts';
import { fullDisk, lustreFull } from './full-disk.ts';
import { gpfs } from './gpfs.ts';
import { outOfGpuMemory } from './gpu-memory.ts';
import { offForHeat } from './host-off.ts';
import { corruptInforom } from './inforom.ts';
import { jobFiles } from './job-files.ts';
import { liveLink } from './live-link.ts';
import { lostClient } from './lost-client.ts';
import { lostPort } from './lost-port.ts';
import { sharedByLost } from './lost-together.ts';
import { meetingPlace } from './meeting-place.ts';
import { missingRanks } from './missing-ranks.ts';
import { namedCard } from './named-card.ts';
import { ncclError } from './nccl-error.ts';
import { noAccess } from './no-access.ts';
import { noGpuSeen } from './no-gpu.ts';
import { noGpuGiven } from './no-gpu-given.ts';
import { nodeCondition } from './node-condition.ts';
import { notReady } from './not-ready.ts';
import { nvlinkStep } from './nvlink-step.ts';
import { onBattery } from './on-battery.ts';
import { oneHotGpu } from './one-hot-gpu.ts';
import { oneSupply, UNNAMED_SUPPLY } from './one-supply.ts';
import { onlyBmc } from './only-bmc.ts';
import { openBreaker } from './open-breaker.ts';
import { othersMemory } from './others-memory.ts';
import { outOfMemory } from './out-of-memory.ts';
import { hostWords } from './place.ts';
import { plannedDown } from './planned-down.ts';
import { podRejected, podStart } from './pod-start.ts';
import { poolDisk } from './pool-disk.ts';
import { portTaken } from './port-taken.ts';
import { powerCable } from './power-cable.ts';
import { recoveredCard } from './recovered.ts';
import { serviceFailed } from './service-failed.ts';
import { sharedMemory } from './shared-memory.ts';
import { gpfsDisk, shortOf } from './short-of.ts';
import { silentHost } from './silent-host.ts';
import type { Special } from './special-step.ts';
import { startMemory } from './start-memory.ts';
import { ofStoppedHost } from './stopped-host.ts';
import { ofSwitch } from './switch-side.ts';
import { bySchedulersWord } from './taken-out.ts';
import { twoClocks } from './two-clocks.ts';
import { unfitSupply } from './unfit-supply.ts';
import { unmanagedPort } from './unmanaged-port.ts';
import { unnamedPort } from './unnamed-port.ts';
import { unreadGpu } from './unread-gpu.ts';
import { silentTask } from './watchdog.ts';
import { ofWatchdog } from './watchdogs.ts';
import { weka } from './weka.ts';
import { wornDisk } from './worn-disk.ts';

const LONGEST = 64;

const PART_OF_HOST: Special = {
  does: 'replace the part of % that the lines name',
  now: 'DRAIN; then open a case for that part of % with FILE',
  call: 'the support of the vendor of %',
};

/** Where one GPU alone is hot, the air of the site does for the others. */
/** Null where more than one such part, or anything that holds them, is in it. */
function alone(incident: Incident): Special | null {
  const {
    action: { kind, target },
    root,
    events,
  } = incident;
  if (kind === 'check_power_feed' && target?.type === 'host' && root.kind.startsWith('psu.')) return UNNAMED_SUPPLY;
  const one = kind === 'check_cooling' ? 'gpu' : kind === 'check_power_feed' ? 'psu' : null;
  if (one === null || target?.type !== one || root.component?.type !== one) return null;
  const others = events.some(({ component }) => component?.type === one && component.id !== root.component?.id);
  const wider = events.some(({ component, kind: of }) => WIDER.test(of) && component?.type !== one);
  return others || wider ? null : one === 'gpu' ? oneHotGpu(incident) : oneSupply(incident);
}
const WIDER = /^(?:power|facility|cooling|rack|pdu|bmc|host\.(?:overtemp|fan|power))/;

/** The program that ran out is hardly at fault where another one holds more of the GPU than it did. */
function memoryOfOthers(incident: Incident): Special | null {
  const others = othersMemory(incident);
  if (others === null) return null;
  const { pids, gib } = others;
  const who = `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')}`;
  const holds = `${pids.length === 1 ? 'holds' : 'hold'} ${gib.toFixed(2)} GiB`;
  return {
    does: `see whose ${who} ${pids.length === 1 ? 'is, which' : 'are, which'} ${holds} of the GPU`,
    now: `on @, ps -o pid,user,lstart,args -p ${pids.join(',')}: end what an earlier job left there; of a job that runs, two were given one GPU. Where ps knows no such number it was counted in a container: nvidia-smi`,
    call: 'who runs @',
  };
}

/** Null where the action's own words are right. */
export function specialOf(incident: Incident): Special | null {
  const {
    action: { kind, target },
    root,
  } = incident;
  if (kind === 'check_link' && root.kind.startsWith('nvlink.') && target?.type !== 'nvlink')
    return nvlinkStep(incident, 'check the NVLinks of %');
  const waiting =
    plannedDown(incident) ??
    ofSwitch(incident) ??
    unmanagedPort(incident) ??
    unnamedPort(incident) ??
    failedDiagnosis(incident) ??
    corruptInforom(incident) ??
    powerCable(incident) ??
    unreadGpu(incident);
  if (target === null || waiting !== null) return waiting;
  const down =
    ofStoppedHost(incident) ??
    silentHost(incident) ??
    notReady(incident) ??
    evicted(incident) ??
    afterFailedWrites(incident) ??
    lostClient(incident) ??
    changedExport(incident);
  if (down !== null) return down;
  const scheduled = nodeCondition(incident) ?? failedProlog(incident) ?? bySchedulersWord(incident);
  if (scheduled !== null) return scheduled;
  const place =
    meetingPlace(incident) ??
    portTaken(incident) ??
    podStart(incident) ??
    podRejected(incident) ??
    shortOf(incident) ??
    gpfsDisk(incident) ??
    gpfs(incident) ??
    beegfsTarget(incident) ??
    noGpuGiven(incident);
  if (place !== null) return place;
  const shared = sharedByLost(incident);
  if (shared !== null) return shared;
  if (kind === 'debug_app')
    return (
      noAccess(incident) ??
      missingRanks(incident) ??
      memoryOfOthers(incident) ??
      startMemory(incident) ??
      outOfGpuMemory(incident) ??
      outOfMemory(incident) ??
      cudaError(incident) ??
      busError(incident) ??
      ncclError(incident) ??
      silentTask(incident)
    );
  const own =
    onBattery(incident) ??
    openBreaker(incident) ??
    ofWatchdog(incident) ??
    twoClocks(incident) ??
    cephHealth(incident) ??
    weka(incident) ??
    offForHeat(incident) ??
    serviceFailed(incident) ??
    poolDisk(incident) ??
    arrayMember(incident) ??
    recoveredCard(incident) ??
    failedDisk(incident) ??
    wornDisk(incident) ??
    failedModule(incident) ??
    driverFit(incident) ??
    fabricFit(incident) ??
    noGpuSeen(incident) ??
    driverReset(incident) ??
    failedFan(incident) ??
    onlyBmc(incident) ??
    lostPort(incident) ??
    liveLink(incident) ??
    namedCard(incident) ??
    unfitSupply(incident);
  if (own !== null) return own;
  const full = lustreFull(incident);
  if (full !== null) return full;
  const files = jobFiles(incident);
  if (files !== null) return files;
  const disk = fullDisk(incident) ?? sharedMemory(incident);
  if (disk !== null) return disk;
  const single = alone(incident);
  if (single !== null) return single;
  if (kind === 'check_link' && (target.type === 'nvlink' || target.type === 'nvswitch'))
    return nvlinkStep(incident, 'check %');
  if (target.type !== 'host') return null;
  if (kind === 'replace_part') return PART_OF_HOST;
  return fileServer(incident);
}

/** Done to a device: a job or rank has one only by the host that it ran on. */
const ON_A_DEVICE: ReadonlySet<Action> = new Set(['check_link', 'reset_nic', 'inspect_hardware', 'replace_part', 'contact_vendor']); // biome-ignore format: one line
/** Of work the GPU that it has. */
const ON_A_GPU: ReadonlySet<Action> = new Set(['reset_gpu', 'drain_reset_gpu', 'check_cooling', 'check_power_feed', 'inspect_hardware', 'replace_part', 'contact_vendor']); // biome-ignore format: one line
/** Of a pod's own events. */
const ON_A_POD: ReadonlySet<Action> = new Set(['restart_app', 'debug_app', 'check_config']);
const OF_CARDS: ReadonlySet<Action> = new Set(['check_link', 'reset_nic']);

/** What the action is done to: its target's name, or the card of a job's host that the line names. Null without a target. */
export function objectText(incident: Incident): string | null {
  const { kind, target } = incident.action;
  if (target === null) return null;
  const root = incident.events.find(({ id }) => id === incident.root.eventId);
  const pod = incident.root.kind.startsWith('pod.') && target.type === 'host' && root !== undefined ? podOf(root.attributes) : null; // biome-ignore format: one condition
  if (pod !== null && ON_A_POD.has(kind)) return `pod ${plain(pod, LONGEST)}`;
  if (incident.root.kind === 'host.pressure' && target.type === 'host') return hostWords(incident);
  const isWork = target.type === 'job' || target.type === 'rank';
  if (isWork && incident.root.kind.startsWith('gpu.') && ON_A_GPU.has(kind)) return `the GPU of ${nameText(target)}`;
  if (!ON_A_DEVICE.has(kind) || !isWork) return nameText(target);
  const device = root?.attributes.device;
  const isNamed = typeof device === 'string' && device !== '';
  if (!isNamed && !OF_CARDS.has(kind) && !/^(?:net|nic)\./.test(incident.root.kind)) return nameText(target);
  const what = isNamed ? plain(device, LONGEST) : 'the network cards';
  return `${what} of ${hostWords(incident)}`;
}
