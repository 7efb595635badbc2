// Of an incident: a transport whose calls are in the trace of the incident that each message is about.

import { within } from '../../../helpers/calls.ts';
import { spanIdOf, traceIdOf } from '../../../model/trace.ts';
import type { Message } from '../spool/frame.ts';
import type { Transport } from './transport.ts';

/** `incidentOf`: its id; null where a message is about none, or about several. */
export function ofIncident(transport: Transport, incidentOf: (message: Message) => string | null): Transport {
  return {
    send(message) {
      const id = incidentOf(message);
      if (id === null) return transport.send(message);
      return within({ traceId: traceIdOf(id), spanId: spanIdOf(id) }, () => transport.send(message));
    },
    close: () => transport.close(),
  };
}
