// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of other files are quoted here.

/** A pattern that is not linear or is made at run time, with the reason why its work is small. */
export interface Bounded {
  path: string
  /** The pattern's source; if it is made at run time, the expression that makes it. */
  pattern: string
  /** How long its text can be, or why the shape of the text is known. */
  bound: string
  /** The file that enforces the bound, and a text in that file. */
  enforced: [path: string, text: string]
}

export const BOUNDED: Bounded[] = [
  {
    path: 'docs/recipes/birthdays-this-month.mjs',
    pattern: '(?<=(?:^|[,;\\t\\r\\n])[ "]*)(?=[=+\\-@\\t\\r])',
    bound: 'A name has at most 256 characters.',
    enforced: ['src/lib/limits.ts', "nameChars: [256, 'characters']"],
  },
  {
    path: 'migrations/0001_baseline.sql',
    pattern: 'regexp_replace(…, %L)',
    bound: 'A class of marks without a quantifier.',
    enforced: ['migrations/0001_baseline.sql', 'format('],
  },
  {
    path: 'scripts/linear-pattern.ts',
    pattern: "new RegExp(pattern, flags.replace(/[gy]/g, ''))",
    bound: 'The patterns of this tree, each on the text that the checker found.',
    enforced: ['scripts/linear-pattern.ts', 'verdict.attack.string'],
  },
  {
    path: 'src/console/build/load-together.ts',
    pattern:
      '\\b[\\w$]+\\(\\(\\)=>(import\\(`[^`]+`\\)(?:\\.then\\(\\w+=>\\w+\\.\\w+\\))?),\\[\\],import\\.meta\\.url\\)',
    bound: "The text is a page's code, while the console is built.",
    enforced: ['src/console/build/load-together.ts', 'chunk.code.replaceAll(WRAPPED'],
  },
  {
    path: 'src/console/discussion/mentions.ts',
    pattern: "new RegExp(`(${escaped.join('|')})`, 'u')",
    bound: 'Texts without a quantifier: the names of the people mentioned in one message.',
    enforced: ['src/lib/limits.ts', "discussionMentions: [20, 'people']"],
  },
  {
    path: 'src/console/vite.config.ts',
    pattern: 'new RegExp(`(?:console|src)/(${names})\\\\.tsx?$`)',
    bound: "The names are constants. The text is a module's path, while the console is built.",
    enforced: ['src/console/vite.config.ts', 'of(DECIDING)'],
  },
  {
    path: 'src/console/vite.config.ts',
    pattern: 'new RegExp(`node_modules/(preact|preact-iso|@tanstack)/|${of(PARTS).source}`)',
    bound: "The names are constants. The text is a module's path, while the console is built.",
    enforced: ['src/console/vite.config.ts', 'const PARTS ='],
  },
  {
    path: 'packages/sandbox/src/senders/shopify.ts',
    pattern: 'new RegExp(`"${mark}:(\\\\d+)"`, \'g\')',
    bound: 'The mark is an id, whose characters have no special meaning in a pattern.',
    enforced: ['packages/sandbox/src/senders/shopify.ts', "const mark = newId('number')"],
  },
]
