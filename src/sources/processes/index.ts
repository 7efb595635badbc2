// The process source: which processes of this host are work, of which job, and on which devices.

import { readFile } from 'node:fs/promises';
import { defineSource } from '../define-source.ts';
import { processReader } from '../scan-processes.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

/** The reader knows the processes of its own procfs alone. */
const readerFor = (proc: string, socket: string): string => (proc === '/proc' ? socket : '');

export const processes = defineSource({
  name: 'processes',
  schema,
  resolve,
  ...switchedBy('processes'),
  reads: 'processes',
  trust: 'tenant',
  components: { job: {}, rank: {}, process: {} },
  async create(settings, { host, roots, now, identity, files }) {
    const [{ ProcessSource }, { FrozenWatch }] = await Promise.all([
      import('./process-source.ts'),
      import('./frozen-watch.ts'),
    ]);
    identity.processes.lookBy(roots.proc, processReader(roots.proc, readerFor(roots.proc, settings.reader)));
    const own = (name: string) => readFile(`/proc/self/${name}`, 'latin1').catch(() => null);
    const passwd = () => readFile('/etc/passwd', 'utf8').catch(() => null);
    const frozen = new FrozenWatch(files(), roots, host);
    return new ProcessSource(settings, { host, now, identity, own, passwd, proc: roots.proc, frozen });
  },
});
