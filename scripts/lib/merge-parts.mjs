// Merges the bundle's parts that a start of the daemon reads anyway: each file costs a read, a link and its bookkeeping.
//
// The bundler makes a part for each set of entry points that reach the same modules: a hundred files for a start. Here a set
// counts only by some of them: the programs and threads, the daemon, the list of incidents, which stands for the commands that
// are to answer at once, and correlate, which needs next to nothing of what both of them do. Entry points and what the daemon does not need stay as they are: the program awaits its command
// at its top level, and nothing that a command imports may be in the same file. What the daemon loads late at every start, as its
// sources that are on by themselves, lies with the rest all the same: an import() of it takes it out of that file.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const DAEMON = 'src/commands/run/run-daemon.ts';
const APART = [
  DAEMON,
  'src/commands/incidents/list-incidents.ts',
  'src/commands/correlate/run-correlate.ts',
  'src/main.ts',
  'src/helpers/no-inspector.ts',
  'src/daemon/config-thread.ts',
  'src/daemon/history-thread.ts',
  'src/sources/system/inventory/inventory-child.ts',
];

/** What a daemon loads by import() with nothing configured. */
const WITH_DAEMON = [
  'src/sources/after-crash/after-crash-source.ts',
  'src/sources/cpu/cpu-source.ts',
  'src/sources/drm/drm-source.ts',
  'src/sources/flight-recorder/dumps/places.ts',
  'src/sources/flight-recorder/flight-recorder-source.ts',
  'src/sources/gpu/gpu-source.ts',
  'src/sources/hwmon/hwmon-source.ts',
  'src/sources/inventory/inventory-source.ts',
  'src/sources/job-log/job-log-source.ts',
  'src/sources/job-log/log-words.ts',
  'src/sources/job-log/places.ts',
  'src/sources/kernel-log/kernel-log-source.ts',
  'src/sources/kubernetes/kubernetes-source.ts',
  'src/sources/nic/ethtool.ts',
  'src/sources/nic/nic-source.ts',
  'src/sources/nic/queue-watch.ts',
  'src/sources/pci/pci-source.ts',
  'src/sources/processes/process-source.ts',
  'src/sources/slurm/find/installation.ts',
  'src/sources/slurm/slurm-source.ts',
  'src/sources/system/inventory/take-inventory.ts',
  'src/sources/system/system-source.ts',
];

const importsOf = (output, kind) =>
  output.imports.filter((each) => each.kind === kind && !each.external).map(({ path }) => path);

/** All that is read once `part` is. */
function withImports(outputs, part, found = new Set()) {
  if (found.has(part)) return found;
  found.add(part);
  for (const path of importsOf(outputs[part], 'import-statement')) withImports(outputs, path, found);
  return found;
}

/** Of the entry points, those that cannot be reached without one of `some`: wherever they are read, one of `some` was. */
function entailed(outputs, entries, some) {
  const reached = new Set();
  const visit = (entry) => {
    if (some.has(entry) || reached.has(entry)) return;
    reached.add(entry);
    for (const part of withImports(outputs, entry)) importsOf(outputs[part], 'dynamic-import').forEach(visit);
  };
  entries.filter((entry) => !basename(entry).startsWith('part-')).forEach(visit);
  return entries.filter((entry) => !reached.has(entry));
}

/** Lists of parts to merge; `withDaemon`: entry points that the daemon always reads. */
export function groupsOf(bundled, withDaemon = []) {
  const late = Object.keys(bundled).filter((part) => withDaemon.includes(bundled[part].entryPoint));
  const isDaemon = ({ entryPoint }) => entryPoint === DAEMON;
  const reads = late.map((path) => ({ path, kind: 'import-statement' }));
  const outputs = Object.fromEntries(
    Object.entries(bundled).map(([part, output]) => [
      part,
      isDaemon(output) ? { ...output, imports: [...output.imports, ...reads] } : output,
    ]),
  );
  const parts = Object.keys(outputs).filter((path) => path.endsWith('.js'));
  const entries = parts.filter((part) => outputs[part].entryPoint !== undefined);
  const apart = APART.map((source) => {
    const found = entries.find((entry) => outputs[entry].entryPoint === source);
    if (found === undefined) throw new Error(`${source} is not an entry point of the bundle any more`);
    return found;
  });
  const groups = new Map();
  for (const part of parts) {
    const readers = new Set(entries.filter((entry) => withImports(outputs, entry).has(part)));
    const all = entailed(outputs, entries, readers);
    const key = apart.filter((entry) => all.includes(entry)).join();
    if (all.includes(apart[0]) && (outputs[part].entryPoint === undefined || late.includes(part)))
      groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Imports of merged parts as imports of the file that they are in now, under the names that they have there. */
function redirect(text, places, own) {
  const place = (file) => (own.has(file) ? undefined : places.get(file));
  return text
    .replace(/import\{([^{}]*)\}from"\.\/([\w-]+\.js)"/g, (all, names, file) => {
      const to = place(file);
      if (to === undefined) return all;
      const renamed = names.split(',').map((name) => {
        const [theirs, ours = theirs] = name.split(' as ');
        return `${to.prefix}${theirs} as ${ours}`;
      });
      return `import{${renamed.join()}}from"./${to.file}"`;
    })
    .replace(/import"\.\/([\w-]+\.js)"/g, (all, file) =>
      place(file) === undefined ? all : `import"./${place(file).file}"`,
    )
    .replace(/import\("\.\/([\w-]+\.js)"\)/g, (all, file) => {
      const to = places.get(file);
      return to === undefined ? all : `import("./${to.file}").then((all)=>all.${to.prefix}all)`;
    });
}

/** Rewrites the folder of the bundle. */
export async function mergeParts(outputs, folder, options) {
  const groups = groupsOf(outputs, WITH_DAEMON);
  const places = new Map();
  for (const group of groups) {
    for (const [i, part] of group.entries()) places.set(basename(part), { file: basename(group[0]), prefix: `p${i}_` });
  }
  const merged = [];
  for (const group of groups) {
    const files = new Set(group.map((part) => basename(part)));
    const lines = group.map((part, i) => {
      const names = outputs[part].exports.map((name) => `${name} as p${i}_${name}`);
      const whole = outputs[part].entryPoint === undefined ? '' : `export * as p${i}_all from "./${basename(part)}";`;
      return `import "./${basename(part)}"; export { ${names.join(', ')} } from "./${basename(part)}"; ${whole}`;
    });
    const redirected = {
      name: 'merged-parts',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /./ }, ({ path, kind }) =>
          kind === 'import-statement' && files.has(basename(path))
            ? { path: join(folder, basename(path)), namespace: 'part' }
            : { path, external: true },
        );
        onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({
          contents: redirect(readFileSync(path, 'utf8'), places, files),
          resolveDir: folder,
        }));
      },
    };
    const { outputFiles } = await build({
      ...options,
      legalComments: 'none', // written by the first pass
      stdin: { contents: lines.join('\n'), resolveDir: folder },
      format: 'esm',
      write: false,
      plugins: [redirected],
    });
    merged.push({ path: join(folder, basename(group[0])), text: outputFiles[0].text });
  }
  for (const part of Object.keys(outputs).filter((path) => path.endsWith('.js'))) {
    const path = join(folder, basename(part));
    if (places.has(basename(part))) rmSync(path);
    else writeFileSync(path, redirect(readFileSync(path, 'utf8'), places, new Set()));
  }
  for (const { path, text } of merged) writeFileSync(path, text);
  const lost = [...places].filter(([part, { file }]) => part !== file).map(([part]) => part);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(folder, file), 'utf8');
    const left = lost.find((part) => text.includes(part));
    if (left !== undefined)
      throw new Error(`${file} still reads ${left}, which was merged into ${places.get(left).file}`);
  }
}
