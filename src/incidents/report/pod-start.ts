// Pod start: what to look at first where a container does not start, by the word that its kubelet has for it; and what a node lacks without it.

import { expiredRegistry } from '../../model/expired-registry.ts';
import type { Incident } from '../../model/incident.ts';
import { podOf } from '../../model/pod-name.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Pods without which no other pod of their node gets a GPU. */
const GIVES_DEVICES =
  /(?:^|[/-])(?:device-plugin|gpu-device|driver-daemonset|container-toolkit|gpu-feature-discovery|dra-driver|dra-plugin|fabricmanager)/;

/** It starts, and what ends it is in its own log. */
const ENDS_AGAIN = /CrashLoopBackOff|[Bb]ack-?[Oo]ff restarting/;

/** Of nvidia-container-cli: it asks the driver before anything of the pod runs. */
const OF_DRIVER =
  /nvidia-container-cli: initialization error: (?:nvml error|load library failed|driver error|driver rpc error|cuda error)/;
const DRIVER_HANGS = /driver rpc error: timed out/;

const NETWORK = 'who runs the network of the cluster of @';

/** The first that fits; the words are Kubernetes' own, and those of the plugins that it asks. */
const STEPS: readonly {
  readonly form: RegExp;
  readonly does?: string;
  readonly now: string;
  readonly call?: string;
}[] = [
  {
    form: /(?:[Ii]mage|[Rr]egistry|resolve reference).{0,600}(?:\b40[13]\b|[Uu]nauthorized|[Ff]orbidden|pull access denied|authentication required)/,
    does: 'give % the right to pull its image: its registry refuses it',
    now: 'kubectl describe podPOD names the image and its registry: see that the secret in imagePullSecrets of the pod, or of its service account, is there, is not expired and is of that registry; else ask who runs the registry',
  },
  {
    form: /[Ll]iveness probe/,
    does: 'see why the liveness probe of % ends it',
    now: 'kubectl describe podPOD has the delay of the probe, and how long the last run took: where it still loads when it is ended, give it a startupProbe or a longer initialDelaySeconds; else kubectl logsPOD --previous says what hangs',
  },
  {
    form: /no free VF|\bVFs?\b.{0,80}(?:in use|exhausted|not available)/,
    now: 'on @, ip link showPF lists its VFs; kubectl get pods -A -o wide --field-selector spec.nodeName=@ shows which pods hold some, a VF of a pod that is gone is freed by a restart of its SR-IOV device plugin (kubectl get pods -A -o wide | grep sriov)',
    call: NETWORK,
  },
  {
    form: /no IP addresses available|no (?:available|free|more) (?:IP|addresses|IPs)|failed to (?:allocate|assign|request) (?:for range|an? IP|IP)|IPAM|ipam/,
    now: 'the addresses for pods of @ are used up, or those of pods that are gone were not given back: on @, ls /var/lib/cni/networks; kubectl get pods -A -o wide --field-selector spec.nodeName=@; then the pool of its network plugin',
    call: NETWORK,
  },
  {
    form: /network for (?:pod )?sandbox|NetworkPlugin|networkPlugin|\bcni\b|\bCNI\b|multus|calico|cilium|flannel/,
    now: 'kubectl get pods -A -o wide --field-selector spec.nodeName=@: the pods of its network plugin (calico, cilium, flannel, multus) have to run there, and kubectl logs of them says why they refuse; on @, ls /etc/cni/net.d',
    call: NETWORK,
  },
  {
    form: /Image|Registry|[Ff]ailed to pull/,
    now: 'kubectl describe podPOD names the image and the error: see its name and tag, whether the registry answers, and the pull secret of its namespace',
  },
  {
    form: ENDS_AGAIN,
    now: 'kubectl logsPOD --previous has the end of what ended, kubectl describe podPOD its exit code under Last State',
  },
  {
    form: /CreateContainerConfigError/,
    now: 'kubectl describe podPOD names the ConfigMap or Secret, or the key of one, that it asks for and that is not there',
  },
  {
    form: /MountVolume|AttachVolume|mount failed|FailedMount|FailedAttachVolume/,
    now: 'kubectl describe podPOD names the volume and the error; see its claim and whether the server behind it answers (kubectl get pvc -A)',
  },
];
/** The port whose virtual functions are all taken; pasted, so a name and nothing else. */
const OF_PORT = /\bPF ([a-z][\w.-]{1,15})(?=$|[\s,;:"'.])/;

/** Of the kubelet's device manager, and of its check of what is asked for. */
const UNAVAILABLE =
  /requested number of devices unavailable for ([\w.-]{1,63}\/[\w.-]{1,63})\. Requested: (\d{1,6}), Available: (\d{1,6})/;
const IN_USE =
  /enough resource: ([\w.-]{1,63}\/[\w.-]{1,63}), requested: \d{1,6}, used: (\d{1,6}), capacity: (\d{1,6})/;
const LISTS: readonly (readonly [RegExp, string])[] = [
  [/^nvidia\.com\//, 'nvidia-smi -L; sudo dmesg -T | grep -iE "xid|nvrm"'],
  [/^amd\.com\//, 'amd-smi list; sudo dmesg -T | grep -i amdgpu'],
];

/** All that it offers, the device plugin calls unhealthy. */
const UNHEALTHY = /no healthy devices present; cannot allocate unhealthy devices ([\w.-]{1,63}\/[\w.-]{1,63})/;

/** A node that has fewer devices to give than a pod asks for; null where no line says how many. */
export function podRejected({ root, events }: Incident): Special | null {
  if (root.kind !== 'pod.rejected') return null;
  const message = String(events.find(({ id }) => id === root.eventId)?.attributes.message ?? '');
  const [, resource = '', asked, available] = UNAVAILABLE.exec(message) ?? [];
  const [, wanted = '', used, capacity] = IN_USE.exec(message) ?? [];
  const [, sick = ''] = UNHEALTHY.exec(message) ?? [];
  const listed = (of: string): string => {
    const list = LISTS.find(([form]) => form.test(of))?.[1];
    return list === undefined ? '' : `${list}; `;
  };
  if (sick !== '')
    return {
      does: `find out why no ${sick} of @ is healthy`,
      now: `kubectl describe node @ | grep -A8 Allocatable has how many are left; on @, ${listed(sick)}the log of its device plugin (kubectl get pods -A -o wide | grep device-plugin) says which it calls unhealthy, and why`,
      call: 'who runs @',
    };
  if (resource !== '') {
    return {
      does: `find out why @ has ${available} ${resource} to give, and not ${asked}`,
      now: `kubectl describe node @ shows them under Capacity and Allocatable, and which pods hold some; on @, ${listed(resource)}the log of its device plugin (kubectl get pods -A -o wide | grep device-plugin): one that it calls unhealthy is not given out, and after a restart of the kubelet none is until it registers`,
      call: 'who runs @',
    };
  }
  if (wanted === '') return null;
  return Number(capacity) === 0
    ? {
        does: `find out why @ offers no ${wanted}`,
        now: 'kubectl describe node @ shows Capacity and Allocatable; kubectl get pods -A -o wide | grep device-plugin: the one of @ has to run and to register, and its log says what it lacks',
        call: 'who runs @',
      }
    : {
        does: `see which pods hold ${wanted} of @ (${used} of ${capacity})`,
        now: 'kubectl get pods -A -o wide --field-selector spec.nodeName=@: what is over its owner ends; a pod that names its node itself passes by the scheduler, which would have waited',
        call: 'who runs @',
      };
}

function ofDriver(words: string): Special | null {
  if (!OF_DRIVER.test(words)) return null;
  const hangs = DRIVER_HANGS.test(words);
  return {
    does: `find out why the NVIDIA driver of @ ${hangs ? 'does not answer' : 'gives containers no GPU'}`,
    now: `on @, timeout 20 nvidia-smi; sudo dmesg -T | grep -iE 'xid|nvrm'; ${hangs ? 'systemctl status nvidia-persistenced' : 'dkms status'}. Where nvidia-smi ${hangs ? 'hangs' : 'fails'}, DRAIN; ${hangs ? 'once nothing runs on @, reboot it' : 'where it works: the container toolkit of @'}`,
    call: 'who runs @',
  };
}

/** No pod can pull from there, whatever its image and its secret. */
function ofRegistry(words: string): Special | null {
  const expired = expiredRegistry(words);
  if (expired === null) return null;
  const { registry, endedAt } = expired;
  return {
    does: `have the certificate of the registry ${registry} renewed: it ended ${endedAt}`,
    now: `openssl s_client -connect ${registry.includes(':') ? registry : `${registry}:443`} </dev/null | openssl x509 -noout -dates shows it; date -u on @ that its clock is right. Renew it, and load it into the proxy before the registry: the pods then start by themselves`,
    call: `who runs the registry ${registry}`,
  };
}

/** Null of anything else, and where no word says more than its kind does. */
export function podStart({ root, events }: Incident): Special | null {
  if (root.kind !== 'pod.start_failed') return null;
  const attributes = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const words = `${attributes.reason ?? ''} ${attributes.message ?? ''}`;
  const driver = ofDriver(words) ?? ofRegistry(words);
  if (driver !== null) return driver;
  const step = STEPS.find(({ form }) => form.test(words));
  const ends = ENDS_AGAIN.test(words);
  if (step === undefined) return null;
  const gives = GIVES_DEVICES.test(podOf(attributes) ?? '');
  return {
    does:
      step.does ??
      `find out why % ${ends ? 'ends again and again' : 'does not start'}${gives ? ': without it @ gives no GPUs to new pods' : ''}`,
    now: step.now.replace('PF', () => ` ${OF_PORT.exec(words)?.[1] ?? ''}`.trimEnd()),
    call: gives ? 'who runs @' : (step.call ?? OWNER),
  };
}
