import { CLIENT_SETTINGS, readClientSettings } from '../config/client.js'
import { settingsFile } from '../lib/settings-file.js'
import { toShellWord } from '../lib/shell-word.js'
import { findDemoFile, readDemoFile } from './demo-file.js'
import { definedOnly } from './input.js'
import { type Cli, CliError } from './io.js'
import { type OwnServer, readOwnServer } from './own-server.js'
import { findProfile, type Profile, readProfiles } from './profile-file.js'

interface ApiKey {
  id: string
  secret: string
}

/** The server that a command calls, and its credentials. */
export interface Target {
  /** The server's root, without a trailing slash. */
  url: string
  /** The source of the address, a variable or a profile, for messages. */
  urlIsFrom: string
  /** The server's METRICS_TOKEN. `/status` requires it if it is set. */
  metricsToken: string | undefined
  /** True if a token is set, but no key. */
  hasOnlyToken: boolean
  /** Each of these throws a CliError that names the missing variable. */
  requireKey(): ApiKey
  requireToken(): { token: string }
  /** Returns the credential for /api: the operator token, otherwise the personal token, otherwise the key. */
  requireCredential(): { token: string } | { key: string; secret: string }
}

/**
 * Returns the server and credentials of a command. Each value comes from its own variable, otherwise from the profile.
 * Without a profile it comes from the service that `greenroom init` has created in DATA_DIR, or from the demo there. The
 * values of a profile or service are only sent to its own server, never to another one in GREENROOM_URL.
 */
export function readTarget(cli: Pick<Cli, 'env' | 'profile'>): Target {
  const settings = readClientSettings(cli.env)
  const named = cli.profile() ?? settings.profile
  const profile = takeProfile(settings.profilesFile, named)
  const { url, operatorToken, token, keyId, secret } = settings
  const isAnySet = [url, operatorToken, token, keyId, secret].some((value) => value !== undefined)
  const isElsewhere = url !== undefined && profile !== undefined && !isSameServer(url, profile.values.url)
  const own = findOwnServer(settings.serviceDir, { url, hasProfile: profile !== undefined })
  const isDemo = !isAnySet && profile === undefined && own === undefined
  const demo = isDemo ? readDemo(settings.dataDir) : undefined
  const values: Profile = {
    url: CLIENT_SETTINGS.GREENROOM_URL[0],
    ...demo,
    ...definedOnly({ url: own?.url, operatorToken: own?.operatorToken }),
    ...(isElsewhere ? undefined : profile?.values),
    ...definedOnly({ url, operatorToken, token, keyId, secret }),
  }
  const lacking =
    own?.unreadable !== undefined
      ? ` (${own.unreadable})`
      : isElsewhere
        ? ` (The credentials of the profile ${profile.name} are only for ${profile.values.url}, but GREENROOM_URL names another server.)`
        : profile !== undefined
          ? ` (The profile ${profile.name} does not have it.)`
          : isAnySet || own !== undefined
            ? ''
            : ` (There is no demo in ${settings.dataDir} either.)`
  const server = profile === undefined || isElsewhere ? values.url : `${values.url}, of the profile ${profile.name}`
  // If there is a demo, another server may have been named by mistake.
  const beside = (): string => {
    const found = demo === undefined ? findDemoFile(settings.dataDir) : undefined
    if (found?.organizationId === undefined) return ''
    const ids = `the organization ${found.organizationId} and the key ${found.key.id}`
    const how = own === undefined ? '' : ` with DATA_DIR=${toShellWord(settings.dataDir)}`
    return ` The demo in ${settings.dataDir}, with ${ids}, is called${how} if no profile and no GREENROOM_… variable is set.`
  }
  const bearer = values.operatorToken ?? values.token
  const requireToken = (): { token: string } => {
    if (bearer !== undefined) return { token: bearer }
    throw new CliError(
      2,
      `Set GREENROOM_OPERATOR_TOKEN to the OPERATOR_TOKEN of the server ${server}, or run \`greenroom login\`.${lacking}${beside()}`,
    )
  }
  return {
    url: values.url,
    urlIsFrom: url === undefined ? sourceOf(profile, own && settings.serviceDir) : 'GREENROOM_URL',
    metricsToken: settings.metricsToken ?? own?.metricsToken,
    hasOnlyToken: bearer !== undefined && values.keyId === undefined,
    requireCredential() {
      const { keyId: key, secret } = values
      return bearer === undefined && key !== undefined && secret !== undefined ? { key, secret } : requireToken()
    },
    requireToken,
    requireKey() {
      const { keyId, secret } = values
      if (keyId !== undefined && secret !== undefined) return { id: keyId, secret }
      const missing = [...(keyId ? [] : ['GREENROOM_KEY']), ...(secret ? [] : ['GREENROOM_SECRET'])].join(' and ')
      const made = '`greenroom keys issue` creates an API key and its secret.'
      throw new CliError(2, `Set ${missing} for ${server}: ${made}${lacking}${beside()}`)
    },
  }
}

/** Describes the source of the server's address if it is not GREENROOM_URL. */
function sourceOf(profile: { name: string } | undefined, serviceDir: string | undefined): string {
  if (profile !== undefined) return `the URL of the profile ${profile.name}`
  return serviceDir === undefined ? 'GREENROOM_URL' : `PORT in ${settingsFile(serviceDir)}`
}

/** Finds the service on this machine, unless a profile or GREENROOM_URL names another server. */
function findOwnServer(
  serviceDir: string,
  { url, hasProfile }: { url: string | undefined; hasProfile: boolean },
): OwnServer | undefined {
  if (url === undefined && hasProfile) return undefined
  const own = readOwnServer(serviceDir)
  return own !== undefined && (url === undefined || isSameServer(url, own.url)) ? own : undefined
}

/** Returns the named profile, otherwise the current one, or undefined if there is none. */
function takeProfile(file: string | undefined, named: string | undefined) {
  const profiles = readProfiles(file)
  const name = named ?? profiles.current
  if (name === undefined) return undefined
  const values = findProfile(profiles, name)
  if (values !== undefined) return { name, values }
  throw new CliError(2, `There is no profile ${name}: \`greenroom profiles list\` shows them.`)
}

export const isSameServer = (a: string, b: string): boolean => new URL(`${a}/`).href === new URL(`${b}/`).href

/** Reads the address and credentials of the demo in a data directory, or returns undefined if there is none. */
function readDemo(dataDir: string): Profile | undefined {
  const demo = readDemoFile(dataDir)
  if (demo === undefined) return undefined
  const { baseUrl, operatorToken, key } = demo
  return { url: baseUrl.replace(/\/v1\/?$/, ''), operatorToken, keyId: key.id, secret: key.secret }
}
