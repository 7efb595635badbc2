// Bundles src/main.ts into dist/: it ships without node_modules, and a command reads only the parts that it needs.

import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { asScripts } from './as-scripts.mjs';
import { builtinPlugins, isBuiltin } from './bundle-builtins.mjs';
import { writeBundledPackages } from './bundled-packages.mjs';
import { mergeParts } from './merge-parts.mjs';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  logLevel: 'warning',
};

// net-snmp leans on sloppy mode (its agent assigns through a proxy whose trap says no), and everything inside an ES
// module is strict: it stays CommonJS, in a file of its own that is read only where SNMP is used.
const SLOPPY = ['net-snmp'];
const keepSloppy = {
  name: 'keep-sloppy',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(${SLOPPY.join('|')})$`) }, ({ path }) => ({
      path: `./${path}.cjs`,
      external: true,
    }));
  },
};

// Catalogues are read as files, which ship next to the bundle: as code each would be kept three times, as text, as what is to be made of it,
// and as what was made.
const CATALOGUE_READER = `const { readFileSync } = process.getBuiltinModule('node:fs');
export const read = (file) => JSON.parse(readFileSync(\`\${import.meta.dirname}/../catalog/\${file}\`, 'utf8'));`;
const TAKE_READER = "import { read } from 'catalogue-reader';";
const catalogueFiles = {
  name: 'catalogue-files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^catalogue-reader$/ }, ({ path }) => ({ path, namespace: 'catalogue' }));
    onLoad({ filter: /./, namespace: 'catalogue' }, () => ({ contents: CATALOGUE_READER }));
    onLoad({ filter: /\/catalog\/.*\.json$/ }, ({ path }) => {
      const file = relative(join(process.cwd(), 'catalog'), path);
      return { contents: `${TAKE_READER} export default /* @__PURE__ */ read(${JSON.stringify(file)});`, loader: 'js' };
    });
    onLoad({ filter: /\/src\/helpers\/catalogue-folder\.ts$/ }, () => {
      // Scenarios are read from the disk, kinds are imported by name (src/model/kind-families.ts).
      const folders = readdirSync('catalog', { withFileTypes: true }).filter(
        (entry) => entry.isDirectory() && !['scenarios', 'kinds'].includes(entry.name),
      );
      const names = folders.map(({ name }) => {
        const files = readdirSync(join('catalog', name)).filter((file) => file.endsWith('.json'));
        return [name, files.sort().map((file) => basename(file, '.json'))];
      });
      return {
        contents: `${TAKE_READER}
const names = ${JSON.stringify(Object.fromEntries(names))};
export const catalogueFolder = (folder) => new Map(names[folder].map((name) => [name, read(\`\${folder}/\${name}.json\`)]));`,
      };
    });
  },
};

// The exporter's base loads grpc-js by a createRequire of its own, which looks for node_modules next to the bundle, where there
// are none. A plain require is bundled.
const GRPC_BASE = /otlp-grpc-exporter-base[/\\]dist[/\\].*\.mjs$/;
const LATE_GRPC = '__require("@grpc/grpc-js")';
let grpcRequires = 0;
const requireGrpc = {
  name: 'require-grpc',
  setup({ onLoad }) {
    onLoad({ filter: GRPC_BASE }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      grpcRequires += text.split(LATE_GRPC).length - 1;
      return { contents: text.replaceAll(LATE_GRPC, 'require("@grpc/grpc-js")'), loader: 'js' };
    });
  },
};

// grpc-js loads it for services of its own that nothing here asks for (channelz, ORCA), and with it half of protobufjs: 0.2 MiB of source that
// would stay in memory unread.
const withoutProtoLoader = {
  name: 'without-proto-loader',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not in this bundle`)});`,
      loader: 'js',
    }));
  },
};

// These name their ES modules by `module` alone, which is not read for Node; of a CommonJS build nothing can be left out.
const moduleBuilds = {
  name: 'module-builds',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:@peculiar\/asn1-(?:schema|x509)|asn1js|pvtsutils|pvutils)$/ }, ({ path }) => {
      const folder = join(process.cwd(), 'node_modules', path);
      const { module } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return typeof module === 'string' ? { path: join(folder, module) } : null;
    });
  },
};

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...common,
  metafile: true,
  // The second runs before the first is even read. The last three are programs and threads of their own: what they load
  // must not be in the daemon.
  entryPoints: {
    main: 'src/main.ts',
    'no-inspector': 'src/helpers/no-inspector.ts',
    'inventory-child': 'src/sources/system/inventory/inventory-child.ts',
    'config-thread': 'src/daemon/config-thread.ts',
    'history-thread': 'src/daemon/history-thread.ts',
  },
  outdir: 'dist',
  format: 'esm',
  splitting: true,
  chunkNames: 'part-[hash]',
  external: ['*.node'],
  plugins: [keepSloppy, catalogueFiles, requireGrpc, withoutProtoLoader, moduleBuilds, ...builtinPlugins],
});
if (grpcRequires === 0)
  throw new Error('the OTLP exporter loads grpc-js another way than scripts/lib/bundle.mjs expects');
for (const [file, { imports }] of Object.entries(metafile.outputs)) {
  const direct = imports.filter(({ external, path }) => external && isBuiltin(path));
  if (direct.length > 0) throw new Error(`${file} imports ${direct.map(({ path }) => path).join(', ')} itself`);
}
// A CommonJS package that is loaded by import() has nothing but a default once it is bundled, though Node gives it its
// names: what works from src/ would break here. A module that is loaded late imports such a package itself.
for (const [file, { imports }] of Object.entries(metafile.outputs)) {
  const nameless = imports.filter(
    ({ kind, path }) => kind === 'dynamic-import' && metafile.outputs[path]?.exports.join() === 'default',
  );
  for (const { path } of nameless) {
    throw new Error(`${file} loads ${metafile.outputs[path].entryPoint} by import(), which gives no names of it`);
  }
}
await mergeParts(metafile.outputs, 'dist', common);
const sources = Object.keys(metafile.inputs);
for (const name of SLOPPY) {
  const outfile = `dist/${name}.cjs`;
  const apart = { ...common, metafile: true, minifyIdentifiers: true, entryPoints: [name], outfile, format: 'cjs' };
  const { metafile: itsOwn } = await build(apart);
  sources.push(...Object.keys(itsOwn.inputs));
}
writeBundledPackages(sources);
// Our own code keeps its names, so that a stack in a log can be read; what is nearly all libraries needs none.
const OF_LIBRARIES = 0.9;
for (const [file, { inputs, bytes }] of Object.entries(metafile.outputs)) {
  const ofLibraries = Object.entries(inputs).filter(([path]) => path.includes('node_modules/'));
  const share = ofLibraries.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) / bytes;
  if (!file.endsWith('.js') || share < OF_LIBRARIES || !existsSync(file)) continue;
  const { code } = await transform(readFileSync(file, 'utf8'), {
    format: 'esm',
    target: common.target,
    minify: true,
    legalComments: 'inline',
  });
  writeFileSync(file, code);
}
const { platform, target, minifyWhitespace, minifySyntax } = common;
await asScripts('dist', { platform, target, minifyWhitespace, minifySyntax });
// One letter beyond Latin in a file makes two bytes of each of its letters in memory, where the text stays as long as the program runs.
// The bundler leaves them in patterns and comments alone, and in both the escape is the same.
for (const file of readdirSync('dist').filter((name) => name.endsWith('.cjs'))) {
  const text = readFileSync(join('dist', file), 'utf8');
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) writeFileSync(join('dist', file), escaped);
}
copyFileSync('scripts/lib/bundle-loader.cjs', 'dist/load.cjs');
await import('./compile-bundle.mjs');
// The program itself: an old Node cannot even parse the bundle, and deserves a sentence instead of a stack.
writeFileSync(
  'dist/faultline.js',
  `#!/usr/bin/env node
var major = Number(process.versions.node.split('.')[0]);
if (major >= 24) import('./load.cjs').then((all) => ['./no-inspector.cjs', './main.cjs'].forEach(all.default.load));
else {
  console.error('FL1003 faultline needs Node 24 or later; this is ' + process.version + '. ./scripts/demo brings one into .tools; or put a newer node on the PATH');
  process.exitCode = 1;
}
`,
);
chmodSync('dist/faultline.js', 0o755);
