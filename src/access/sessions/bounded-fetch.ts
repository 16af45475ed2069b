import { limit } from '../../lib/limits.js'

const ANSWER_BYTES_MAX = limit('providerAnswerBytes')

/** A TypeError, like the one that fetch throws for an incomplete response. The code is for the log. */
class AnswerTooLargeError extends TypeError {
  readonly code = 'ANSWER_TOO_LARGE'

  constructor() {
    super(`a response of more than ${ANSWER_BYTES_MAX} bytes`)
  }
}

/** Like fetch, but fails if the decompressed response has more than `providerAnswerBytes`. */
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
  const limited = new Response(Buffer.concat(chunks), { status, statusText, headers })
  // A constructed Response has no URL, and the client compares it with the one that it requested.
  Object.defineProperty(limited, 'url', { value: response.url })
  return limited
}
