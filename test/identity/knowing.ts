// An identity that knows the jobs of a configuration, as the source of job logs teaches it.

import { Identity } from '../../src/identity/identity.ts';
import type { ConfiguredJob } from '../../src/identity/job/job-names.ts';

export function knowing(jobs: readonly ConfiguredJob[], host = 'node-3'): Identity {
  const identity = new Identity(host);
  identity.jobs.configured(jobs);
  return identity;
}
