// An identity that knows the jobs of a configuration, as the source of job logs teaches it.

import { Identity } from '../../src/identity/identity.ts';
import type { ConfiguredJob } from '../../src/identity/job/job-names.ts';
import { processScanner } from '../../src/sources/scan-processes.ts';

/** The same identity, which looks at the processes of this procfs. */
export function lookingAt(identity: Identity, proc: string): Identity {
  identity.processes.lookBy(proc, processScanner(proc));
  return identity;
}

export function knowing(jobs: readonly ConfiguredJob[], host = 'node-3'): Identity {
  const identity = new Identity(host);
  identity.jobs.configured(jobs);
  return identity;
}
