// Reads a JSON list of texts and writes, for each, its tokens: [start, end, innermost scope], offsets in UTF-16.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const file = new URL("../syntaxes/acompass.tmLanguage.json", import.meta.url);

async function loadGrammar() {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(readFileSync(file, "utf8"), "acompass.json"),
  });
  return registry.loadGrammar("source.acompass");
}

function tokens(grammar, text) {
  const found = [];
  let state = textmate.INITIAL;
  let offset = 0;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    for (const { startIndex, endIndex, scopes } of result.tokens) {
      const end = Math.min(endIndex, line.length);
      if (startIndex < end) found.push([offset + startIndex, offset + end, scopes.slice(1)]);
    }
    state = result.ruleStack;
    offset += line.length + 1;
  }
  return found;
}

const grammar = await loadGrammar();
const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => tokens(grammar, text))));
