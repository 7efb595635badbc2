// The journal source: the kernel's, services' and units' lines in the files of systemd's journal, also of boots before this one.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

const switched = switchedBy('journal');

export const journal = defineSource({
  name: 'journal',
  schema,
  resolve,
  ...switched,
  idle: (settings) => {
    const off = switched.idle(settings);
    return off === null ? null : { ...off, remedy: 'to read it: sources: {journal: {enabled: auto}}' };
  },
  reads: 'systemd journal',
  trust: 'system',
  components: { process: {} },
  async create(settings, { host, now, steady, roots, directories, services, lasting }) {
    const { JournalSource } = await import('./journal-source.ts');
    const state = lasting ? directories.state : null;
    const kernel = () => !services.kernelLog.works();
    return new JournalSource(settings, { host, now, steady, proc: roots.proc, state, kernel });
  },
});
