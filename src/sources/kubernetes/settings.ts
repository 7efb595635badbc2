// Settings of the Kubernetes source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, optionalPath, path, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import { isPlainBeyondLoopback } from '../../helpers/loopback.ts';
import type { Enabled } from '../switched.ts';

/** Ways to learn of the node's pods, best first; `pod_resources` alone has only those that were given devices. */
export const STEPS = ['pods_api', 'kubelet', 'api_server', 'api_metadata', 'log_names', 'pod_resources'] as const;
export type Step = (typeof STEPS)[number];

/** Where every pod finds its service account. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const URL_FORM = { pattern: '^https?://[^\\s/?#@]+$', form: 'a URL of scheme, host and port', origin: true } as const;

export const schema = {
  kubernetes: section('The pods of this node, the devices that they were given, and what happens to them and the node.', {
    enabled: enabled('The node’s kubelet'),
    kubelet_root: optionalPath(
      'Root folder of kubelet, with pod-resources and pods-api in it. Left out: looked for where distributions have it.',
      '/var/lib/kubelet',
    ),
    pod_logs: path('Folder of the logs of pods; what is written there is followed as the log of its job.', '/var/log/pods'),
    steps: {
      type: 'array',
      description:
        'Ways to learn of pods, in this order, of which the first that works is taken: kubelet’s Pods API, kubelet’s /pods over HTTPS, the API server with whole pods or with metadata alone, names of log files, and the pods with devices alone.',
      items: { type: 'string', enum: STEPS },
      maxItems: STEPS.length,
      default: STEPS,
    },
    cdi: {
      type: 'array',
      description: 'Folders of the Container Device Interface, by whose files devices of claims (DRA) are known.',
      items: { type: 'string', pattern: '^/', form: 'an absolute path' },
      maxItems: 8,
      default: ['/var/run/cdi', '/etc/cdi'],
    },
    interval: duration('Time between two looks at the devices that pods were given.', '5s', '1s', '1m'),
    node: {
      type: 'string',
      description: 'Name of this node in the cluster. Left out: NODE_NAME of the environment, else the name of the host.',
      pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$',
      form: 'a name of a node',
      examples: ['node-3'],
    },
    kubelet_url: {
      type: 'string',
      description: 'HTTPS port of kubelet. Left out: port 10250 of HOST_IP of the environment, where that is set.',
      ...URL_FORM,
      examples: ['https://10.0.0.3:10250'],
    },
    kubelet_ca: optionalPath('Certificates that kubelet’s own is checked against; its own counts as well.', '/etc/faultline/kubelet-ca.crt'),
    kubelet_insecure: { type: 'boolean', description: 'Take kubelet’s certificate without a check.', default: false },
    api_server: {
      type: 'string',
      description: 'The API server. Left out: that of the cluster whose pod this is.',
      ...URL_FORM,
      examples: ['https://10.0.0.1:6443'],
    },
    api_ca: optionalPath('Certificates that the API server’s is checked against.', `${ACCOUNT}/ca.crt`),
    token_file: optionalPath('Token of the service account, for kubelet and the API server; read again for each request.', `${ACCOUNT}/token`),
    user_labels: {
      type: 'array',
      description: 'Labels of pods that name the user of a job, first to last.',
      items: { type: 'string', pattern: '^[A-Za-z0-9._/-]{1,317}$', form: 'a name of a label', examples: ['example.com/user'] },
      maxItems: 16,
      default: [],
    },
  }),
} as const; // biome-ignore format: one line each

export interface ApiPeer {
  readonly url: string;
  readonly caFile: string | null;
  readonly insecure: boolean;
}

export interface KubernetesSettings {
  readonly enabled: Enabled;
  /** Null: looked for. */
  readonly kubeletRoot: string | null;
  readonly podLogs: string;
  readonly steps: readonly Step[];
  readonly cdi: readonly string[];
  readonly intervalMs: number;
  readonly node: string;
  readonly tokenFile: string | null;
  /** Null where nothing says where they are. */
  readonly kubelet: ApiPeer | null;
  readonly apiServer: ApiPeer | null;
  readonly userLabels: readonly string[];
}

export function resolve({ kubernetes: raw }: RawOf<typeof schema>, at: Resolving): KubernetesSettings {
  const { absolute, environment, host } = at;
  const { KUBERNETES_SERVICE_HOST: service, KUBERNETES_SERVICE_PORT: port = '443', HOST_IP: address } = environment;
  const own = service === undefined || service === '' ? null : `https://${bracketed(service)}:${port}`;
  const inPod = own !== null;
  const optional = (text: string | undefined): string | null => (text === undefined ? null : absolute(text));
  const apiUrl = raw.api_server ?? own;
  const kubeletUrl = raw.kubelet_url ?? (address === undefined || address === '' ? null : `https://${bracketed(address)}:10250`); // biome-ignore format: one line
  for (const key of ['api_server', 'kubelet_url'] as const) plainOnlyHere(raw[key], key, at);
  return {
    enabled: raw.enabled,
    kubeletRoot: optional(raw.kubelet_root),
    podLogs: absolute(raw.pod_logs),
    steps: raw.steps,
    cdi: raw.cdi,
    intervalMs: durationMs(raw.interval),
    node: raw.node ?? nameOf(environment.NODE_NAME) ?? host.toLowerCase(),
    tokenFile: optional(raw.token_file) ?? (inPod ? `${ACCOUNT}/token` : null),
    kubelet:
      kubeletUrl === null
        ? null
        : { url: kubeletUrl, caFile: optional(raw.kubelet_ca) ?? (inPod ? `${ACCOUNT}/ca.crt` : null), insecure: raw.kubelet_insecure },
    apiServer:
      apiUrl === null
        ? null
        : { url: apiUrl, caFile: optional(raw.api_ca) ?? (inPod && raw.api_server === undefined ? `${ACCOUNT}/ca.crt` : null), insecure: false },
    userLabels: raw.user_labels,
  };
} // biome-ignore format: one line each

/** A token goes over no network in the clear. */
function plainOnlyHere(url: string | undefined, key: string, { findings }: Resolving): void {
  if (url === undefined || !isPlainBeyondLoopback(url)) return;
  findings.problem('FL1110', `/sources/kubernetes/${key}`, `sends the token in the clear. Write: ${key}: ${url.replace('http:', 'https:')}`); // biome-ignore format: one line
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function nameOf(name: string | undefined): string | null {
  return name !== undefined && /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name) ? name : null;
}
