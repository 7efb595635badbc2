// The prometheus section of the schema.

import { LISTEN_OR_NONE } from '../../config/listen.ts';
import { section } from '../../config/schema-parts.ts';

export const prometheus = section(
  '/metrics for Prometheus, with /healthz and /readyz. Off, at no cost, until it is turned on or given an address.',
  {
    enabled: {
      type: 'string',
      description: 'on or off; on where listen is given when left out.',
      enum: ['on', 'off'],
      examples: ['on'],
    },
    listen: {
      type: 'string',
      description:
        'Address and port, also of IPv6 in brackets; a port alone is on loopback, another address must be written out. 127.0.0.1:9465 when left out, none for the local socket alone.',
      pattern: LISTEN_OR_NONE,
      examples: ['127.0.0.1:9465'],
    },
    dcgm_names: {
      type: 'boolean',
      description: "Also show GPUs under the names and labels of NVIDIA's dcgm-exporter, for dashboards made for it.",
      default: false,
    },
    max_series: {
      type: 'integer',
      description: 'Series shown at most; further ones are left out and counted.',
      minimum: 10,
      maximum: 100_000,
      default: 10_000,
    },
  },
);
