/** Colors for the policy language. Only the server knows the grammar; this only classifies words. */

import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const RESERVED = words(
  "EACH SOME RESULT RECORD FILTER PROCESS WHERE GROUP GROUP_BY BY AS AND OR NOT REJECT REPLACE WITH RANDOM",
);
/** keywords only in some places; in lower case, they are usually names */
const CONTEXTUAL = words(
  "ALWAYS THEN GENERALIZE TO DROP BANDS OF UP AT PREFIX LEVEL ELSE MONTH QUARTER YEAR DECADE NEAREST IN BETWEEN LIKE PROBABILITY " +
    "FROM SUM MIN MAX COUNT DISTINCT SHARE LARGEST MODE PSEUDONYM SHIFT WITHIN DAYS ADD MICROAGGREGATE",
);

function words(list: string): Set<string> {
  return new Set(list.split(" "));
}

type Place = { comment: boolean };

function token(stream: StringStream, place: Place): string | null {
  if (place.comment || stream.match("/*")) return blockComment(stream, place);
  if (stream.match(/^--.*/)) return "comment";
  if (stream.match(/^'(?:[^']|'')*'?/)) return "string";
  if (stream.match(/^"(?:[^"]|"")*"?/)) return "variableName";
  if (stream.match(/^[+-]?\d+(?:\.\d+)?(?![\p{L}_])/u)) return "number";
  if (stream.match(/^[<>=≤≥!]+/)) return "operator";
  if (stream.match(/^[\p{L}_][\p{L}\p{M}\p{N}_.-]*/u)) return wordStyle(stream.current());
  stream.next();
  return null;
}

function blockComment(stream: StringStream, place: Place): string {
  place.comment = !stream.match(/^.*?\*\//);
  if (place.comment) stream.skipToEnd();
  return "comment";
}

function wordStyle(word: string): string {
  return RESERVED.has(word.toUpperCase()) || CONTEXTUAL.has(word) ? "keyword" : "variableName";
}

const policies = StreamLanguage.define<Place>({
  name: "acompass",
  startState: () => ({ comment: false }),
  copyState: (place) => ({ ...place }),
  token,
  languageData: { commentTokens: { line: "--", block: { open: "/*", close: "*/" } } },
});

const colors = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.operator, class: "tok-operator" },
]);

export const policyLanguage = [policies, syntaxHighlighting(colors)];
