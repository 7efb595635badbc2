// The alertmanager section of the schema.

import { choice, duration, list, optionalPath, section, size } from '../../config/schema-parts.ts';
import { LABELS, REACH } from '../message/receiver.ts';

export const alertmanager = section(
  'Incidents as alerts of Prometheus Alertmanager (API v2). Off, at no cost, until there is a URL.',
  {
    urls: list(
      'Each replica of the Alertmanager; every one gets every alert, as they ask for.',
      { type: 'string', minLength: 1, maxLength: 1024, examples: ['http://alertmanager:9093'] } as const,
      16,
    ),
    user: {
      type: 'string',
      description: 'For basic authentication.',
      minLength: 1,
      maxLength: 256,
      examples: ['faultline'],
    },
    password_file: optionalPath('File with its password.', '/etc/faultline/alertmanager-password'),
    token_file: optionalPath('File with a bearer token.', '/etc/faultline/alertmanager-token'),
    ...REACH,
    severity: choice(
      'Least severity of an incident to become an alert.',
      ['info', 'warning', 'error', 'critical'],
      'warning',
    ),
    min_confidence: {
      type: 'integer',
      description: 'Least confidence in percent to become an alert.',
      minimum: 0,
      maximum: 100,
      default: 0,
    },
    labels: LABELS,
    resend: duration(
      'Open alerts are sent again this often; after four times that Alertmanager resolves them itself.',
      '1m',
      '5s',
      '1h',
    ),
    runbooks: {
      type: 'string',
      description: 'Address under which docs/ is served, for links to runbooks.',
      minLength: 1,
      maxLength: 1024,
      examples: ['https://wiki.example/faultline'],
    },
    max_bytes: size(
      'Kept on disk for each replica while it takes nothing; the oldest go first.',
      '32MiB',
      '1MiB',
      '16GiB',
    ),
    max_age: duration('Alerts that waited longer are not sent any more.', '24h', '1h', '30d'),
  },
);
