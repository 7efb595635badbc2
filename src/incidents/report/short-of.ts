// Short of: what a node of Kubernetes runs short of, memory, disk or process numbers, each with its own first step.

import { placedByPod } from '../../model/detail-text.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { podOf } from '../../model/pod-name.ts';
import { HOST } from './kind-step.ts';
import { quantityText } from './quantity.ts';
import type { Special } from './special-step.ts';

const MEMORY: Special = {
  does: 'find what uses up the memory of %',
  now: 'on @, free -h; ps -eo pid,user,rss,args --sort=-rss | head: the owner of the largest gives it a limit of memory, or less to load; pods without a request of memory are evicted first',
  call: HOST,
};
const DISK: Special = {
  does: 'free space on %',
  now: 'on @, df -h /var/lib/kubelet /var/lib/containerd /var/log: sudo crictl rmi --prune removes images that nothing uses (none where kubelet found 0 bytes eligible to free); logs and emptyDir volumes of pods are their owners to empty',
  call: HOST,
};
const PROCESSES: Special = {
  does: 'find what uses up the process numbers of %',
  now: 'on @, ps -eo user,args --sort=user | sort | uniq -c | sort -rn | head; cat /proc/sys/kernel/pid_max: the owner of what starts so many ends them',
  call: HOST,
};
const BY_RESOURCE: Readonly<Record<string, Special>> = {
  memory: MEMORY,
  disk: DISK,
  'ephemeral-storage': DISK,
  inodes: DISK,
  nodefs: DISK,
  imagefs: DISK,
  pid: PROCESSES,
};

/** Null where no line says what is short. */
export function shortOf({ root, events }: Incident): Special | null {
  const attributes = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const { resource } = attributes;
  const held = root.kind === 'host.pressure' ? largestPod(events) : null;
  if (held !== null) return held;
  const special = root.kind === 'host.pressure' && typeof resource === 'string' ? BY_RESOURCE[resource] : undefined;
  if (special === undefined || placedByPod(root.kind, attributes, root.component) === null) return special ?? null;
  return { ...special, now: special.now.replace('on @, ', 'kubectl get podPOD -o wide names that node; there, ') };
}

/** What an eviction says that its pod held is free again: the pod is to ask for it, or to hold it elsewhere. Null where none says. */
function largestPod(events: Incident['events']): Special | null {
  const evictions = events.filter(({ attributes: { used_bytes: used } }) => typeof used === 'number');
  const [largest] = [...evictions].sort((a, b) => Number(b.attributes.used_bytes) - Number(a.attributes.used_bytes));
  const name = largest === undefined ? null : podOf(largest.attributes);
  if (largest === undefined || name === null) return null;
  const { used_bytes: used, container, asked, resource } = largest.attributes;
  const isMemory = resource === 'memory';
  const pod = `pod ${plain(name)}`;
  const what = isMemory ? 'memory' : 'ephemeral-storage';
  return {
    does: `have ${pod} ask for its ${what}${isMemory ? '' : ', or write to a volume'}: its container ${plain(String(container))} held ${quantityText(Number(used), 'B')}, and asked for ${plain(String(asked))}`,
    now: `the eviction has freed that. Before it starts again, give it a request and a limit of ${what}${isMemory ? '' : ', or a volume for what it writes (logs, caches, emptyDir)'}; whether @ is still short, kubectl describe node @ says under Conditions`,
    call: `who runs ${pod}; then who runs @`,
  };
}
