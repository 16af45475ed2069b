/** The answer of another server about itself, for `greenroom doctor`. */
export interface Reached {
  status: number
  /** Its own time, where it tells it. */
  date: Date | undefined
  /** The server is a Greenroom: each answer of one has a request id. */
  isGreenroom: boolean
}

const TIMEOUT_MS = 10_000

/** Asks for a URL, without a credential. Throws what `fetch` throws. */
export async function reach(url: string): Promise<Reached> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  await response.body?.cancel()
  const date = new Date(response.headers.get('date') ?? '')
  return {
    status: response.status,
    date: Number.isNaN(date.getTime()) ? undefined : date,
    isGreenroom: response.headers.has('x-request-id'),
  }
}
