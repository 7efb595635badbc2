// Deadline: waits for work, and no longer than a limit; what is late continues on its own.

/** True where the work was done in time. Rejects as the work does, within the limit; a later rejection is ignored. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
