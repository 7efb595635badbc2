// The Kubernetes source: the pods of this node, their devices, and what happens to them.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const kubernetes = defineSource({
  name: 'kubernetes',
  schema,
  resolve,
  ...switchedBy('kubernetes'),
  reads: 'Kubernetes',
  trust: 'system',
  components: { job: {}, host: {}, gpu: {}, gpu_instance: {} },
  async create(settings, { host, roots, now, identity, logger, lasting }) {
    const { KubernetesSource } = await import('./kubernetes-source.ts');
    return new KubernetesSource(settings, { host, proc: roots.proc, now, identity, logger, lasting });
  },
});
