// The receiver of alerts of one host, with a token, on a port of its own.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkConfig } from '../../../../src/daemon/config.ts';
import type { EventInput } from '../../../../src/model/record.ts';
import { AlertsSource } from '../../../../src/sources/alerts-in/alerts-source.ts';
import { placeOf } from '../../../../src/sources/alerts-in/place.ts';
import { until } from '../../../until.ts';

export const TOKEN = 'a-token-of-this-very-test';

/** Of node-3; `events` grows with what it reports. */
export async function receiver(
  folder: string,
  events: EventInput[],
): Promise<{ source: AlertsSource; tokenFile: string }> {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, TOKEN);
  chmodSync(tokenFile, 0o600);
  const text = 'sources: {alerts_in: {listen: ["127.0.0.1:0"], token_file: token, trust: facility}}\n';
  const surroundings = { environment: {}, uid: 0, home: folder, hostname: 'node-3' };
  const { config } = await checkConfig(text, join(folder, 'faultline.yaml'), surroundings);
  const placing = { host: 'node-3', jobs: () => [], resolve: () => null };
  const source = new AlertsSource(config.sources['alerts-in'], {
    now: () => Date.now(),
    steady: (wallMs) => wallMs,
    placeOf: (labels) => placeOf(labels, placing),
    logger: { info() {}, warn() {} },
  });
  const emit = { samples() {}, text() {}, discovery() {}, event: (event: EventInput) => void events.push(event) };
  source.start(emit, new AbortController().signal);
  await until(() => source.ports.length === 1);
  return { source, tokenFile };
}
