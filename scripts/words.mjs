// Compiles the texts of the console and of emails (locales/*.json, in ICU MessageFormat) to functions and types.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MessageFormat from '@messageformat/core'
import compileModule from '@messageformat/core/compile-module.js'
import { parse } from '@messageformat/parser'
import { build } from 'esbuild'

const SOURCE = 'en'

/** Our Portuguese texts use the plural for 0, as in Portugal. */
const PLURALS = { pt: 'pt-PT' }

/** Returns the generated files by name. The console loads one language, the server all of them. */
export async function filesOfWords(root) {
  const folder = join(root, 'locales')
  const languages = readdirSync(folder).map((name) => name.replace('.json', ''))
  const words = languages.map((language) => {
    const { mails, ...pages } = JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8'))
    return { language, mails, pages }
  })
  const { mails, pages } = words.find(({ language }) => language === SOURCE)
  const forMails = words.map((one) => ({ language: one.language, messages: one.mails }))
  const files = {
    'types.ts': [
      '/** Makes the words of a language, given a function that formats numbers. */',
      'export type In<Words> = (write: (value: number) => string) => Words\n',
      typeOf('PageWords', pages),
      typeOf('MailWords', mails),
    ].join('\n'),
    'mails.ts': `// @ts-nocheck\n${await toModule(forMails, root)}\n${declarationOf('MailWords', languages)} = made\n`,
  }
  for (const { language, pages: messages } of words) {
    files[`pages.${language}.js`] = `${await toModule([{ language, messages }], root)}\nexport const words = made\n`
    files[`pages.${language}.d.ts`] = `${declarationOf('PageWords', [language]).replace('const', 'declare const')}\n`
  }
  return files
}

const declarationOf = (name, languages) => `import type { In, ${name} } from './types.js'
export const words: Readonly<Record<'${languages.join("' | '")}', In<${name}>>>`

/** Returns the text of a module that makes the words in some languages, and imports nothing. */
async function toModule(words, root) {
  const parts = words.map(({ language, messages }) => {
    const compiled = compileModule(new MessageFormat(PLURALS[language] ?? language), messages)
    const [imports, body] = compiled.split('export default ')
    // A text without arguments is a string. Numbers are written for the reader and not for the language.
    const texts = body.replaceAll(/\(\) => (?=")/g, '').replaceAll(/\bnumber\("[\w-]+", /g, 'write(')
    return { imports, code: `${language}: (write) => (${texts}),` }
  })
  const imports = [...new Set(parts.flatMap((part) => part.imports.split('\n')))]
  const contents = [...imports, 'export const made = {', ...parts.map(({ code }) => code), '}'].join('\n')
  const options = { bundle: true, format: 'esm', target: 'es2022', charset: 'utf8', write: false }
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: root }, logLevel: 'error' })
  return outputFiles[0].text.replace('export {\n  made\n};\n', '')
}

const typeOf = (name, messages) => `export interface ${name} ${typeOfMessages(messages)}\n`

const typeOfMessages = (messages) =>
  typeof messages === 'string'
    ? typeOfMessage(messages)
    : `{\n${Object.entries(messages)
        .map(([key, value]) => `  readonly '${key}': ${typeOfMessages(value)}`)
        .join('\n')}\n}`

function typeOfMessage(message) {
  const args = [...argumentsOf(message)].map(
    ([name, type]) => `${name}${type.endsWith('undefined') ? '?' : ''}: ${type}`,
  )
  return args.length === 0 ? 'string' : `(args: { ${args.join('; ')} }) => string`
}

/** Returns the arguments of a message with their types: cases named `true` make a boolean, `undefined` an optional value. */
function argumentsOf(message) {
  const uses = new Map()
  const collect = (tokens) => {
    for (const token of tokens) {
      if (token.arg !== undefined) uses.set(token.arg, [...(uses.get(token.arg) ?? []), token])
      for (const { tokens: inner } of token.cases ?? []) collect(inner)
    }
  }
  collect(parse(message))
  return new Map([...uses].map(([name, tokens]) => [name, typeOfArgument(tokens)]))
}

function typeOfArgument(tokens) {
  const cases = tokens.filter(({ type }) => type === 'select').flatMap((token) => token.cases)
  const keys = cases.map(({ key }) => key)
  const optional = keys.includes('undefined') ? ' | undefined' : ''
  if (tokens.some(({ type }) => type === 'plural' || type === 'function')) return `number${optional}`
  if (keys.includes('true')) return 'boolean'
  // If `other` has no text, the value is always one of the named ones.
  if (cases.some(({ key, tokens: text }) => key === 'other' && text.length === 0) && optional === '') {
    return keys
      .filter((key) => key !== 'other')
      .map((key) => `'${key}'`)
      .join(' | ')
  }
  return `string | number${optional}`
}
