// The prometheus section that is in force; null means off.

import type { Findings } from '../../config/findings.ts';
import { type Listen, parseListen } from '../../config/listen.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import type { prometheus } from './schema.ts';

export interface PrometheusConfig {
  /** Where to listen over TCP; null for the local socket alone. */
  readonly listen: Listen | null;
  readonly dcgmNames: boolean;
  readonly maxSeries: number;
}

const LOOPBACK = '127.0.0.1';
const PORT = 9465;

export function resolvePrometheus(raw: FromSchema<typeof prometheus>, findings: Findings): PrometheusConfig | null {
  if ((raw.enabled ?? (raw.listen === undefined ? 'off' : 'on')) === 'off') return null;
  const listen = raw.listen ?? `${LOOPBACK}:${PORT}`;
  const common = { dcgmNames: raw.dcgm_names, maxSeries: raw.max_series };
  if (listen === 'none') return { ...common, listen: null };
  const place = parseListen(listen);
  if (place === null) {
    findings.problem('FL1106', '/prometheus/listen', 'must be an IP address and a port. Write: listen: 127.0.0.1:9465');
    return null;
  }
  return { ...common, listen: place };
}
