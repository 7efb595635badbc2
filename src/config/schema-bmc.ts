// The part of the configuration schema about BMCs.

import { duration, item, list, optionalPath } from './schema-parts.ts';

const bmc = item(
  {
    host: {
      type: 'string',
      description: 'Name of the host that the BMC is of; its supplies are named psu/<host>/1 and so on.',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$',
      examples: ['node-3'],
    },
    url: {
      type: 'string',
      description: 'Where the BMC answers, without a path. http:// sends the password in the clear.',
      pattern: '^https?://[^\\s/@?#]{1,253}/?$',
      examples: ['https://10.0.20.3'],
    },
    user: {
      type: 'string',
      description: 'User with read rights; asked without a login when left out.',
      minLength: 1,
      maxLength: 128,
      examples: ['faultline'],
    },
    password_file: optionalPath('File with the password of the user.', '/etc/faultline/bmc-password'),
    ca_file: optionalPath(
      "Certificate of the BMC or of who issued it, PEM; the system's are used when left out.",
      '/etc/faultline/bmc-ca.pem',
    ),
    insecure: { type: 'boolean', description: 'Accept any certificate.', default: false },
    interval: duration('Time between two reads.', '10s', '500ms', '1h'),
    timeout: duration('Time to wait for one answer.', '10s', '100ms', '5m'),
  },
  ['host', 'url'],
);

export const bmcs = list('Baseboard management controllers, over Redfish.', bmc, 256);
