import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readClientSettings } from '../config.js'
import { CliError, type Io } from './io.js'

export interface ApiKey {
  id: string
  secret: string
}

/** The server that a command calls, and as whom. */
export interface Target {
  /** The server's root, without a slash at its end. */
  url: string
  /** Both throw a CliError that names the variable to set. */
  requireOperatorToken(): string
  requireKey(): ApiKey
}

interface Values {
  url: string
  operatorToken: string | undefined
  key: ApiKey | undefined
}

/** From the environment; when it says nothing at all, from the demo in DATA_DIR if there is one. */
export function readTarget({ env }: Io): Target {
  const settings = readClientSettings(env)
  const { keyId, secret } = settings
  const values: Values = (settings.anySet ? undefined : readDemo(settings.dataDir)) ?? {
    url: settings.url,
    operatorToken: settings.operatorToken,
    key: keyId === undefined || secret === undefined ? undefined : { id: keyId, secret },
  }
  const noDemo = settings.anySet ? '' : ` (There is no demo in ${settings.dataDir} to take it from.)`
  return {
    url: values.url,
    requireOperatorToken() {
      if (values.operatorToken !== undefined) return values.operatorToken
      throw new CliError(2, `Set GREENROOM_OPERATOR_TOKEN to the OPERATOR_TOKEN of the server.${noDemo}`)
    },
    requireKey() {
      if (values.key !== undefined) return values.key
      const missing = [...(keyId ? [] : ['GREENROOM_KEY']), ...(secret ? [] : ['GREENROOM_SECRET'])].join(' and ')
      throw new CliError(2, `Set ${missing}: \`greenroom keys issue\` makes an API key and its secret.${noDemo}`)
    },
  }
}

function readDemo(dataDir: string): Values | undefined {
  const file = join(dataDir, 'demo.json')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw unusableDemo(file)
  }
  try {
    const { baseUrl, operatorToken, key } = JSON.parse(text)
    const texts = [baseUrl, operatorToken, key.id, key.secret]
    if (texts.every((value) => typeof value === 'string') && URL.canParse(baseUrl)) {
      return { url: baseUrl.replace(/\/v1\/?$/, ''), operatorToken, key: { id: key.id, secret: key.secret } }
    }
  } catch {
    // No JSON, or a field is missing: said below, as for a file with wrong values.
  }
  throw unusableDemo(file)
}

const unusableDemo = (file: string): CliError =>
  new CliError(2, `${file} does not tell how to reach the demo: start the demo again, or set GREENROOM_URL.`)
