// Send test: one alert of a minute to one replica, for faultline notify test.

import { HttpTransport } from '../delivery/send/http-transport.ts';
import type { Transport } from '../delivery/send/transport.ts';
import type { AlertmanagerConfig } from './settings.ts';

const LASTS_MS = 60_000;

export function transportOf({ headers, reach }: AlertmanagerConfig, endpoint: string, userAgent: string): Transport {
  const target = { endpoint, tls: endpoint.startsWith('https:'), headers, compression: 'none', ...reach } as const;
  return new HttpTransport({ target, contentType: 'application/json', userAgent });
}

export function testAlerts({ labels }: AlertmanagerConfig, host: string, nowMs: number): Buffer {
  const alert = {
    labels: { ...labels, alertname: 'FaultlineTest', host, severity: 'info' },
    annotations: { summary: `Test alert of Faultline on ${host}: nothing is wrong, it is over in a minute` },
    startsAt: new Date(nowMs).toISOString(),
    endsAt: new Date(nowMs + LASTS_MS).toISOString(),
  };
  return Buffer.from(JSON.stringify([alert]));
}
