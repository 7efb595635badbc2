// The kernel log source.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const kernelLog = defineSource({
  name: 'kernel-log',
  schema,
  resolve,
  ...switchedBy('kernel_log'),
  reads: 'kernel log',
  trust: 'kernel',
  components: {},
  notices: ['kernel_state', 'kernel_overrun', 'queue_overflow'],
  records: true,
  async create(settings, { host, core, identity, services }) {
    const { KernelLogSource } = await import('./kernel-log-source.ts');
    const neverUp = (port: string) => identity.nics.neverUp(port);
    const source = new KernelLogSource(settings, host, core, undefined, identity.own, neverUp);
    services.kernelLog.works = () => source.health().some(({ status }) => status === 'works');
    return source;
  },
});
