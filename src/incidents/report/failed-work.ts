// Failed work: where the reason of an end without a root is kept, where that is not a scheduler's record: a cluster, a server's own line, a plugin.

import type { Incident } from '../../model/incident.ts';
import { podName } from './device-commands.ts';
import { NAME } from './drain.ts';

/** In the placeholders of a step. Null: as its kind says. */
export function failedWork({ root, events }: Incident): string | null {
  const own = events.find(({ id }) => id === root.eventId);
  if (root.kind === 'pod.device_unhealthy') return own?.attributes.what === 'plugin_ended' ? PLUGIN_ENDED : null;
  if (root.kind !== 'job.failed') return null;
  if (podName(own) !== '') return OF_POD;
  if (own?.source === 'kubectl' && root.component?.type === 'job') return ofJob(root.component.id);
  return own?.attributes.model === undefined ? null : OF_MODEL;
}

/** By the label that its controller gives its pods. */
function ofJob(name: string): string {
  const job = NAME.test(name) ? name : 'JOB';
  return `kubectl get pods -A -l job-name=${job} names its pods; kubectl logs of the last, with its -n and --previous, has the end of its output, kubectl describe pod its exit code and reason (137 and OOMKilled: memory)`;
}

/** Of a pod that failed Slurm knows nothing. */
const OF_POD =
  'kubectl logsPOD has the end of its output, kubectl describe podPOD its exit code and reason under State or Last State; 137 and OOMKilled: memory';

/** Of a server no scheduler keeps a record, and its own line has the reason. */
const OF_MODEL =
  'LINES say why: mostly files or settings of that model (config.pbtxt, the version of its backend); put them right, then load it again or start the server; @ can stay in service';

/** One GPU that fails is taken out alone. */
export const PLUGIN_ENDED =
  'kubectl get pods -A -o wide | grep -i plugin says whether the device plugin of @ runs again: pods get devices again then. Where not, kubectl logs of that pod, with its -n and --previous, says why it ended; on @, nvidia-smi -L (AMD: amd-smi list) whether the driver answers';
