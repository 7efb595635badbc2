// The alertmanager section that is in force. Null means off.

import type { Findings } from '../../config/findings.ts';
import { durationMs, sizeBytes } from '../../config/quantity.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import type { Severity } from '../../model/severity.ts';
import { httpUrl, ownLabels, type Reach, reachOf, refuseSecret, secretIn } from '../message/receiver.ts';
import type { alertmanager } from './schema.ts';

export interface AlertmanagerConfig {
  /** Whole addresses of the API, one for each replica. */
  readonly endpoints: readonly string[];
  /** Lower-case names; the values are secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reach: Reach;
  readonly severity: Severity;
  /** 0 to 1. */
  readonly minConfidence: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly resendMs: number;
  readonly runbooks: string | null;
  readonly caps: { readonly maxBytes: number; readonly maxAgeMs: number };
}

export function resolveAlertmanager(
  raw: FromSchema<typeof alertmanager>,
  absolute: (path: string) => string,
  findings: Findings,
): AlertmanagerConfig | null {
  const place = { pointer: '/alertmanager', findings, absolute };
  const endpoints = raw.urls.flatMap((text, at) => {
    const pointer = `/alertmanager/urls/${at}`;
    const url = httpUrl(text);
    if (url === null) findings.problem('FL1106', pointer, 'must be a URL. Write: http://alertmanager:9093');
    else refuseSecret(text, pointer, findings, 'user and password_file');
    return url === null || url.username !== '' || url.password !== '' ? [] : [apiOf(url)];
  });
  if (new Set(endpoints).size < endpoints.length)
    findings.problem('FL1106', '/alertmanager/urls', 'names one replica twice. Remove it');
  const reach = reachOf(raw, place);
  const labels = ownLabels(raw.labels, '/alertmanager/labels', findings);
  const headers = authorization(raw, place);
  if (endpoints.length === 0) return null;
  return {
    endpoints,
    headers,
    reach,
    severity: raw.severity,
    minConfidence: raw.min_confidence / 100,
    labels,
    resendMs: durationMs(raw.resend),
    runbooks: raw.runbooks ?? null,
    caps: { maxBytes: sizeBytes(raw.max_bytes), maxAgeMs: durationMs(raw.max_age) },
  };
}

/** A path in front is kept: Alertmanager may run under one (--web.route-prefix). */
function apiOf(url: URL): string {
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v2/alerts`;
  return url.href;
}

function authorization(
  raw: FromSchema<typeof alertmanager>,
  place: Parameters<typeof secretIn>[2],
): Readonly<Record<string, string>> {
  const password = secretIn(raw.password_file, 'password_file', place);
  const token = secretIn(raw.token_file, 'token_file', place);
  if (raw.token_file !== undefined && raw.password_file !== undefined)
    place.findings.problem('FL1110', '/alertmanager', 'has token_file and password_file. Remove one');
  if ((raw.user === undefined) !== (raw.password_file === undefined))
    place.findings.problem(
      'FL1110',
      '/alertmanager',
      'needs user and password_file together. Add the one that is missing',
    );
  if (token !== null) return { authorization: `Bearer ${token}` };
  if (password === null || raw.user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${raw.user}:${password}`).toString('base64')}` };
}
