import { accessSync, constants } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readIfThere } from './read-if-there.js'

type Variables = Record<string, string | undefined>

/**
 * Returns the path of the settings in the data directory. `greenroom init` writes them; the service and the commands read
 * them.
 */
export const settingsFile = (dataDir: string): string => join(resolve(dataDir), 'settings.env')

/** The file has invalid lines. The message quotes none of them, because a setting may be a secret. */
export class SettingsFileError extends Error {}

/**
 * Reads the variables of the file; undefined if it does not exist. Throws SettingsFileError, or the error of a file that
 * cannot be read.
 */
export function readSettingsFile(dataDir: string): Record<string, string> | undefined {
  const path = settingsFile(dataDir)
  const text = readIfThere(path)
  if (text === undefined) return undefined
  const { settings, malformed } = parseSettings(text)
  if (malformed.length > 0) {
    throw new SettingsFileError(
      `${path} is malformed in ${nameLines(malformed)}: write NAME=value, or # before a comment. A value that begins with a quote must end with that quote, and only a comment may follow.`,
    )
  }
  const repeated = [...settings].filter(([, { lines }]) => lines.length > 1)
  if (repeated.length > 0) {
    const named = repeated.map(([name, { lines }]) => `${name} in ${nameLines(lines)}`)
    throw new SettingsFileError(`${path} sets ${named.join(', and ')}: keep one of them.`)
  }
  const named = [...settings].map(([name, { value }]) => [
    name,
    // The directory can be moved, and the service started from anywhere.
    isPath(name, value) ? resolve(dirname(path), value) : value,
  ])
  return Object.fromEntries(named)
}

const nameLines = (lines: readonly number[]): string =>
  lines.length === 1 ? `line ${lines[0]}` : `the lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`

/** A line with a setting, or without one. A value in quotes may span lines; one without quotes ends at a comment. */
const LINE =
  /[^\S\n]*(?:(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*=[^\S\n]*(?:(?:'([^']*)'|"([^"]*)"|`([^`]*)`)[^\S\n]*|([^\s'"`#][^\n#]*)?))?(?:#[^\n]*)?(?:\n|$)/y

interface Settings {
  settings: Map<string, { value: string; lines: number[] }>
  /** The numbers of lines that are neither a setting nor a comment nor empty. */
  malformed: number[]
}

/**
 * Node's parseEnv returns the same for a valid file. If there is a mistake, it joins lines, so that part of a value becomes
 * a name, and its result differs between versions.
 */
function parseSettings(given: string): Settings {
  const text = given.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const found: Settings = { settings: new Map(), malformed: [] }
  let line = 1
  for (let at = 0; at < text.length; ) {
    LINE.lastIndex = at
    const [whole = undefined, name, single, double, backquoted, plain = ''] = LINE.exec(text) ?? []
    if (whole === undefined) found.malformed.push(line)
    else if (name !== undefined) {
      const value = single ?? double?.replaceAll('\\n', '\n') ?? backquoted ?? plain.trimEnd()
      found.settings.set(name, { value, lines: [...(found.settings.get(name)?.lines ?? []), line] })
    }
    const end = whole === undefined ? text.indexOf('\n', at) + 1 || text.length : at + whole.length
    line += text.slice(at, end).split('\n').length - 1
    at = end
  }
  return found
}

/** Formats a setting as a line that reads back as the same value; undefined if that is impossible. */
export function toSettingLine(name: string, value: string): string | undefined {
  const isPlain = /^[\w./:@%+,~[\]-]*$/.test(value)
  const lines = isPlain ? [`${name}=${value}`] : ["'", '"', '`'].map((quote) => `${name}=${quote}${value}${quote}`)
  return lines.find((line) => {
    const { settings, malformed } = parseSettings(line)
    return malformed.length === 0 && settings.size === 1 && settings.get(name)?.value === value
  })
}

/** Returns whether this user may list the directory. The code that opens the database explains what to do otherwise. */
export function isOpen(dataDir: string): boolean {
  try {
    accessSync(dataDir, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns whether the setting is a path. False for a bucket, which BACKUP_DIR may name instead of a directory. */
export const isPath = (name: string, value: string): boolean =>
  /_(?:FILE|DIR)$/.test(name) && value !== '' && !value.startsWith('s3:')

/** Lets the variables of a process override those of the file. A secret and the file that holds it override each other. */
export function overSettings(env: Variables, settings: Record<string, string>): Variables {
  const isGiven = (name: string): boolean => Boolean(env[name])
  const kept = Object.entries(settings).filter(
    ([name]) => !isGiven(name) && !isGiven(`${name}_FILE`) && !isGiven(name.replace(/_FILE$/, '')),
  )
  return { ...env, ...Object.fromEntries(kept) }
}
