// Document: a notification as webhooks get it, faultline/notification/1: alone, or as the data of a CloudEvent (1.0), structured
// (attributes and data in one JSON document) or binary (attributes as headers, the data as the body).

import type { Notification } from '../notification.ts';

export const DOCUMENT_FORMATS = ['json', 'cloudevents', 'cloudevents_binary'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

interface Document {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

export function documentOf(notification: Notification, format: DocumentFormat): Document {
  const contentType = contentTypeOfDocument(format);
  if (format === 'json') return { contentType, headers: {}, body: notification };
  const attributes = attributesOf(notification);
  if (format === 'cloudevents')
    return {
      contentType,
      headers: {},
      body: { ...attributes, datacontenttype: 'application/json', data: notification },
    };
  const headers = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, headerText(value)]);
  return { contentType, headers: Object.fromEntries(headers), body: notification };
}

export function contentTypeOfDocument(format: DocumentFormat): string {
  return format === 'cloudevents' ? 'application/cloudevents+json' : 'application/json';
}

function attributesOf({ key, host, what, at, facts }: Notification): Readonly<Record<string, string>> {
  return {
    specversion: '1.0',
    id: key,
    source: `/faultline/${encodeURIComponent(host)}`,
    type: `faultline.incident.${what}`,
    ...(facts === null ? {} : { subject: facts.id }),
    time: at,
  };
}

/** CloudEvents, HTTP protocol binding 1.0.2, 3.1.3.2: what is not printable ASCII, and space, quote and per cent, is per cent encoded. */
function headerText(value: string): string {
  return value.replace(/[^\x21\x23\x24\x26-\x7e]+/gu, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
