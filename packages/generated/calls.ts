import { createHmac } from 'node:crypto'

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

export const baseUrl = setting('GREENROOM_URL')
export const token = setting('GREENROOM_TOKEN')
const key = setting('GREENROOM_KEY')
const secret = setting('GREENROOM_SECRET')

/** A middleware that signs a request of /v1. */
export function sign(request: Request): Request {
  const date = new Date().toUTCString()
  request.headers.set('x-api-version', '1')
  request.headers.set('x-api-key', key)
  request.headers.set('x-date', date)
  request.headers.set('x-signature', createHmac('sha256', secret).update(date).digest('hex'))
  return request
}

interface Outcome<Data> {
  data?: Data | undefined
  error?: unknown
  response?: Response | undefined
}

const calls: string[] = []

/** Records a call and returns its answer. Throws if it was refused. */
export function answered<Data>(name: string, { data, error, response }: Outcome<Data>): NonNullable<Data> {
  if (data === undefined || data === null) throw new Error(`${name}: ${response?.status} ${JSON.stringify(error)}`)
  calls.push(`${name} ${response?.status}`)
  return data
}

/** Records a call that must be refused, and returns the body of the error. */
export function refused<Failure>(name: string, outcome: { error?: Failure; response?: Response | undefined }): Failure {
  if (outcome.error === undefined) throw new Error(`${name}: ${outcome.response?.status}, but it must be refused`)
  calls.push(`${name} ${outcome.response?.status} ${outcome.response?.headers.get('x-error-code')}`)
  return outcome.error
}

export const printCalls = (): boolean => process.stdout.write(JSON.stringify(calls))
