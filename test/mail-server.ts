import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Database } from '../src/database/database.js'

export interface ReceivedMail {
  from: string
  to: string[]
  /** As it came, with its headers; soft line breaks of quoted-printable are undone. */
  source: string
}

export interface MailServer {
  url: string
  mails: ReceivedMail[]
  /** Refuses these recipients for good. */
  refused: Set<string>
  close(): Promise<void>
}

/** A mail server on a real socket, without TLS unless the options say more. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const refused = new Set<string>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo({ address }, _, callback) {
      if (!refused.has(address)) return callback()
      callback(Object.assign(new Error('No such user here'), { responseCode: 550 }))
    },
    onData(stream, session, callback) {
      let source = ''
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString('latin1')
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const [head = '', ...body] = source.split('\r\n\r\n')
        const text = body.join('\r\n\r\n').replaceAll('=\r\n', '')
        mails.push({ from, to: rcptTo.map(({ address }) => address), source: `${head}\r\n\r\n${text}` })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', () => listening()))
  const { port: given } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${given}`,
    mails,
    refused,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

/** Deletes what waits to be mailed: other tests of the thread leave mails in the database that they share. */
export const forgetMails = (database: Pick<Database, 'execute'>): Promise<unknown> =>
  database.execute('delete from mails; delete from person_mails; delete from inbox_mails; delete from events')
