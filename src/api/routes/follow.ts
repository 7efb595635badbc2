// Follow: a stream that sends what there is and continues with what comes, one document a line.

import type { ServerResponse } from 'node:http';
import { ApiError } from '../api-error.ts';
import type { ApiCounters, Parameter } from '../route.ts';
import { NdjsonStream } from '../stream.ts';

const MAX_STREAMS = 24;

export const FOLLOW: Parameter = {
  description: 'Stay connected and send what comes, one document a line.',
  schema: { type: 'string', enum: ['0', '1'], default: '0' },
  example: '1',
};

export function isFollowing(parameters: URLSearchParams): boolean {
  return parameters.get('follow') === '1';
}

export function stream(
  response: ServerResponse,
  counters: ApiCounters,
  now: () => readonly object[],
  subscribe: (send: (document: object) => void) => () => void,
): void {
  if (counters.streams >= MAX_STREAMS) {
    throw new ApiError(503, 'FL4105', `${MAX_STREAMS} clients follow already. End one of them`);
  }
  counters.streams += 1;
  let unsubscribe = () => {};
  const ndjson = new NdjsonStream(
    response,
    () => {
      counters.slowReaders += 1;
    },
    () => {
      counters.streams -= 1;
      unsubscribe();
    },
  );
  ndjson.sendBacklog(now());
  ndjson.follow();
  unsubscribe = subscribe((document) => ndjson.send(document));
}
