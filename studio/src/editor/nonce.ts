/** The page's nonce: without it, the browser refuses the styles that CodeMirror makes. */
export const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";
