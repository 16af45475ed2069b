/** Another server's response about itself, for `greenroom doctor`. */
export interface Reached {
  status: number
  /** The server's own time, if it sends it. */
  date: Date | undefined
  /** True if the server is a Greenroom: each of its responses has a request id. */
  isGreenroom: boolean
}

const TIMEOUT_MS = 10_000

/** Requests a URL without credentials. Throws what `fetch` throws. */
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
