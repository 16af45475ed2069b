import type { Answer } from '../client/answer.js'
import { connectionFailed } from './refusal.js'

/** Sends a request that the client has no operation for. Throws a CliError if there is no response. */
export async function send(
  target: { url: string; urlIsFrom: string },
  path: string,
  init?: RequestInit,
): Promise<Answer> {
  try {
    const response = await fetch(target.url + path, { ...init, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    throw connectionFailed(target, error)
  }
}
