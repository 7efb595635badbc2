// The environment of a daemon under the systemd unit: not that of whoever runs a bench.

/** `NODE_EXTRA_CA_CERTS` of a sandbox would be read into the daemon: 150 certificates, 3 MiB. */
export const unitEnvironment = {
  ...process.env,
  MALLOC_ARENA_MAX: '1',
  NODE_EXTRA_CA_CERTS: undefined,
  NODE_OPTIONS: undefined,
};
