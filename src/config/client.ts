import { isAbsolute, join, resolve } from 'node:path'
import { trimEnd } from '../interface/trim.js'
import { database } from './database.js'
import { isServerUrl } from './parsers.js'
import { ConfigError, type Environment } from './read.js'

/** The data directory of the demo unless DATA_DIR is set; never the one with real data. */
export const DEMO_DATA_DIR = '.greenroom-demo'

/** How the command line reaches a running server. docs/settings.md lists these settings too. */
export const CLIENT_SETTINGS = {
  GREENROOM_URL: ['http://127.0.0.1:8080', 'Address of the server, without `/v1` or `/api`.'],
  GREENROOM_OPERATOR_TOKEN: ['', "Operator token, for the operator's commands."],
  GREENROOM_TOKEN: ['', 'Personal token, for the same commands on behalf of a person.'],
  GREENROOM_METRICS_TOKEN: ['', 'METRICS_TOKEN of the server, for `greenroom status`.'],
  GREENROOM_KEY: ['', 'Id of an API key, for the commands that call `/v1`.'],
  GREENROOM_SECRET: ['', 'Secret of that key.'],
  GREENROOM_PROFILE: ['', 'Name of the profile to use instead of the current one.'],
  GREENROOM_PROFILES_FILE: [
    '',
    'File of the profiles. The default is `greenroom/profiles.json` in `XDG_CONFIG_HOME` or in `~/.config`.',
  ],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>

/** Reads the command line's settings from the environment. Throws one ConfigError with every mistake. */
export function readClientSettings(env: Environment = process.env) {
  const mistakes: string[] = []
  // Messages do not repeat the values, which are secrets or a URL that may contain one.
  const visible = (name: keyof typeof CLIENT_SETTINGS): string | undefined => {
    const value = env[name] || undefined
    if (value !== undefined && !isVisibleAscii(value)) mistakes.push(`${name} must be ${VISIBLE_ASCII}.`)
    return value
  }
  const url = env.GREENROOM_URL || undefined
  if (url !== undefined && !isServerUrl(url)) mistakes.push(`GREENROOM_URL must be ${SERVER_URL}.`)
  const settings = {
    /** Without a trailing slash. */
    url: url && trimEnd(url, '/'),
    operatorToken: visible('GREENROOM_OPERATOR_TOKEN'),
    token: visible('GREENROOM_TOKEN'),
    metricsToken: visible('GREENROOM_METRICS_TOKEN'),
    keyId: visible('GREENROOM_KEY'),
    secret: visible('GREENROOM_SECRET'),
    profile: env.GREENROOM_PROFILE || undefined,
    /** Undefined if there is no home directory to keep it in. */
    profilesFile: findProfilesFile(env),
    /** The data directory of a service that `greenroom init` set up here. */
    serviceDir: resolve(env.DATA_DIR || database.settings.dataDir.default),
    /** The data directory of the demo, which is called if nothing else is configured. */
    dataDir: resolve(env.DATA_DIR || DEMO_DATA_DIR),
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return Object.freeze(settings)
}

/** Returns how the program was started: npx sets a variable for it. */
export const programName = (env: Environment = process.env): string =>
  env.npm_command === 'exec' ? 'npx greenroom' : 'greenroom'

/** Returns whether unexpected errors are shown with their stack. */
export const showsStacks = (env: Environment = process.env): boolean => env.LOG_LEVEL === 'debug'

/** Reads the variables that terminal programs share. */
export function readTerminalSettings(env: Environment = process.env) {
  const { COLUMNS = '', TERM, NO_COLOR, FORCE_COLOR } = env
  return {
    /** The width, for systems that do not report it. */
    columns: /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined,
    /** True if the terminal does not support escape codes. */
    isDumb: TERM === 'dumb',
    /**
     * True to use colours, false not to; undefined leaves it to the terminal. Read as Node and most programs do:
     * FORCE_COLOR takes precedence over NO_COLOR, and an empty NO_COLOR is ignored.
     */
    color: FORCE_COLOR !== undefined ? !['0', 'false'].includes(FORCE_COLOR) : NO_COLOR ? false : undefined,
  }
}

/** Completes the sentence that something must be. */
export const VISIBLE_ASCII = 'visible ASCII characters without a space or a line break'
export const isVisibleAscii = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)

/** Completes the sentence that something must be. */
export const SERVER_URL = `the http or https address of the server, such as ${CLIENT_SETTINGS.GREENROOM_URL[0]}`

function findProfilesFile(env: Environment): string | undefined {
  if (env.GREENROOM_PROFILES_FILE) return resolve(env.GREENROOM_PROFILES_FILE)
  const home = env.HOME || env.USERPROFILE
  // In the XDG specification a relative path counts as not set.
  const folder = isAbsolute(env.XDG_CONFIG_HOME ?? '') ? env.XDG_CONFIG_HOME! : home && join(home, '.config')
  return folder ? join(folder, 'greenroom', 'profiles.json') : undefined
}
