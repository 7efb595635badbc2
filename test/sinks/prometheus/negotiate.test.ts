// Which format an Accept header gets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { negotiate } from '../../../src/sinks/prometheus/negotiate.ts';

const CASES: readonly [accept: string | undefined, format: string][] = [
  [undefined, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  ['text/plain', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.5',
    'openmetrics',
  ],
  ['application/openmetrics-text;version=2.0.0', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  ['text/plain;q=0.9, Application/OpenMetrics-Text;q=0.3', 'text'],
  ['application/openmetrics-text;q=nonsense', 'text'],
  [`application/openmetrics-text,${'a/b,'.repeat(1000)}`, 'text'],
];
for (const [accept, format] of CASES) {
  test(`${accept?.slice(0, 60) ?? 'no header'} gets ${format}`, () => assert.equal(negotiate(accept), format));
}
