// Explanation: what correlation believes at one moment about one cluster of events; incidents give it a life.

import type { GpuHourRate, Incident } from './incident.ts';

export interface Explanation
  extends Pick<
    Incident,
    | 'title'
    | 'severity'
    | 'confidence'
    | 'confidenceParts'
    | 'pattern'
    | 'rootKnown'
    | 'unconfirmed'
    | 'root'
    | 'outlasted'
    | 'chain'
    | 'feedPath'
    | 'impact'
    | 'action'
    | 'alternatives'
    | 'ruledOut'
    | 'evidence'
    | 'events'
    | 'made'
  > {
  /** The event that opened the cluster: fixes the incident's id, stays when root and chain are revised. */
  readonly firstEventId: string;
  readonly firstEventMs: number;
  /** When this belief was reached, on event time. */
  readonly asOfMs: number;
  /** True once every condition has cleared and stayed clear for the hold time. */
  readonly ended: boolean;
  /** Set when the cluster was found to be part of an older one: that one's firstEventId. */
  readonly mergedInto: string | null;
}

/** With what a GPU-hour costs here. */
export function priced(explanation: Explanation, rate: GpuHourRate | null): Explanation {
  if (rate === null) return explanation;
  const impact = explanation.impact.map((one) =>
    one.loss === undefined ? one : { ...one, loss: { ...one.loss, rate } },
  );
  return { ...explanation, impact };
}
