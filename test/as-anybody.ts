// Does something as a user who is in no group of what root made.

export async function asAnybody<T>(work: () => Promise<T>): Promise<T> {
  const user = process.geteuid?.() ?? 0;
  if (user === 0) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (user === 0) process.seteuid?.(0);
  }
}
