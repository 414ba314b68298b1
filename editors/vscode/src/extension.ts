// Starts `acompass lsp` and shows what its commands answer. Everything else is the server's.
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, State, type LanguageClientOptions } from "vscode-languageclient/node";
import { Answers, type Answer } from "./answers";
import { commandPath, Server } from "./server";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const answers = new Answers();
  context.subscriptions.push(
    answers,
    vscode.commands.registerCommand("acompass.restart", () => restart(answers)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("acompass.path")) void restart(answers);
    }),
  );
  await start(answers);
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function restart(answers: Answers): Promise<void> {
  await stop();
  await start(answers);
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose().catch(() => undefined);
}

async function start(answers: Answers): Promise<void> {
  const setting = vscode.workspace.getConfiguration("acompass").get<string>("path", "acompass");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = new Server(commandPath(setting, folder), folder);
  client = new LanguageClient("acompass", "A-COMPASS", () => server.start(), options(answers));
  try {
    await client.start();
  } catch (failure) {
    await stop();
    await offerSettings(server.explain(failure));
  }
}

function options(answers: Answers): LanguageClientOptions {
  return {
    documentSelector: [
      { language: "acompass", scheme: "file" },
      { language: "acompass", scheme: "untitled" },
    ],
    middleware: {
      executeCommand: async (command, args, next) => {
        const answer: unknown = await next(command, args);
        if (isAnswer(answer)) await answers.show(answer);
        return answer;
      },
    },
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        if (client?.state === State.Running) void offerRestart(answers);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    initializationFailedHandler: () => false,
  };
}

async function offerRestart(answers: Answers): Promise<void> {
  const again = "Restart";
  if ((await vscode.window.showErrorMessage("The server of A-COMPASS has ended.", again)) === again)
    await restart(answers);
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "title" in value && "text" in value;
}

async function offerSettings(message: string): Promise<void> {
  const settings = "Open Settings";
  if ((await vscode.window.showErrorMessage(message, settings)) === settings)
    await vscode.commands.executeCommand("workbench.action.openSettings", "acompass.path");
}
