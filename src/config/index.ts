import { resolve } from 'node:path'
import {
  isOpen,
  isPath,
  overSettings,
  readSettingsFile,
  SettingsFileError,
  settingsFile,
} from '../lib/settings-file.js'
import { findSimilar } from '../lib/similar.js'
import { access } from './access.js'
import { backup, s3 } from './backup.js'
import { CLIENT_SETTINGS } from './client.js'
import { database } from './database.js'
import { graph } from './graph.js'
import { http } from './http.js'
import { limits } from './limits.js'
import { mail } from './mail.js'
import { masterKeys } from './master-keys.js'
import { media } from './media.js'
import { asksForTraces, log, metrics } from './observability.js'
import { oidc } from './oidc.js'
import { ConfigError, type Environment, readGroup, readSecretFiles } from './read.js'
import { retention } from './retention.js'
import { audience, automation, insights, intake, outsideMedia, publisher } from './rooms.js'
import type { ConfigOf, NameIn, Setting } from './setting.js'
import { webhooks } from './webhooks.js'

/** The settings by room; docs/settings.md has a table for each part of the service. */
export const GROUPS = {
  ...{ http, database, masterKeys, access, limits, oidc, metrics, media },
  ...{ backup, s3, retention, mail, webhooks, outsideMedia, graph },
  ...{ insights, publisher, audience, intake, automation, log },
}
type Groups = typeof GROUPS
type SettingName = { [Name in keyof Groups]: NameIn<Groups[Name]> }[keyof Groups]

/**
 * The configuration: read once from the environment, frozen, and passed on. Each room takes its group. Nothing else
 * reads process.env.
 */
export type Config = { readonly [Name in keyof Groups]: ConfigOf<Groups[Name]> } & {
  /** True if OpenTelemetry's own variables, which its SDK reads, enable traces. */
  readonly asksForTraces: boolean
  /** Unknown variables whose names resemble a setting that is not set. */
  readonly misspelt: readonly Misspelt[]
}

export interface Misspelt {
  given: string
  meant: string
}

export const toMisspeltSentence = ({ given, meant }: Misspelt): string =>
  `${given} is not a setting of this program: did you mean ${meant}?`

const ALL: readonly Setting[] = Object.values(GROUPS).flatMap(({ settings }) => Object.values<Setting>(settings))

/**
 * Every variable with its default (as a user would write it) and meaning. `npm run settings` writes them to
 * docs/settings.md.
 */
export const SETTINGS = Object.fromEntries(
  ALL.flatMap(({ name, default: fallback = '', about, secret }) => [
    [name, [fallback, about]],
    ...(secret ? [[`${name}_FILE`, ['', `Path of a file that holds ${name}.`]]] : []),
  ]),
) as Readonly<Record<SettingName, readonly [fallback: string, meaning: string]>>

/**
 * Returns the environment of a service on this machine: its variables, plus those from `settings.env` in its data
 * directory that are not set. Throws a ConfigError for an unreadable file, for lines and names that are not settings,
 * and for duplicate names.
 */
export function readEnvironment(env: Environment = process.env, dataDir: string = SETTINGS.DATA_DIR[0]): Environment {
  const directory = env.DATA_DIR || dataDir
  const path = settingsFile(directory)
  let settings: Record<string, string> | undefined
  try {
    settings = readSettingsFile(directory)
  } catch (error) {
    if (error instanceof SettingsFileError) throw new ConfigError([error.message])
    if (!isOpen(directory)) return env
    throw new ConfigError([`${path} cannot be read: ${(error as Error).message}.`])
  }
  if (settings === undefined) return env
  const mistakes = Object.keys(settings).flatMap((name) => {
    if (name === 'DATA_DIR')
      return [`${path} sets DATA_DIR, which is the directory of this file: set it in the environment.`]
    // A secret that was broken across lines may end in text that looks like a name.
    const shown = /^[A-Z]{1,30}(?:_[A-Z\d]{1,30}){0,9}$/.test(name) ? name : 'a name'
    return name in SETTINGS ? [] : [`${path} sets ${shown}, which is not a setting: docs/settings.md lists them all.`]
  })
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return overSettings(env, settings)
}

/** Returns those of the settings that the environment sets. Paths become absolute. */
export function readGivenSettings(names: readonly string[], env: Environment = process.env): Environment {
  const given = names.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []))
  return Object.fromEntries(given.map(([name, value]) => [name, isPath(name, value) ? resolve(value) : value]))
}

/**
 * Reads the environment. Throws one ConfigError with all mistakes. Rules across several settings of a group are
 * checked once each of them is valid. An empty variable counts as not set; `defaults` override those of the tables.
 */
export function readConfig(
  env: Environment = process.env,
  defaults: Partial<Record<SettingName, string>> = {},
): Config {
  const mistakes: string[] = []
  const secrets = ALL.filter(({ secret }) => secret).map(({ name }) => name)
  const given: Environment = { ...env, ...readSecretFiles(secrets, env, mistakes) }
  const preset: Environment = { ...Object.fromEntries(ALL.map(({ name, default: text }) => [name, text])), ...defaults }
  const textOf = (name: string): string => given[name] || preset[name] || ''
  // A secret with an unreadable file still counts as set.
  const isSet = (name: string): boolean => textOf(name) !== '' || Boolean(given[`${name}_FILE`])
  const groups = Object.entries(GROUPS).map(
    ([name, group]) => [name, readGroup(group, { textOf, isSet, mistakes })] as const,
  )
  const config = {
    ...Object.fromEntries(groups.map(([name, finish]) => [name, finish()])),
    asksForTraces: asksForTraces(env),
    misspelt: Object.freeze(findMisspelt(env)),
  } as Config
  if (mistakes.length > 0) throw new ConfigError([...mistakes, ...config.misspelt.map(toMisspeltSentence)])
  return Object.freeze(config)
}

/** A misspelt name of a single word cannot be distinguished from another program's variable. */
const DISTINCT = Object.keys(SETTINGS).filter((name) => name.includes('_'))

/** Returns the unknown variables whose names resemble a setting that is not set. */
export function findMisspelt(env: Environment = process.env): Misspelt[] {
  const unset = DISTINCT.filter((name) => !env[name])
  return Object.keys(env)
    .filter((given) => env[given] && !(given in SETTINGS) && !(given in CLIENT_SETTINGS))
    .flatMap((given) => {
      const meant = findSimilar(given, unset)
      return meant === undefined ? [] : [{ given, meant }]
    })
}
