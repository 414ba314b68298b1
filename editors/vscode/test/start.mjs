// Starts a server as the extension does, and prints its capabilities or why there is none.
// node test/start.mjs COMMAND FOLDER
import { build } from "esbuild";

const bundled = await build({
  entryPoints: [new URL("../src/server.ts", import.meta.url).pathname],
  bundle: true,
  format: "esm",
  platform: "node",
  write: false,
});
const module = await import(`data:text/javascript;base64,${Buffer.from(bundled.outputFiles[0].text).toString("base64")}`);
const [setting, folder] = process.argv.slice(2);
const server = new module.Server(module.commandPath(setting, folder), folder);

function initialized(process_) {
  return new Promise((resolve, reject) => {
    const params = { processId: null, rootUri: null, capabilities: {} };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    process_.stdin.on("error", () => undefined);
    process_.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    process_.stdout.once("data", (data) => resolve(data.toString()));
    process_.once("close", () => reject(new Error("connection closed")));
  });
}

try {
  const process_ = await server.start();
  console.log(await initialized(process_));
  process_.stdin.end();
} catch (failure) {
  console.log(server.explain(failure));
}
