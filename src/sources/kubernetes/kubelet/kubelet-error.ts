// What can go wrong between this daemon and kubelet or the API server, with what to do.

export type KubeFault =
  | 'absent'
  | 'denied'
  | 'down'
  | 'not_served'
  | 'starting'
  | 'busy'
  | 'too_large'
  | 'timeout'
  | 'unauthorized'
  | 'forbidden'
  | 'certificate'
  | 'gone'
  | 'conflict'
  | 'bad_reply';

export class KubeError extends Error {
  readonly fault: KubeFault;

  constructor(fault: KubeFault, detail: string) {
    super(detail);
    this.fault = fault;
  }
}

/** Any error as one of these. */
export function kubeError(error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  return new KubeError('bad_reply', error instanceof Error ? error.message : String(error));
}
