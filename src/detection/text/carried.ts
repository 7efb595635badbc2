// Carried: what an event keeps of its line besides what the line says: that it is old, that it has no time, that nothing but its form says who wrote it, the trace of its writer.

import type { Attributes } from '../../model/event.ts';
import type { TextRecord } from '../../model/record.ts';

const NOTHING: Attributes = {};

export function carried({ attributes }: TextRecord): Attributes {
  const { history, undated, as_logged, trace_id: trace, span_id: span } = attributes;
  if (history !== true && undated !== true && as_logged !== true && trace === undefined) return NOTHING;
  return {
    ...(history === true ? { history } : {}),
    ...(undated === true ? { undated } : {}),
    ...(as_logged === true ? { as_logged } : {}),
    ...(typeof trace === 'string' ? { trace_id: trace } : {}),
    ...(typeof span === 'string' ? { span_id: span } : {}),
  };
}
