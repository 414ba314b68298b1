// The process of the server, and the reason where there is none. No part of VS Code is needed here.
import { spawn, type ChildProcess } from "node:child_process";

const INSTALL = "pip install 'acompass[lsp]'";

/** The command of the setting; `${workspaceFolder}` is the first folder that is open. */
export function commandPath(setting: string, folder: string | undefined): string {
  const command = setting.trim() || "acompass";
  return command.replace(/\$\{workspaceFolder\}/g, folder ?? "");
}

/** Starts `acompass lsp`, and hears what it says until it ends. */
export class Server {
  private heard = "";

  constructor(
    readonly command: string,
    private readonly folder: string | undefined,
  ) {}

  start(): Promise<ChildProcess> {
    this.heard = "";
    return new Promise((resolve, reject) => {
      const server = spawn(this.command, ["lsp"], { cwd: this.folder, stdio: "pipe" });
      server.stderr.on("data", (text: Buffer) => (this.heard += text.toString("utf8")));
      server.once("error", reject);
      server.once("spawn", () => resolve(server));
    });
  }

  /** Why the server could not be started, and what to do. */
  explain(failure: unknown): string {
    const { code, message } = failure as NodeJS.ErrnoException;
    const command = `\`${this.command}\``;
    if (code === "ENOENT") return `${command} was not found. Install it with \`${INSTALL}\`, or set acompass.path to its place.`;
    if (code === "EACCES") return `${command} may not be executed. Set acompass.path to the command \`acompass\`.`;
    return `\`${this.command} lsp\` could not be started: ${this.heard.trim() || message}`;
  }
}
