// Joined: one fault is one incident, over the hosts and logs that report it. Each host is correlated alone; what they have in common is seen only
// here, in the order in which one thing is found to be behind another.

import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { joinedBySwitch } from '../one-switch.ts';
import { joinedByCable, joinedByPort } from '../same-cable.ts';
import { type Restarts, withoutRestarts } from './after-restart.ts';
import { ofOnePlaceAgain } from './again.ts';
import { joinedGroups } from './groups.ts';
import { ofMissedHost } from './missed-host.ts';
import { ofOneAir } from './one-air.ts';
import { ofOneClock } from './one-clock.ts';
import { ofOneFabric } from './one-fabric.ts';
import { ofOneFeed } from './one-feed.ts';
import { ofCountedGpu, ofOneGpu, ofUnnamedGpu } from './one-gpu.ts';
import { ofOneJob } from './one-job.ts';
import { ofOneMachineCheck } from './one-machine-check.ts';
import { ofOneMoment } from './one-moment.ts';
import { ofOnePod } from './one-pod.ts';
import { ofOneRegistry } from './one-registry.ts';
import {
  ofOneAddress,
  ofOneController,
  ofOneServer,
  ofOneStore,
  ofServedClients,
  ofWaitedDisk,
  ofWaitingHosts,
} from './one-server.ts';
import { ofOneStorm } from './one-storm.ts';
import { ofSamePlace, ofUnnamedPlace } from './same-place.ts';
import { ofSeenLater, withLooks } from './seen-later.ts';
import { type HostsOfJobs, ofOneFault } from './victims.ts';

export interface SeenIn {
  /** All that was found. */
  readonly events: readonly FaultEvent[];
  /** Of hosts, on purpose. */
  readonly restarts: Restarts;
  /** Logs that have the time of their file. */
  readonly undated: ReadonlySet<string>;
  /** Logs whose times are counted back from that. */
  readonly countedBack: ReadonlySet<string>;
  readonly hostsOfJobs: HostsOfJobs;
}

/** In the order of time. */
export function joinedFaults(
  incidents: readonly Incident[],
  { events, restarts, undated, countedBack, hostsOfJobs }: SeenIn,
): Incident[] {
  const guessed = new Set([...undated, ...countedBack]);
  const steps = [
    ofServedClients,
    ofUnnamedPlace,
    ofOnePlaceAgain,
    ofOneGpu,
    ofUnnamedGpu,
    (all: readonly Incident[]) => ofCountedGpu(all, guessed),
    ofOneJob,
    ofOnePod,
    ofOneRegistry,
    ofOneAddress,
    ofOneMachineCheck,
    ofOneMoment,
    ofOneController,
    ofWaitedDisk,
    ofSamePlace,
    ofMissedHost,
    ofOneFeed,
    ofOneAir,
    ofOneClock,
    ofOneFabric,
    (all: readonly Incident[]) => ofOneStorm(all, undated),
    ofOneServer,
    ofOneStore,
    ofWaitingHosts,
  ];
  let all = withoutRestarts(incidents, restarts, events);
  for (const groupsOf of steps) all = joinedGroups(all, groupsOf(all));
  all = joinedByCable(joinedByPort(joinedBySwitch(all, restarts)));
  all = joinedGroups(all, ofSeenLater(all, undated));
  all = joinedGroups(all, ofOneFault(all, undated, hostsOfJobs));
  return all.map((one) => withLooks(one, undated, countedBack)).sort((a, b) => a.openedMs - b.openedMs);
}
