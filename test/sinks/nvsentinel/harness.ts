// Settings of the NVSentinel sink, for tests.

import type { NvsentinelConfig } from '../../../src/sinks/nvsentinel/settings.ts';

export function config(socket: string, more: Partial<NvsentinelConfig> = {}): NvsentinelConfig {
  return {
    socket,
    nodeName: 'worker-7',
    tokenFile: null,
    severity: 'error',
    processing: 'execute_remediation',
    fatal: 'critical',
    minConfidence: 0.8,
    timeoutMs: 2_000,
    caps: { maxBytes: 1 << 24, maxAgeMs: 86_400_000 },
    ...more,
  };
}
