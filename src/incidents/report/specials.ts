// Specials: all that is done otherwise than the action's own words say, in the order in which it is asked. A further one is a file of its own and its name here.

import type { Incident } from '../../model/incident.ts';
import { arrayMember } from './array-member.ts';
import { beegfsTarget } from './beegfs-target.ts';
import { busError } from './bus-error.ts';
import { byReason } from './by-reason.ts';
import { cephHealth } from './ceph.ts';
import { changedExport } from './changed-export.ts';
import { cudaError } from './cuda-error.ts';
import { driverFit } from './driver-fit.ts';
import { driverReset } from './driver-reset.ts';
import { etcdDisk } from './etcd-disk.ts';
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
import { gpfsDisk } from './gpfs-disk.ts';
import { outOfGpuMemory } from './gpu-memory.ts';
import { guessed } from './guessed.ts';
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
import { nvlinkOfGpus, unnamedNvlinks } from './nvlink-step.ts';
import { onBattery } from './on-battery.ts';
import { onlyBmc } from './only-bmc.ts';
import { openBreaker } from './open-breaker.ts';
import { memoryOfOthers } from './others-memory.ts';
import { outOfMemory } from './out-of-memory.ts';
import { partOfHost } from './part-of-host.ts';
import { ofPauseStorm } from './pause-storm.ts';
import { plannedDown } from './planned-down.ts';
import { podRejected, podStart } from './pod-start.ts';
import { poolDisk } from './pool-disk.ts';
import { portTaken } from './port-taken.ts';
import { powerCable } from './power-cable.ts';
import { recoveredCard } from './recovered.ts';
import { ofRefusedJoins } from './refused-joins.ts';
import { serviceFailed } from './service-failed.ts';
import { sharedByHosts } from './shared-by-hosts.ts';
import { sharedMemory } from './shared-memory.ts';
import { shortOf } from './short-of.ts';
import { silentHost } from './silent-host.ts';
import { singlePart } from './single-part.ts';
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

/** Says what is to be done where the action's own words are not right; null where it has nothing to say. */
type SpecialOf = (incident: Incident) => Special | null;

/** Asked one after the other, the first that has something to say is taken. */
interface Stage {
  /** Left out: of any incident. */
  readonly when?: (incident: Incident) => boolean;
  readonly of: readonly SpecialOf[];
  /** Nothing behind it is asked of such an incident. */
  readonly ends?: true;
}

/** In the order in which they are asked: what ended the host or took its work comes before what its parts say. */
export const STAGES: readonly Stage[] = [
  {
    of: [
      guessed,
      unnamedNvlinks,
      plannedDown,
      ofPauseStorm,
      ofSwitch,
      ofRefusedJoins,
      sharedByHosts,
      unmanagedPort,
      unnamedPort,
      failedDiagnosis,
      corruptInforom,
      powerCable,
      unreadGpu,
    ],
  },
  { when: hasNoTarget, of: [], ends: true },
  { of: [ofStoppedHost, silentHost, notReady, evicted, afterFailedWrites, lostClient, changedExport] },
  { of: [nodeCondition, failedProlog, bySchedulersWord] },
  {
    of: [
      meetingPlace,
      portTaken,
      podStart,
      podRejected,
      shortOf,
      gpfsDisk,
      gpfs,
      beegfsTarget,
      noGpuGiven,
      sharedByLost,
    ],
  },
  {
    when: isOfProgram,
    of: [
      noAccess,
      missingRanks,
      memoryOfOthers,
      startMemory,
      outOfGpuMemory,
      outOfMemory,
      cudaError,
      busError,
      ncclError,
      silentTask,
    ],
    ends: true,
  },
  {
    of: [
      onBattery,
      openBreaker,
      ofWatchdog,
      twoClocks,
      cephHealth,
      etcdDisk,
      weka,
      offForHeat,
      byReason,
      serviceFailed,
      poolDisk,
      arrayMember,
      recoveredCard,
      failedDisk,
      wornDisk,
      failedModule,
      driverFit,
      fabricFit,
      noGpuSeen,
      driverReset,
      failedFan,
      onlyBmc,
      lostPort,
      liveLink,
      namedCard,
      unfitSupply,
    ],
  },
  { of: [lustreFull, jobFiles, fullDisk, sharedMemory, singlePart, nvlinkOfGpus, partOfHost, fileServer] },
];

function hasNoTarget({ action }: Incident): boolean {
  return action.target === null;
}

function isOfProgram({ action }: Incident): boolean {
  return action.kind === 'debug_app';
}
