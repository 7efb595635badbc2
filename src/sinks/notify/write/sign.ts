// Sign: what proves to a receiver that a request is ours.

import { createHmac } from 'node:crypto';

/** Headers of the Standard Webhooks specification: HMAC-SHA256 over id, time and body. */
export function standardHeaders(secret: string, id: string, body: Uint8Array, nowMs: number): Record<string, string> {
  const seconds = String(Math.floor(nowMs / 1000));
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}

/** DingTalk's custom robot with a secret: timestamp and HMAC-SHA256 of both in the query. */
export function dingtalkUrl(url: string, secret: string, nowMs: number): string {
  const signed = new URL(url);
  signed.searchParams.set('timestamp', String(nowMs));
  signed.searchParams.set('sign', createHmac('sha256', secret).update(`${nowMs}\n${secret}`).digest('base64'));
  return signed.href;
}
