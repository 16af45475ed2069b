import { limit } from '../../lib/limits.js'

const ANSWER_BYTES_MAX = limit('providerAnswerBytes')

/** A TypeError, as fetch throws when no complete answer arrives. The code is for the log. */
class AnswerTooLargeError extends TypeError {
  readonly code = 'ANSWER_TOO_LARGE'

  constructor() {
    super(`a response of more than ${ANSWER_BYTES_MAX} bytes`)
  }
}

/** Like fetch, but reads at most `providerAnswerBytes` of the decompressed answer. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const { body, status, statusText, headers } = response
  if (body === null) return response
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop with an error cancels the body.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new AnswerTooLargeError()
    chunks.push(chunk)
  }
  const whole = new Response(Buffer.concat(chunks), { status, statusText, headers })
  // The client compares it with the URL that it requested.
  Object.defineProperty(whole, 'url', { value: response.url })
  return whole
}
