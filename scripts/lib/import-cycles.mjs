// Cycles in a graph of imports: for each group of files that all reach each other, the shortest way round.

/** `imports`: what each file imports, by name. Returns cycles as lists of files, each once. */
export function importCycles(imports) {
  const cycles = [];
  const known = new Set();
  for (const file of imports.keys()) {
    if (known.has(file)) continue;
    const cycle = wayBack(file, imports);
    if (cycle === null) continue;
    cycles.push(cycle);
    for (const other of imports.keys()) {
      if (other === file || (reaches(file, other, imports) && reaches(other, file, imports))) known.add(other);
    }
  }
  return cycles;
}

function wayBack(start, imports) {
  const from = new Map();
  const queue = [start];
  for (const at of queue) {
    for (const next of imports.get(at) ?? []) {
      if (next === start) return path(at, from);
      if (from.has(next)) continue;
      from.set(next, at);
      queue.push(next);
    }
  }
  return null;
}

function path(end, from) {
  const files = [end];
  for (let at = from.get(end); at !== undefined; at = from.get(at)) files.unshift(at);
  return files;
}

function reaches(start, goal, imports) {
  const seen = new Set([start]);
  for (const at of seen) for (const next of imports.get(at) ?? []) seen.add(next);
  return seen.has(goal);
}
