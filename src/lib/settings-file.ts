import { accessSync, constants } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfThere } from './read-if-there.js'

type Variables = Record<string, string | undefined>

/**
 * Gives the path of the settings in the data directory. `greenroom init` writes them there; the service and the
 * commands read them.
 */
export const settingsFile = (dataDir: string): string => join(resolve(dataDir), 'settings.env')

/** Reads the variables of the file; undefined where there is none. Throws the error of a file that cannot be read. */
export function readSettingsFile(dataDir: string): Record<string, string> | undefined {
  const path = settingsFile(dataDir)
  const text = readIfThere(path)
  if (text === undefined) return undefined
  const variables = parseEnv(text.replace(/^\uFEFF/, '')) as Record<string, string>
  const named = Object.entries(variables).map(([name, value]) => [
    name,
    // The directory can be moved, and the service started from anywhere.
    isPath(name, value) ? resolve(dirname(path), value) : value,
  ])
  return Object.fromEntries(named)
}

/** Tells if this user may look into the directory. What opens the database says what to do about one that is closed. */
export function isOpen(dataDir: string): boolean {
  try {
    accessSync(dataDir, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** False for a bucket, which BACKUP_DIR may name in the place of a directory. */
const isPath = (name: string, value: string): boolean =>
  /_(?:FILE|DIR)$/.test(name) && value !== '' && !value.startsWith('s3:')

/** Puts the variables of a process before those of the file. A secret and the file that holds it replace each other. */
export function overSettings(env: Variables, settings: Record<string, string>): Variables {
  const isGiven = (name: string): boolean => Boolean(env[name])
  const kept = Object.entries(settings).filter(
    ([name]) => !isGiven(name) && !isGiven(`${name}_FILE`) && !isGiven(name.replace(/_FILE$/, '')),
  )
  return { ...env, ...Object.fromEntries(kept) }
}
