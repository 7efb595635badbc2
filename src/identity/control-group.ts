// Control groups: what the text of /proc/<pid>/cgroup says about where a process belongs.

/** "0::/a/b" of version 2, "4:memory:/a/b" or "4:cpu,memory:/a/b" of version 1: the group that memory is counted in. */
const MEMORY_GROUP = /^\d+:(?:[^:]*,)?(?:memory)?(?:,[^:]*)?:(\/.*)$/;

/**
 * The control group of the service that a process runs as; null where it runs as none. Only a service has its group to
 * itself: a session, a container or the root group holds the processes of others.
 */
export function serviceControlGroup(text: string): string | null {
  const paths = text.split('\n').flatMap((line) => MEMORY_GROUP.exec(line)?.[1] ?? []);
  return paths.find((path) => path.endsWith('.service')) ?? null;
}
