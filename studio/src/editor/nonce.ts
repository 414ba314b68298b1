/** The page's nonce: without it, the browser rejects the styles that CodeMirror adds. */
export const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";
