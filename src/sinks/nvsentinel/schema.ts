// The nvsentinel section of the schema.

import { choice, duration, optionalPath, section, size } from '../../config/schema-parts.ts';

const SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;

export const nvsentinel = section(
  "Incidents as health events for NVSentinel's platform connector on this node. Off, at no cost, until there is a socket.",
  {
    socket: optionalPath("The platform connector's unix socket.", '/var/run/nvsentinel.sock'),
    node_name: {
      type: 'string',
      description: "The node's name in Kubernetes; the host's name when left out.",
      minLength: 1,
      maxLength: 253,
      examples: [`\${NODE_NAME}`],
    },
    token_file: optionalPath(
      'Projected service account token, where the connector asks for one; read again for each call.',
      '/var/run/secrets/nvsentinel/token',
    ),
    severity: choice('Least severity of an incident to be sent.', SEVERITIES, 'error'),
    processing: choice(
      'store_only: NVSentinel keeps it and does nothing. execute_remediation: it may cordon, drain and remediate.',
      ['store_only', 'execute_remediation'],
      'store_only',
    ),
    fatal: choice('Least severity that is sent as fatal: what NVSentinel may act upon.', SEVERITIES, 'critical'),
    min_confidence: {
      type: 'integer',
      description: 'Least confidence in percent to be fatal and to recommend anything.',
      minimum: 0,
      maximum: 100,
      default: 80,
    },
    timeout: duration('Time for one call.', '10s', '100ms', '5m'),
    max_bytes: size('Kept on disk while the connector takes nothing; the oldest go first.', '16MiB', '1MiB', '16GiB'),
    max_age: duration('Events that waited longer are not sent any more.', '24h', '1h', '30d'),
  },
);
