// Expired registry: the registry whose certificate is over, by what a container runtime says of an image that it could not pull.

/** Go's crypto/x509, behind the address that the runtime asked; "is before" is a clock that is wrong, or a certificate of tomorrow. */
const EXPIRED =
  /https:\/\/([A-Za-z0-9][\w.-]{0,252}(?::\d{1,5})?)\/v2\/.{0,400}x509: certificate has expired or is not yet valid: current time [\dT:.Z+-]{10,35} is after ([\dT:.Z+-]{10,35})/;

export interface ExpiredRegistry {
  readonly registry: string;
  readonly endedAt: string;
}

/** Null of any other failure. */
export function expiredRegistry(words: string): ExpiredRegistry | null {
  const [, registry, endedAt] = EXPIRED.exec(words) ?? [];
  return registry === undefined || endedAt === undefined ? null : { registry, endedAt };
}
