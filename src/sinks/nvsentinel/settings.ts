// The nvsentinel section that is in force. Null means off.

import { durationMs, sizeBytes } from '../../config/quantity.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import type { Severity } from '../../model/severity.ts';
import type { EventOptions } from './health-event.ts';
import type { nvsentinel } from './schema.ts';

export interface NvsentinelConfig extends Omit<EventOptions, 'nodeName'> {
  /** Path of the socket. */
  readonly socket: string;
  /** Null for the host's name. */
  readonly nodeName: string | null;
  readonly tokenFile: string | null;
  readonly severity: Severity;
  readonly timeoutMs: number;
  readonly caps: { readonly maxBytes: number; readonly maxAgeMs: number };
}

export function resolveNvsentinel(
  raw: FromSchema<typeof nvsentinel>,
  absolute: (path: string) => string,
): NvsentinelConfig | null {
  if (raw.socket === undefined) return null;
  return {
    socket: absolute(raw.socket.replace(/^unix:(?:\/\/(?=\/))?/, '')),
    nodeName: raw.node_name ?? null,
    tokenFile: raw.token_file === undefined ? null : absolute(raw.token_file),
    severity: raw.severity,
    processing: raw.processing,
    fatal: raw.fatal,
    minConfidence: raw.min_confidence / 100,
    timeoutMs: durationMs(raw.timeout),
    caps: { maxBytes: sizeBytes(raw.max_bytes), maxAgeMs: durationMs(raw.max_age) },
  };
}
