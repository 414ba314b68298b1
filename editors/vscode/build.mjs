// Writes the grammar, copies the license that the package must contain, and bundles the extension into one file.
import { copyFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { grammarText } from "./grammar.mjs";

writeFileSync(new URL("syntaxes/acompass.tmLanguage.json", import.meta.url), grammarText());
copyFileSync(new URL("../../LICENSE", import.meta.url), new URL("LICENSE", import.meta.url));
await build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.cjs",
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
});
