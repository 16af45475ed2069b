import { readFileSync } from 'node:fs'
import { type AnyGroup, Mistake, type Setting, type TextOf } from './setting.js'

export type Environment = Record<string, string | undefined>

/** All mistakes in the environment, in sentences that say what to do. */
export class ConfigError extends Error {
  constructor(readonly mistakes: string[]) {
    super(`The configuration is invalid:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/** Reads secrets from files. Adds mistakes for unreadable files and for secrets that are set twice. */
export function readSecretFiles(
  names: readonly string[],
  env: Environment,
  mistakes: string[],
): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const name of names) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) {
      mistakes.push(`${name}_FILE and ${name} are both set: unset one of them.`)
      continue
    }
    try {
      // Editors add a line break at the end.
      secrets[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
      if (secrets[name] === '') mistakes.push(`${name}_FILE ${file} is empty: write the secret to it.`)
    } catch (error) {
      mistakes.push(`${name}_FILE ${file} cannot be read: ${(error as Error).message}.`)
    }
  }
  return secrets
}

/**
 * Reads the values of a group and adds every mistake to `mistakes`. Returns a function that checks the rules across
 * settings and builds the group's configuration: undefined if a value is invalid, null if the group is off.
 */
export function readGroup(
  group: AnyGroup,
  { textOf, isSet, mistakes }: { textOf: TextOf; isSet(name: string): boolean; mistakes: string[] },
): () => unknown {
  const settings = Object.entries(group.settings as Record<string, Setting>)
  const isOn = settings.every(([, { name, turnsOn }]) => !turnsOn || isSet(name))
  const values: Record<string, unknown> = {}
  let isValid = true
  for (const [key, { name, parse, default: fallback, required, needs = {} }] of settings) {
    const given = textOf(name)
    if (isSet(name)) {
      mistakes.push(...Object.keys(needs).flatMap((other) => (isSet(other) ? [] : [needs[other]!])))
    } else if (isOn && required !== undefined) mistakes.push(required)
    if (!isOn && group.ignoredWhenOff) continue
    try {
      values[key] = given === '' && fallback === undefined ? undefined : parse(given)
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      isValid = false
      mistakes.push(`${name} ${error.message}`)
    }
  }
  return () => {
    if (!isOn) return null
    if (!isValid) return undefined
    const found: readonly unknown[] = group.check?.(values, textOf) ?? []
    mistakes.push(...found.filter((mistake) => typeof mistake === 'string'))
    return Object.freeze(group.make?.(values) ?? values)
  }
}
