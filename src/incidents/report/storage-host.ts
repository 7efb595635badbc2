// Storage host: one that serves the files or disks of a cluster is not a node for jobs: its work cannot go elsewhere, and it goes down only as who runs them says.

import type { Incident } from '../../model/incident.ts';
import { waitingText } from './waiting-clients.ts';

/** "oss-02", "nfs-home-1", "weka-be-07", "ceph-osd-4": what sites call them by. */
const NAMED =
  /(?:^|[-_.])(?:oss|mds|mgs|nfs|nas|filer|weka|ceph|osd|nsd|beegfs|bgs|lustre|stor|storage|fileserver)(?:\d{0,6}(?:[-_.]|$)|[a-z]?\d)/i;
/** What is of a device or a program that only a node for jobs has. */
const OF_JOBS = /^(?:gpu|nvlink|nvswitch|job|pod|process|driver)\./;

/** By what the lines say of its clients and targets, else by its name. */
export function isStorageHost({ host, events, root }: Pick<Incident, 'host' | 'events' | 'root'>): boolean {
  if (events.some(({ kind }) => OF_JOBS.test(kind)) || OF_JOBS.test(root.kind)) return false;
  const said = events.some(({ attributes }) => attributes.on_server === true || attributes.lustre_target === true);
  return said || waitingText(events) !== null || NAMED.test(host);
}

/** In the place of the words that drain a node. */
export function spareText(host: string): string {
  return `ask who runs its file system before ${host}, which serves it, is taken down`;
}

/** Whom to call before the hands. */
export const RUNS_FILES = 'who runs the file system of @, then who may touch its hardware';
