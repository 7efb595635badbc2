// Pod start: what to look at first where a container does not start, by the word that its kubelet has for it; and what a node lacks without it.

import type { Incident } from '../../model/incident.ts';
import { podOf } from '../../model/pod-name.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Pods without which no other pod of their node gets a GPU. */
const GIVES_DEVICES =
  /(?:^|[/-])(?:device-plugin|gpu-device|driver-daemonset|container-toolkit|gpu-feature-discovery|dra-driver|dra-plugin|fabricmanager)/;

/** It starts, and what ends it is in its own log. */
const ENDS_AGAIN = /CrashLoopBackOff|[Bb]ack-?[Oo]ff restarting/;

/** The first that fits; the words are Kubernetes' own. */
const STEPS: readonly (readonly [RegExp, string])[] = [
  [
    /Image|Registry/,
    'kubectl describe podPOD names the image and the error: see its name and tag, whether the registry answers, and the pull secret of its namespace',
  ],
  [
    ENDS_AGAIN,
    'kubectl logsPOD --previous has the end of what ended, kubectl describe podPOD its exit code under Last State',
  ],
  [
    /CreateContainerConfigError/,
    'kubectl describe podPOD names the ConfigMap or Secret, or the key of one, that it asks for and that is not there',
  ],
  [
    /MountVolume|AttachVolume|mount failed|FailedMount|FailedAttachVolume/,
    'kubectl describe podPOD names the volume and the error; see its claim and whether the server behind it answers (kubectl get pvc -A)',
  ],
];

/** Null of anything else, and where no word says more than its kind does. */
export function podStart({ root, events }: Incident): Special | null {
  if (root.kind !== 'pod.start_failed') return null;
  const attributes = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const words = `${attributes.reason ?? ''} ${attributes.message ?? ''}`;
  const now = STEPS.find(([form]) => form.test(words))?.[1];
  const ends = ENDS_AGAIN.test(words);
  if (now === undefined) return null;
  const gives = GIVES_DEVICES.test(podOf(attributes) ?? '');
  return {
    does: `find out why % ${ends ? 'ends again and again' : 'does not start'}${gives ? ': without it @ gives no GPUs to new pods' : ''}`,
    now,
    call: gives ? 'who runs @' : OWNER,
  };
}
