// The filter of system calls that a runtime puts a container under: the profile that podman ships, which is Docker's and containerd's with
// small differences, as runc takes it.

import { readFileSync } from 'node:fs';

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly object[] | null;
  readonly includes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] };
  readonly excludes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] };
}

/** `held`: the capabilities of the container, which open some calls. */
export function runtimeDefault(file: string, held: readonly string[]): object {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as { defaultAction: string; syscalls: readonly Rule[] }; // of the package
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const applies = ({ includes = {}, excludes = {} }: Rule): boolean =>
    (includes.caps ?? []).every((name) => held.includes(name)) &&
    (includes.arches?.includes(arch) ?? true) &&
    !(excludes.caps ?? []).some((name) => held.includes(name)) &&
    !(excludes.arches?.includes(arch) ?? false);
  const syscalls = profile.syscalls.filter(applies).map(({ names, action, args, errnoRet }) => ({
    names,
    action,
    ...(args === undefined || args === null || args.length === 0 ? {} : { args }),
    ...(errnoRet === undefined ? {} : { errnoRet }),
  }));
  const architectures = [arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'];
  return { defaultAction: profile.defaultAction, architectures, syscalls };
}
