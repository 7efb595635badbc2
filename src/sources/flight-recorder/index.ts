// The flight-recorder source: which rank of a stalled job the others wait for.

import { nativePath } from '../../native.ts';
import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { names, resolve, schema } from './settings.ts';

const NAME = 'flight-recorder';
const { idle } = switchedBy('flight_recorder');

export const flightRecorder = defineSource({
  name: NAME,
  schema,
  resolve,
  names,
  // Never required: a host without a stalled job has no dumps.
  idle,
  reads: 'flight-recorder',
  trust: 'tenant',
  components: { job: {}, rank: {} },
  async create(settings, { host, now, steady, identity, services }) {
    const { FlightRecorderSource } = await import('./flight-recorder-source.ts');
    const { STANDARD } = await import('./dumps/places.ts');
    const { onSummary } = services.outside;
    const source = new FlightRecorderSource(settings, {
      host,
      now,
      steady,
      program: nativePath('faultline-fr'),
      identity,
      standard: STANDARD,
      ...(onSummary === undefined ? {} : { onSummary }),
    });
    services.suspicion.listen(NAME, () => source.suspect('device'));
    services.jobStopped.listen(NAME, () => source.suspect('job'));
    services.jobContinues.listen(NAME, (job) => source.continues(job));
    return source;
  },
});
