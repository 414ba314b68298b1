// The TextMate grammar of A-COMPASS. `npm run build` writes it to syntaxes/acompass.tmLanguage.json.
//
// The words of the forms beyond the paper are keywords only in some places (X0). The regions below follow
// src/acompass/language/text/parser.py as far as a grammar can that never looks beyond the end of a line.

const SUFFIX = "acompass";
// a word may contain dots and single hyphens (D3)
const LATER = "[\\p{L}\\p{N}_.]";
const END = `(?!${LATER}|-(?!-))`;
const WORD = `[\\p{L}_](?:${LATER}|-(?!-))*`;
const NUMBER = "[+-]?[0-9]+(?:\\.[0-9]+)?(?!(?!--)[\\p{L}\\p{N}_.+-])";
const STRING = "'(?:[^']|'')*'(?!')";
const COMMENT_NEXT = "--|/\\*";

const words = (...all) => `(?i:${all.join("|")})${END}`;
const FLOW = words("EACH", "SOME", "RESULT", "RECORD", "FILTER", "PROCESS", "WHERE", "GROUP_BY", "GROUP", "BY", "AS");
const LOGIC = words("AND", "OR", "NOT");
const ACTION = words("REJECT", "REPLACE", "WITH", "RANDOM");
const RESERVED = `(?:${FLOW}|${LOGIC}|${ACTION})`;
const FREE_WORD = `(?!${RESERVED})${WORD}`;
const STEP = words(
  ...["REJECT", "REPLACE", "RANDOM", "GENERALIZE", "DROP", "WITH"],
  ...["PSEUDONYM", "SHIFT", "ADD", "MICROAGGREGATE"],
);
const THEN = words("THEN");
const QUANTIFIER = words("EACH", "SOME");
const STOP = `(?=[:;]|${QUANTIFIER})`;
// anything but space and the start of a comment or a string
const SOMETHING_ELSE = `(?=[^\\s'/-]|-(?!-)|/(?!\\*))`;

const scope = (name) => `${name}.${SUFFIX}`;
const captures = (...names) =>
  Object.fromEntries(names.map((name, index) => [String(index + 1), { name: scope(name) }]));
const match = (pattern, name) => ({ match: pattern, name: scope(name) });
const include = (...names) => names.map((name) => ({ include: `#${name}` }));
const region = (begin, name, end, patterns, endNames) => ({
  begin,
  beginCaptures: { 0: { name: scope(name) } },
  end,
  ...(endNames && { endCaptures: endNames }),
  patterns,
});

const KEYWORD = "keyword.control";
const LOGICAL = "keyword.operator.logical";
const DOING = "keyword.other.action";
const MAPPING = "keyword.other.map";
const AGGREGATE = "support.function.aggregate";
const COLUMN = "variable.other.column";
const PARAMETER = "variable.parameter";

// a number, a string or a parameter, after what stands before it
const thenConstant = (begin, name) =>
  region(
    begin,
    name,
    `(${NUMBER})|(${FREE_WORD})|(?<=')|${SOMETHING_ELSE}`,
    include("comments", "string"),
    captures("constant.numeric", PARAMETER),
  );

const requirement = (begin, patterns) =>
  region(begin, KEYWORD, `(;)|(?=${QUANTIFIER})`, patterns, captures("punctuation.terminator"));

const PAREN = "punctuation.section.parens";
const parenthesized = (begin, name, patterns) =>
  region(begin, name, `(\\))|${STOP}`, patterns, captures(PAREN));
// up to the next part of PROCESS
const PART = `${STOP}|(?=,|${words("AS", "WHERE", "GROUP_BY", "GROUP")})`;

const LEAF = ["comments", "string", "quoted", "number", "reserved", "signs"];
const NAMES = [...LEAF, "column"];

// the names at the end of a step; a THEN behind one of them begins the next step
const LAST_NAMES = {
  end: `${STOP}|(?=${THEN})`,
  patterns: [
    { match: `(,)\\s*(${THEN})`, captures: captures("punctuation.separator", COLUMN) },
    ...include(...NAMES),
  ],
};

const repository = {
  comments: {
    patterns: [
      {
        match: "(--)\\s*(allow)\\s+(AC[0-9]{3})\\s*:.*$",
        name: scope("comment.line.double-dash"),
        captures: captures("punctuation.definition.comment", "keyword.other.allow", "constant.other.code"),
      },
      match("--.*$", "comment.line.double-dash"),
      { begin: "/\\*", end: "\\*/", name: scope("comment.block") },
      match("(?<!\\w)(?:#(?!\\d)|//).*$", "invalid.illegal.comment"),
    ],
  },
  string: {
    begin: "'",
    end: "'(?!')",
    name: scope("string.quoted.single"),
    patterns: [match("''", "constant.character.escape")],
  },
  quoted: {
    begin: '"',
    end: '"(?!")',
    name: scope("variable.other.column.quoted"),
    patterns: [match('""', "constant.character.escape")],
  },
  number: match(NUMBER, "constant.numeric"),
  signs: {
    patterns: [
      match("\\*", "variable.language.wildcard"),
      match(",", "punctuation.separator"),
      match("[()]", PAREN),
      match("[:;]", "punctuation.terminator"),
    ],
  },
  reserved: { patterns: [match(FLOW, KEYWORD), match(LOGIC, LOGICAL), match(ACTION, DOING)] },
  column: match(WORD, COLUMN),
  parameter: match(FREE_WORD, PARAMETER),

  assertion: requirement(QUANTIFIER, include("body", "process", "condition")),
  always: requirement(words("ALWAYS"), [
    region(":", "punctuation.separator", `(?=;|${QUANTIFIER})`, include("action")),
    ...include(...NAMES),
  ]),
  // from the first colon on; the second begins the action
  body: region(":", "punctuation.separator", `(?=;|${QUANTIFIER})`, [
    region(":", "punctuation.separator", `(?=;|${QUANTIFIER})`, include("action")),
    ...include("condition"),
  ]),

  process: region(words("PROCESS"), KEYWORD, STOP, include("grouping", "where", "naming", "aggregate", ...NAMES)),
  aggregate: {
    patterns: [
      region(words("COUNT"), AGGREGATE, PART, [
        region(words("DISTINCT"), AGGREGATE, PART, include(...NAMES)),
        ...include("operand", "reference", ...NAMES),
      ]),
      region(words("SUM", "MIN", "MAX"), AGGREGATE, PART, include("operand", "reference", ...NAMES)),
      region(words("SHARE"), AGGREGATE, PART, [
        thenConstant(words("LARGEST"), AGGREGATE),
        match(words("OF", "MODE"), AGGREGATE),
        ...include("operand", ...NAMES),
      ]),
    ],
  },
  operand: parenthesized("\\(", PAREN, include(...NAMES)),
  reference: match(words("IN"), AGGREGATE),
  naming: region(words("AS"), KEYWORD, `${STOP}|(?=,|${words("WHERE", "GROUP_BY", "GROUP")})`, include(...NAMES)),
  where: region(words("WHERE"), KEYWORD, `${STOP}|(?=${words("GROUP_BY", "GROUP")})`, include("condition")),
  grouping: region(words("GROUP_BY", "GROUP"), KEYWORD, STOP, include(...NAMES)),

  condition: { patterns: include("predicates", "comparison", ...NAMES) },
  comparison: thenConstant("<=|>=|<>|!=|==|[<>=≤≥≠]", "keyword.operator.comparison"),
  predicates: {
    patterns: [
      parenthesized(
        `${words("IN")}(?=\\s*(?:\\(|$|${COMMENT_NEXT}))`,
        LOGICAL,
        include("comments", "string", "quoted", "number", "parameter", "reserved", "signs"),
      ),
      {
        match:
          `(${words("BETWEEN")})\\s+(?:(${NUMBER})|(${STRING})|(${FREE_WORD}))` +
          `\\s+(${words("AND")})\\s+(?:(${NUMBER})|(${STRING})|(${FREE_WORD}))`,
        captures: captures(
          ...[LOGICAL, "constant.numeric", "string.quoted.single", PARAMETER],
          ...[LOGICAL, "constant.numeric", "string.quoted.single", PARAMETER],
        ),
      },
      match(`${words("BETWEEN")}(?=\\s*$|\\s*'|\\s+${NUMBER}|\\s*(?:${COMMENT_NEXT}))`, LOGICAL),
      match(`${words("LIKE")}(?=\\s*(?:'|$|${COMMENT_NEXT}))`, LOGICAL),
    ],
  },

  action: {
    patterns: include(
      ...["chance", "replacing", "with", "drawing", "adding", "randomizing", "generalizing", "dropping", "map"],
      ...["shifting", "within", "averaging", "by", "then"],
      ...[...LEAF, "column"],
    ),
  },
  then: match(THEN, KEYWORD),
  // REPLACE may write a parameter that is called PROBABILITY, but no number follows it
  chance: {
    match: `(${words("WITH")})\\s+(${words("PROBABILITY")})(?=\\s+${NUMBER})`,
    captures: captures(DOING, DOING),
  },
  replacing: region(words("REPLACE"), DOING, `${STOP}|(?=${words("WITH")})`, include(...NAMES)),
  with: thenConstant(words("WITH"), DOING),
  // the first FROM behind a word ends the name, if the values follow on the line
  drawing: {
    begin:
      `(${words("RANDOM")})\\s+(${FREE_WORD}(?:\\s+(?!${words("FROM")})${FREE_WORD})*\\s+|"[^"]*(?:""[^"]*)*"\\s*)` +
      `(${words("FROM")})\\s*(\\()`,
    beginCaptures: captures(DOING, COLUMN, DOING, PAREN),
    end: `(\\))|${STOP}`,
    endCaptures: captures(PAREN),
    patterns: [
      { match: `(${NUMBER})\\s+(${words("OF")})`, captures: captures("constant.numeric", DOING) },
      ...include("comments", "string", "quoted", "number", "parameter", "reserved", "signs"),
    ],
  },
  randomizing: {
    patterns: [
      // on one line, the last two words or numbers are the bounds
      {
        match:
          `(${words("RANDOM")})\\s+((?:${FREE_WORD}\\s+)+|"[^"]*(?:""[^"]*)*"\\s*)` +
          `(?:(${NUMBER})|(${FREE_WORD}))\\s+(?:(${NUMBER})|((?!${THEN}\\s*$)${FREE_WORD}))` +
          `(?=\\s*(?:;|$|${COMMENT_NEXT}|${THEN}\\s+${STEP}|${THEN}\\s*$))`,
        captures: captures(DOING, COLUMN, "constant.numeric", PARAMETER, "constant.numeric", PARAMETER),
      },
      region(
        words("RANDOM"),
        DOING,
        `${STOP}|(?=${THEN}\\s+${STEP})|(?<=[0-9])\\s+(?=${THEN})`,
        include(...NAMES),
      ),
    ],
  },
  generalizing: region(words("GENERALIZE"), DOING, `(${words("TO")})|${STOP}`, include(...NAMES), captures(DOING)),
  dropping: {
    begin: `(${words("DROP", "PSEUDONYM")})(?:\\s+(${THEN}))?`,
    beginCaptures: captures(DOING, COLUMN),
    ...LAST_NAMES,
  },
  adding: {
    begin:
      `(${words("ADD")})\\s+(${words("RANDOM")})\\s+(?:(${NUMBER})|(${FREE_WORD}))\\s+(?:(${NUMBER})|(${FREE_WORD}))` +
      `\\s+(${words("TO")})(?:\\s+(${THEN}))?`,
    beginCaptures: captures(
      ...[DOING, DOING, "constant.numeric", PARAMETER, "constant.numeric", PARAMETER, DOING, COLUMN],
    ),
    ...LAST_NAMES,
  },
  // the first WITHIN behind a word ends the name of the person, if that is on the line of BY
  shifting: region(
    words("SHIFT"),
    DOING,
    `(${words("BY")})(?:\\s+(${FREE_WORD}(?:\\s+(?!${words("WITHIN")})${FREE_WORD})*))?|${STOP}`,
    include(...NAMES),
    captures(DOING, COLUMN),
  ),
  within: {
    patterns: [thenConstant(words("WITHIN"), DOING), match(words("DAYS"), DOING)],
  },
  averaging: region(words("MICROAGGREGATE"), DOING, `(?=${words("BY")})|${STOP}`, include(...NAMES)),
  by: thenConstant(words("BY"), DOING),
  map: {
    patterns: [
      region(words("BANDS"), MAPPING, `${STOP}|(?=${THEN})`, [
        match(words("OF", "FROM", "UP", "TO", "AT"), MAPPING),
        ...include(...NAMES),
      ]),
      region(words("PREFIX"), MAPPING, `${STOP}|(?=${THEN})`, [match(words("OF"), MAPPING), ...include(...NAMES)]),
      region(words("LEVEL"), MAPPING, `${STOP}|(?=${THEN})`, [
        match(words("OF"), MAPPING),
        thenConstant(words("ELSE"), MAPPING),
        ...include(...NAMES),
      ]),
      match(words("MONTH", "QUARTER", "YEAR", "DECADE", "NEAREST"), MAPPING),
    ],
  },
};

export const grammar = {
  $schema: "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
  name: "A-COMPASS",
  scopeName: "source.acompass",
  fileTypes: ["acp"],
  patterns: include("comments", "assertion", "always", ...NAMES),
  repository,
};

export const grammarText = () => `${JSON.stringify(grammar, null, 2)}\n`;
