// Bundles src/main.ts into dist/faultline.js: one file, so that the daemon starts quickly and ships without node_modules.

import { chmodSync } from 'node:fs';
import { build } from 'esbuild';

await build({
  entryPoints: ['src/main.ts'],
  outfile: 'dist/faultline.js',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  external: ['*.node'],
  logLevel: 'warning',
  // CommonJS dependencies inside an ES module bundle still call require().
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
chmodSync('dist/faultline.js', 0o755);
