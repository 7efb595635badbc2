// Log records of OTLP: each as a record of a shipper, by what its resource says of host, service, job, pod and rank.

import type { AttributeValue } from '../../../model/event.ts';
import { type Fields, recordLine } from '../../text-in/record-line.ts';
import { type Taking, takeRecord } from '../../text-in/take-record.ts';
import type { Taken } from '../receive/signals.ts';
import type { AnyValue, LogRecord, LogsRequest } from '../wire/shapes.ts';
import { attributesOf, plainValue } from '../wire/values.ts';

export function takeLogs(request: LogsRequest, taking: Taking): Taken {
  const { intake } = taking;
  const before = intake.tooFast;
  for (const { resource, scopeLogs = [] } of request.resourceLogs ?? []) {
    const records = scopeLogs.flatMap(({ logRecords = [] }) => logRecords);
    if (intake.isFull) {
      intake.passOver(records.length);
      continue;
    }
    const about = Object.fromEntries(attributesOf(resource?.attributes));
    intake.each(records, (record) => takeOne(record, about, taking));
  }
  const rejected = intake.tooFast - before;
  return { rejected, why: rejected === 0 ? '' : 'more lines a second than sources.otlp_in.max_lines_per_second' };
}

function takeOne(record: LogRecord, about: Readonly<Record<string, AttributeValue>>, taking: Taking): void {
  const own = Object.fromEntries(attributesOf(record.attributes));
  const known = { ...about, ...own };
  const line = recordLine({
    ...bodyOf(record.body),
    // What the body itself says of its time and host is older than what a collector adds.
    resource: known,
    ...(typeof known['host.name'] === 'string' ? { hostname: known['host.name'] } : {}),
  });
  if (line === null) return;
  const stack = own['exception.stacktrace'];
  const timeMs = time(record.timeUnixNano) ?? line.wallMs ?? time(record.observedTimeUnixNano);
  takeRecord(
    {
      ...line,
      text: typeof stack === 'string' ? `${line.text}\n${stack}` : line.text,
      wallMs: timeMs,
      digits: 6,
      traceId: record.traceId ?? line.traceId,
      spanId: record.spanId ?? line.spanId,
    },
    taking,
  );
}

/** A text, or an object such as the collector makes of an entry of journald, or of a line of JSON. */
function bodyOf(body: AnyValue | undefined): Fields {
  const value = body === undefined ? undefined : plainValue(body);
  if (typeof value === 'string') return { message: value };
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function time(value: number | undefined): number | null {
  return value === undefined || value <= 0 ? null : value;
}
