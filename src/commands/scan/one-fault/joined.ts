// Joined: one fault is one incident, over the hosts and logs that report it. Each host is correlated alone; what they have in common is seen only
// here, in the order in which one thing is found to be behind another.

import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { joinedBySwitch } from '../one-switch.ts';
import { joinedByCable, joinedByPort } from '../same-cable.ts';
import { type Restarts, withoutRestarts } from './after-restart.ts';
import { ofOnePlaceAgain } from './again.ts';
import { joinedGroups } from './groups.ts';
import { ofOneAir } from './one-air.ts';
import { ofOneFabric } from './one-fabric.ts';
import { ofOneFeed } from './one-feed.ts';
import { ofOneGpu, ofUnnamedGpu } from './one-gpu.ts';
import { ofOneJob } from './one-job.ts';
import { ofOneMachineCheck } from './one-machine-check.ts';
import { ofOneAddress, ofOneController, ofOneServer, ofOneStore, ofServedClients } from './one-server.ts';
import { ofSamePlace, ofUnnamedPlace } from './same-place.ts';
import { ofSeenLater, withLooks } from './seen-later.ts';
import { ofOneFault } from './victims.ts';

/** In the order of time. `events`: all that was found; `restarts`: of hosts, on purpose; `undated`: logs that have the time of their file. */
export function joinedFaults(
  incidents: readonly Incident[],
  events: readonly FaultEvent[],
  restarts: Restarts,
  undated: ReadonlySet<string>,
): Incident[] {
  const steps = [
    ofServedClients,
    ofUnnamedPlace,
    ofOnePlaceAgain,
    ofOneGpu,
    ofUnnamedGpu,
    ofOneJob,
    ofOneAddress,
    ofOneMachineCheck,
    ofOneController,
    ofSamePlace,
    ofOneFeed,
    ofOneAir,
    ofOneFabric,
    ofOneServer,
    ofOneStore,
  ];
  let all = withoutRestarts(incidents, restarts, events);
  for (const groupsOf of steps) all = joinedGroups(all, groupsOf(all));
  all = joinedByCable(joinedByPort(joinedBySwitch(all)));
  all = joinedGroups(all, ofSeenLater(all, undated)).map((one) => withLooks(one, undated));
  return joinedGroups(all, ofOneFault(all, undated)).sort((a, b) => a.openedMs - b.openedMs);
}
