// Of a cluster: reports that list what is on many hosts, or on any, and so are of none; and those that are of the one machine that was asked.

import type { EventInput } from '../../model/record.ts';

/** "… Warning  BackOff  pod/embed-7c8d9", with who saw it before or behind. */
const OBJECT = /\s(?:Normal|Warning)\s{1,40}\w{3,60}\s{1,40}(?:pod|po)\/([a-z0-9][a-z0-9.-]{0,252})\s/;
/** "serving   embed-7c8d9   0/1   CrashLoopBackOff   14 (2m ago)   3h". */
const ROW = /^(?:[a-z0-9][a-z0-9-]{0,62}\s{1,80})?([a-z0-9][a-z0-9.-]{0,252})\s{1,80}\d{1,4}\/\d{1,4}\s{1,20}[A-Z]\w/;
const MOST_LINES = 2000;

/** Whether what kubectl printed is of several pods: of one it may be of the host that the other logs name. */
export function listsPods(head: string): boolean {
  const pods = new Set<string>();
  for (const line of head.split('\n', MOST_LINES)) {
    const pod = OBJECT.exec(line)?.[1] ?? ROW.exec(line)?.[1];
    if (pod !== undefined) pods.add(pod);
    if (pods.size > 1) return true;
  }
  return false;
}

/** Whatever machine these are asked on, they answer for others. */
const ASKS_OTHERS =
  /^(?:ibqueryerrors|iblinkinfo|ibdiagnet|ibportstate|perfquery|scontrol|pbsnodes|bhosts|lsload|qstat|mmgetstate|beegfs-ctl|weka|lfs)\b/;

/** Whether what a tool printed is of the devices and file systems of the machine that it ran on. */
export function isOfMachine(events: readonly EventInput[]): boolean {
  return events.every(({ attributes = {} }) => !ASKS_OTHERS.test(String(attributes.tool ?? '')));
}

/** They run on each node, and their logs speak of it. */
const OF_NODE = /^(?:slurmd|slurmstepd|kubelet|containerd|dockerd|crio)$/;

export function isOfNode(events: readonly EventInput[]): boolean {
  return events.length > 0 && events.every(({ attributes = {} }) => OF_NODE.test(String(attributes.program ?? '')));
}
