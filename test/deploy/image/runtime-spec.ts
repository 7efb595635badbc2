// A pod of the chart as kubelet and the runtime hand it to runc: the same user, capabilities, mounts and masks, on folders of a test.

import type { Container, PodSpec } from '../chart/support.ts';
import type { Image } from './archive.ts';
import { runtimeDefault } from './seccomp.ts';

/** What containerd masks and makes read-only in a container that is not privileged. */
const MASKED = ['acpi', 'asound', 'kcore', 'keys', 'latency_stats', 'timer_list', 'sched_debug', 'scsi'].map((name) => `/proc/${name}`); // biome-ignore format: one line
const READ_ONLY = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);
/** Of a container that says nothing of capabilities; of a privileged one all that this machine's root has. */
const ALL = ['CHOWN', 'DAC_OVERRIDE', 'DAC_READ_SEARCH', 'FOWNER', 'KILL', 'SETGID', 'SETUID', 'SYS_PTRACE', 'SYS_ADMIN', 'SYS_RAWIO', 'SYSLOG', 'NET_ADMIN', 'PERFMON']; // biome-ignore format: one line

const bind = (source: string, destination: string, readOnly: boolean): object => ({
  type: 'bind',
  source,
  destination,
  options: ['rbind', readOnly ? 'ro' : 'rw'],
});
const DEVICES = [
  { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
  {
    destination: '/dev/shm',
    type: 'tmpfs',
    source: 'shm',
    options: ['nosuid', 'noexec', 'nodev', 'mode=1777', 'size=65536k'],
  },
];

export interface Around {
  /** Where each volume of the pod lies on this machine. */
  readonly volumes: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  /** The runtime's own filter of system calls. */
  readonly seccomp: string;
  /** Instead of those of the pod. */
  readonly args?: readonly string[];
}

export function runtimeSpec(image: Image, pod: PodSpec, { volumes, variables, seccomp, args }: Around): object {
  const [container] = pod.containers;
  const { privileged, allowPrivilegeEscalation, capabilities } = container.securityContext;
  const held = (privileged ? ALL : (capabilities?.add ?? [])).map((name) => `CAP_${name}`);
  const given = container.env.map(({ name, value }) => `${name}=${value ?? variables[name] ?? ''}`);
  return {
    ociVersion: '1.0.2',
    root: { path: image.rootfs, readonly: container.securityContext.readOnlyRootFilesystem },
    hostname: 'faultline-x7k2p',
    process: {
      user: { uid: 0, gid: 0 },
      args: [...image.config.config.Entrypoint, ...(args ?? container.args)],
      env: [...image.config.config.Env, ...given],
      cwd: image.config.config.WorkingDir,
      capabilities: { bounding: held, effective: held, permitted: held },
      noNewPrivileges: allowPrivilegeEscalation === false,
    },
    mounts: [
      ...(pod.hostPID ? [bind('/proc', '/proc', false)] : [{ destination: '/proc', type: 'proc', source: 'proc' }]),
      ...(privileged ? [bind('/dev', '/dev', false)] : DEVICES),
      bind('/sys', '/sys', true),
      ...mounts(container, volumes),
    ],
    linux: {
      // As kubelet sets the control group of devices: none but null, zero, random and kin, unless privileged.
      resources: { devices: [{ allow: privileged, access: 'rwm' }] },
      namespaces: [{ type: 'mount' }, { type: 'ipc' }, { type: 'uts' }, ...(pod.hostPID ? [] : [{ type: 'pid' }])],
      ...(pod.securityContext.seccompProfile?.type === 'RuntimeDefault'
        ? { seccomp: runtimeDefault(seccomp, held) }
        : {}),
      ...(privileged ? {} : { maskedPaths: MASKED, readonlyPaths: READ_ONLY }),
    },
  };
}

function mounts({ volumeMounts }: Container, volumes: Readonly<Record<string, string>>): object[] {
  return volumeMounts.map(({ name, mountPath, readOnly }) => {
    const source = volumes[name];
    if (source === undefined) throw new Error(`no folder stands for the volume ${name}`);
    return bind(source, mountPath, readOnly === true);
  });
}
