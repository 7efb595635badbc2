// The GPU source: NVIDIA GPUs through NVML, in the vendor child.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

const NAME = 'gpu';

export const gpu = defineSource({
  name: NAME,
  schema,
  resolve,
  ...switchedBy('gpu'),
  reads: 'NVML',
  trust: 'driver',
  components: {
    gpu: { native: true, lag: 'source' },
    gpu_instance: { native: true, lag: 'source' },
    nvlink: { native: true, lag: 'source' },
  },
  notices: [
    'device',
    'device_gone',
    'capabilities',
    'gpu_instance',
    'processes',
    'state',
    'part_state',
    'xid',
    'gpu_event',
    'gpu_reset',
    'device_lost',
    'call_stalled',
    'child_exit',
  ],
  suspicious: true,
  exclusive: true,
  async create(settings, { host, core, identity, services }) {
    const { GpuSource } = await import('./gpu-source.ts');
    const source = new GpuSource(settings, host, core, identity.gpus);
    identity.own.add(NAME, () => [source.childPid()].filter((pid) => pid !== null));
    services.suspicion.listen(NAME, () => source.suspect());
    services.releaseDevices.listen(NAME, (durationMs, traceparent) => source.release(durationMs, traceparent));
    return source;
  },
});
