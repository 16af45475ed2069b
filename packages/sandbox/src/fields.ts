import { BadRequest } from './answers.js'

/** An entry of the `fields` parameter: `insights.limit(3){spend,clicks}` is a name, a modifier and two inner fields. */
export interface Field {
  name: string
  modifiers: Record<string, string>
  fields: Field[] | undefined
}

/** Parses the platform's field expansion. Throws a BadRequest if the platform would not understand the text. */
export function parseFields(text: string): Field[] {
  let at = 0

  const fail = (): never => {
    throw new BadRequest(`Syntax error "Expected name at character ${at}" in: ${text.slice(0, 200)}`, 2500)
  }
  const take = (character: string): boolean => {
    if (text[at] !== character) return false
    at++
    return true
  }
  const name = (): string => {
    const start = at
    while (/[\w]/.test(text[at] ?? '')) at++
    return at > start ? text.slice(start, at) : fail()
  }
  /** Reads up to the closing parenthesis; parentheses in quotes do not count. */
  const argument = (): string => {
    const start = at
    let isQuoted = false
    for (let depth = 1; at < text.length; at++) {
      const character = text[at]
      if (character === '"') isQuoted = !isQuoted
      if (isQuoted) continue
      if (character === '(') depth++
      if (character === ')' && --depth === 0) return text.slice(start, at++)
    }
    return fail()
  }
  const field = (): Field => {
    const parsed: Field = { name: name(), modifiers: {}, fields: undefined }
    while (take('.')) {
      const modifier = name()
      if (!take('(')) fail()
      parsed.modifiers[modifier] = argument()
    }
    if (take('{')) {
      parsed.fields = list()
      if (!take('}')) fail()
    }
    return parsed
  }
  const list = (): Field[] => {
    const parsed = [field()]
    while (take(',')) parsed.push(field())
    return parsed
  }

  const parsed = list()
  return at === text.length ? parsed : fail()
}

/** The platform's default for every list. */
const LIMIT_DEFAULT = 25

/** Reads the `limit` parameter of a list. */
export function readLimit(limit: string | undefined): number {
  if (limit === undefined) return LIMIT_DEFAULT
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw new BadRequest('Param limit must be an integer from 1 to 9999')
  return Number(limit)
}
