import { readFileSync } from 'node:fs'
import { CLIENT_SETTINGS } from '../config/client.js'
import { SETTINGS } from '../config/index.js'
import { reachableUrl } from '../lib/addresses.js'
import { readSettingsFile, SettingsFileError, settingsFile } from '../lib/settings-file.js'
import { CliError } from './io.js'

/** The service that `greenroom init` has created on this machine. */
export interface OwnServer {
  url: string
  operatorToken: string | undefined
  metricsToken: string | undefined
  /** Names a file that the user may not read, and the reason. Undefined if all are readable. */
  unreadable: string | undefined
}

/** Reads the address and the tokens from `settings.env` in the data directory, or returns undefined if there is none. */
export function readOwnServer(dataDir: string): OwnServer | undefined {
  let unreadable: string | undefined
  const unlessUnreadable = <T>(path: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (error instanceof SettingsFileError) throw new CliError(2, error.message)
      unreadable ??= `${path} cannot be read: ${(error as Error).message}.`
      return undefined
    }
  }
  const settings = unlessUnreadable(settingsFile(dataDir), () => readSettingsFile(dataDir))
  if (settings === undefined && unreadable === undefined) return undefined
  const secret = (name: string): string | undefined => {
    const file = settings?.[`${name}_FILE`]
    return file
      ? unlessUnreadable(file, () => readFileSync(file, 'utf8').replace(/\r?\n$/, ''))
      : settings?.[name] || undefined
  }
  return {
    url:
      settings === undefined
        ? CLIENT_SETTINGS.GREENROOM_URL[0]
        : reachableUrl(settings.HOST || SETTINGS.HOST[0], settings.PORT || SETTINGS.PORT[0]),
    operatorToken: secret('OPERATOR_TOKEN'),
    metricsToken: secret('METRICS_TOKEN'),
    unreadable,
  }
}
