// Take traces: the spans of a request, as requests of their services.

import type { Sender } from '../../sender.ts';
import type { Taken } from '../receive/signals.ts';
import type { TracesRequest } from '../wire/shapes.ts';
import { attributesOf } from '../wire/values.ts';
import { requestOf } from './read-spans.ts';
import { Refused } from './refused.ts';
import type { Services } from './services.ts';

export function takeTraces(request: TracesRequest, services: Services, nowMs: number, sender: Sender): Taken {
  const refused = new Refused('spans');
  for (const [i, { resource, scopeSpans = [] }] of request.resourceSpans?.entries() ?? []) {
    const service = services.of(attributesOf(resource?.attributes), sender);
    for (const [j, { spans = [] }] of scopeSpans.entries()) {
      if (typeof service === 'string') {
        refused.add(service, `resource_spans[${i}]`, spans.length);
        continue;
      }
      for (const [k, span] of spans.entries()) {
        const where = () => `resource_spans[${i}].scope_spans[${j}].spans[${k}]`;
        const found = requestOf(span);
        if (typeof found === 'string') refused.add(found, where());
        else if (found === null) continue;
        else if (services.take(service, found)) service.spansMs = nowMs;
        else refused.add('ended more than a minute ago or lies ahead. Compare the clocks', where());
      }
    }
  }
  return refused.taken();
}
