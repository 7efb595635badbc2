// Starts the recording that a configuration asks for.

import type { BaseConfig } from '../../config/base.ts';
import { Recorder } from './recorder.ts';

/** Null where none is asked for; rejects where it cannot be made. `to`: an open file, if it does not go where the configuration says. */
export async function startRecorder(
  config: Pick<BaseConfig, 'record' | 'host' | 'topology' | 'correlation' | 'impact'>,
  to: number | undefined,
  version: string,
  startedMs: number,
): Promise<Recorder | null> {
  const { record, host, topology, correlation, impact } = config;
  if (record.path === null) return null;
  return await Recorder.create(
    to ?? record.path,
    {
      schema: 'faultline/recording/1',
      host,
      version,
      started_ms: startedMs,
      lateness_ms: correlation.latenessMs,
      hold_ms: correlation.holdMs,
      links: topology.links,
      gpu_hour_rate: impact.rate,
    },
    record.maxBytes,
  );
}
