// The acting section of the schema: what the daemon may do about an incident by itself. Off by default.

import { choice, duration, item, list, optionalPath, section } from '../../config/schema-parts.ts';

export const ACTION_NAMES = ['condition', 'taint', 'slurm_drain', 'gpu_reset', 'reboot'] as const;
export type ActionName = (typeof ACTION_NAMES)[number];
export const MODES = ['off', 'dry_run', 'on'] as const;

/** Below this no configuration lets it act: evidence that a user could have written never comes above it. */
export const LEAST_CONFIDENCE = 0.6;

const names = (description: string, example: string, most: number) =>
  ({
    type: 'array',
    description,
    items: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[A-Za-z0-9._*-]+$', form: 'a name, with * for any part', examples: [example] },
    minItems: 1,
    maxItems: most,
  }) as const; // biome-ignore format: one record

const rule = item(
  {
    action: { type: 'string', description: 'What to do.', enum: ACTION_NAMES, examples: ['taint'] },
    kinds: names('Kinds of root causes for which it may be done.', 'gpu.lost', 64),
    hosts: names('Hosts on which it may be done.', 'node-*', 64),
  },
  ['action', 'kinds', 'hosts'],
);

export const acting = section(
  'What the daemon does about an incident by itself: only what a rule allows, and nothing by default. See docs/guide/acting.md.',
  {
    mode: choice('Nothing; say what would be done; or do it.', MODES, 'off'),
    rules: list('What is allowed, for which kinds of root causes, on which hosts.', rule, 64),
    min_confidence: {
      type: 'number',
      description: 'The root cause must be at least this sure.',
      minimum: LEAST_CONFIDENCE,
      maximum: 1,
      default: 0.85,
    },
    settle: duration('The root cause must have been the same for so long.', '1m', '1s', '1h'),
    stop_file: optionalPath('Nothing is done while this file is there: faultline acting stop. Left out: acting.stop in the state directory.', '/etc/faultline/acting.stop'),
    breaker: section('When nothing is done, however sure it is.', {
      max_nodes: { type: 'integer', description: 'Nodes of the cluster that may be out of service at once, with this one.', minimum: 1, maximum: 10_000, default: 1 },
      max_share: { type: 'number', description: 'Share of the nodes of the cluster that may be out of service at once, with this one; the smaller of both counts.', minimum: 0, maximum: 1, default: 0.05 },
      storm: { type: 'integer', description: 'So many incidents on this host within storm_window are a storm, in which nothing is done.', minimum: 2, maximum: 1000, default: 4 },
      storm_window: duration('See storm.', '10m', '1m', '24h'),
      actions_a_day: { type: 'integer', description: 'Actions on this host within 24 hours.', minimum: 1, maximum: 100, default: 4 },
    }),
    take_back: section('Whether a taint or a drain that the daemon set is taken back by it. A condition always ends with its fault.', {
      mode: choice('It stays until an operator takes it back; or it is taken back once the remedy is verified, or the incident is called wrong.', ['off', 'on'], 'off'),
      verified_for: duration('The fault must have been gone for so long after its remedy.', '30m', '1m', '7d'),
    }),
    kubernetes: section('How a node is marked in Kubernetes; its rights are in the guide.', {
      taint: { type: 'string', description: 'Key of the taint and of the label that goes with it.', pattern: '^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$', form: 'a key with a domain', default: 'faultline.dev/fault' },
      effect: choice('What the taint does to pods.', ['NoSchedule', 'NoExecute'], 'NoSchedule'),
      condition: { type: 'string', description: 'Type of the condition of the node.', pattern: '^[A-Z][A-Za-z0-9]{0,62}$', form: 'a word in CamelCase', default: 'FaultlineFault' },
      api_server: { type: 'string', description: 'The API server. Left out: that of the cluster whose pod this is.', pattern: '^https?://[^\\s/?#@]+$', form: 'a URL of scheme, host and port', origin: true, examples: ['https://10.0.0.1:6443'] },
      api_ca: optionalPath('Certificates that it is checked against.', '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt'),
      token_file: optionalPath('Token of the service account that may do this; read again for each request.', '/var/run/secrets/kubernetes.io/serviceaccount/token'),
      node: { type: 'string', description: 'Name of this node. Left out: NODE_NAME of the environment, else the name of the host.', pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$', form: 'a name of a node', examples: ['node-3'] },
    }),
    slurm: section('How a node is drained in Slurm.', {
      programs: optionalPath('Folder with scontrol and sinfo. Left out: /usr/bin.', '/opt/slurm/bin'),
      conf: optionalPath('Slurm’s configuration file. Left out: Slurm’s own place.', '/etc/slurm/slurm.conf'),
      node: { type: 'string', description: 'Name of this node in Slurm. Left out: the name of the host.', pattern: '^[A-Za-z0-9._-]{1,253}$', form: 'a name of a node', examples: ['node-3'] },
    }),
    gpu_reset: section('How a GPU is reset.', {
      program: optionalPath('NVIDIA’s tool. Left out: /usr/bin/nvidia-smi.', '/usr/bin/nvidia-smi'),
    }),
    reboot: section('How the host is rebooted.', {
      program: optionalPath('systemd’s tool. Left out: /usr/bin/systemctl.', '/usr/bin/systemctl'),
    }),
  },
); // biome-ignore format: one line each
