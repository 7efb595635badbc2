// The DRM source: GPUs of AMD and Intel, their parts and the processes on them, as the kernel's drivers list them.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const drm = defineSource({
  name: 'drm',
  schema,
  resolve,
  ...switchedBy('drm'),
  reads: 'GPU drivers of the kernel',
  trust: 'kernel',
  components: { gpu: {}, gpu_instance: {} },
  async create(settings, { host, roots, files, identity }) {
    const { DrmSource } = await import('./drm-source.ts');
    return new DrmSource(settings, { host, roots, files: files(), gpus: identity.gpus });
  },
});
