// Bundles the page: node build.mjs [FOLDER]. The same sources and versions give the same bytes.
import { build } from "esbuild";
import { readFile, readdir, writeFile, mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "../src/acompass/assist/studio/static");

const built = await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/main.tsx" },
  outdir: "out",
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "esm",
  splitting: true,
  chunkNames: "[name]",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  legalComments: "none",
  preserveSymlinks: true, // `node_modules` may be a link to that of another checkout
  define: { "process.env.NODE_ENV": '"production"' },
});

/** The packages whose code is in the bundle, by name. */
function bundledPackages(inputs) {
  const names = Object.keys(inputs).map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

async function licenseText(name) {
  const root = join(here, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const file = (await readdir(root)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no license file`);
  return `${name} ${version}\n\n${(await readFile(join(root, file), "utf8")).trim()}\n`;
}

/** The files that the page loads at the start: the entry, its styles, and what the entry imports before it runs. */
function loadedAtStart({ outputs }) {
  const entry = outputs["out/studio.js"];
  const first = entry.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
  return new Set(["out/studio.js", entry.cssBundle, ...first].map((path) => basename(path)));
}

await mkdir(folder, { recursive: true });
const first = loadedAtStart(built.metafile);
let total = 0;
for (const { path, contents } of built.outputFiles) {
  const name = basename(path);
  await writeFile(join(folder, name), contents);
  const size = gzipSync(contents, { level: 9 }).length;
  if (first.has(name)) total += size;
  console.log(`${name}\t${(size / 1024).toFixed(1)} KB gzipped${first.has(name) ? "" : ", on first use"}`);
}
const licenses = await Promise.all(bundledPackages(built.metafile.inputs).map(licenseText));
await writeFile(join(folder, "LICENSES.txt"), licenses.join(`\n${"-".repeat(80)}\n\n`));
console.log(`at the start\t${(total / 1024).toFixed(1)} KB gzipped`);
if (total > 150 * 1024) throw new Error("the page loads more than 150 KB gzipped at the start");
