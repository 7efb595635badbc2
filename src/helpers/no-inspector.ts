// No inspector: nothing but a flag given by hand opens Node's debugging port, through which any local user runs code here.

/** Closes the port, unless whoever started the program asked for it (`node --inspect …`, for developers). */
function closeInspector(): void {
  if (process.execArgv.some((argument) => argument.startsWith('--inspect'))) return;
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector.url() !== undefined) inspector.close();
}

const byEnvironment = process.env.NODE_OPTIONS !== undefined;
delete process.env.NODE_OPTIONS; // children of ours open none either
// Node opens the port when SIGUSR1 comes, unless the signal has a listener. SIGUSR2 would end the process without a word.
process.on('SIGUSR1', () => {});
process.on('SIGUSR2', () => {});
if (byEnvironment || !process.execArgv.includes('--disable-sigusr1')) {
  closeInspector();
  // A SIGUSR1 that came before the first line of ours is answered only when the loop turns.
  setImmediate(closeInspector);
}

export {};
