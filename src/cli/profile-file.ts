import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isVisibleAscii } from '../config/client.js'
import { isServerUrl } from '../config/parsers.js'
import { parseJson, toRecord } from '../lib/json.js'
import { toShellWord } from '../lib/shell-word.js'
import { CliError, unreadableFile, unwritableFile } from './io.js'
import { writeWholeFile } from './whole-file.js'

/** A server and its credentials. */
export interface Profile {
  url: string
  keyId?: string
  secret?: string
  operatorToken?: string
  /** A personal token from `greenroom login`. */
  token?: string
}

export interface Profiles {
  /** The name of the default profile. */
  current?: string
  profiles: Record<string, Profile>
}

const CREDENTIALS = ['keyId', 'secret', 'operatorToken', 'token']
/** The permission bits of group and others. */
const OTHERS = 0o077

/**
 * Reads the profiles of the file, or none if it does not exist. Throws a CliError if the file is malformed or readable by
 * others.
 */
export function readProfiles(file: string | undefined): Profiles {
  const text = file === undefined ? undefined : readPrivately(file)
  if (text === undefined) return { profiles: {} }
  const found = parseProfiles(text)
  if (found !== undefined) return found
  throw new CliError(2, `${file} is not a valid profiles file: correct it, or delete it and add the profiles again.`)
}

/** Finds a profile among own properties, so `constructor` is not a profile. */
export const findProfile = ({ profiles }: Profiles, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined

export async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch((error) => {
    throw unwritableFile(file, error)
  })
  await writeWholeFile(file, (write) => write(`${JSON.stringify(profiles, null, 2)}\n`), 0o600)
}

function readPrivately(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw unreadableFile(file, error)
  }
  try {
    // Windows has no such bits. There, files in the user's folder are private.
    if (process.platform !== 'win32' && (fstatSync(descriptor).mode & OTHERS) !== 0) {
      throw new CliError(
        2,
        `${file} has secrets, and others can read or change it: run chmod 600 ${toShellWord(file)}.`,
      )
    }
    return readFileSync(descriptor, 'utf8')
  } catch (error) {
    throw error instanceof CliError ? error : unreadableFile(file, error)
  } finally {
    closeSync(descriptor)
  }
}

function parseProfiles(text: string): Profiles | undefined {
  const value = toRecord(parseJson(text))
  const profiles = toRecord(value?.profiles)
  if (profiles === undefined || !['string', 'undefined'].includes(typeof value?.current)) return undefined
  return Object.values(profiles).every(isProfile) ? (value as unknown as Profiles) : undefined
}

/** Returns false for a credential that cannot be part of a header, because the error of the request would show it. */
function isProfile(value: unknown): boolean {
  const { url, ...fields } = toRecord(value) ?? {}
  const isCredential = (credential: unknown): boolean =>
    credential === undefined || (typeof credential === 'string' && isVisibleAscii(credential))
  return typeof url === 'string' && isServerUrl(url) && CREDENTIALS.every((field) => isCredential(fields[field]))
}
