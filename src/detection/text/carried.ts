// Carried: what an event keeps of its line besides what the line says: that it is old, that it has no time, the trace of its writer.

import type { Attributes } from '../../model/event.ts';
import type { TextRecord } from '../../model/record.ts';

const NOTHING: Attributes = {};

export function carried({ attributes }: TextRecord): Attributes {
  const { history, undated, trace_id: trace, span_id: span } = attributes;
  if (history !== true && undated !== true && trace === undefined) return NOTHING;
  return {
    ...(history === true ? { history } : {}),
    ...(undated === true ? { undated } : {}),
    ...(typeof trace === 'string' ? { trace_id: trace } : {}),
    ...(typeof span === 'string' ? { span_id: span } : {}),
  };
}
