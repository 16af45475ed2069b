import type { Response } from 'playwright-core'

/** Returns the bytes of a response including its head, as HTTP/1.1 sends them. */
export async function sizeOf(response: Response): Promise<number> {
  const head = await response.headersArray()
  const bytes = head.reduce((sum, { name, value }) => sum + name.length + value.length + 4, 0)
  const body = response.status() === 304 ? 0 : (await response.body()).length
  return `HTTP/1.1 ${response.status()} ${response.statusText()}\r\n\r\n`.length + bytes + body
}
